import { aText, objectWith, oneOf, optional } from '../../base/schemas/option-schemas.ts';
import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import type {
  KeyValueFiles,
  Memory,
  MemoryPlace,
  MemoryScope,
  MemorySource,
} from '../../contracts/conversations/memory.ts';

/** Options of every kind of memory. */
export interface MemoryOptions {
  /** Distinguishes two memories of one agent. Default: the kind. */
  readonly name?: string | undefined;
  /** Default `agent`: the next run of the same agent remembers. */
  readonly scope?: MemoryScope | undefined;
  /** Storage beyond the process, such as `folderStore('./memory')`. Default: this process only. */
  readonly files?: KeyValueFiles | undefined;
}

/** The shape of the options of every kind of memory. */
export const memoryShape = (): OptionShape<MemoryOptions> => ({
  name: optional(aText(1)),
  scope: optional(oneOf(SCOPES)),
  files: optional(
    objectWith(
      ['read', 'write', 'append', 'remove', 'names'],
      "not file storage: write folderStore('./memory')",
    ),
  ),
});

const SCOPES: readonly MemoryScope[] = ['run', 'agent', 'thread', 'shared'];

/** The storage of a memory; without files it does not outlive the process. */
export interface MemoryFile {
  readonly files: KeyValueFiles | undefined;
  readonly name: string;
}

/**
 * Opens the memory of each place once, shared by all that ask for it.
 *
 * A memory of scope `run` is kept by the id of the run alone: two runs never see each other's.
 */
export const memorySource = <Kind extends Memory>(
  kind: string,
  options: MemoryOptions,
  make: (file: MemoryFile) => Promise<Kind>,
): MemorySource<Kind> => {
  const { name = kind, scope = 'agent', files } = options;
  const open = new Map<string, Promise<Kind>>();
  return {
    name,
    scope,
    open: (place) => {
      const key = keyOf(scope, place);
      let memory = open.get(key);
      if (memory === undefined) {
        memory = make({ files: scope === 'run' ? undefined : files, name: `${key}/${name}` });
        open.set(key, memory);
        // A failed opening is retried by the next run.
        memory.catch(() => open.delete(key));
      }
      return memory;
    },
    release: (place) => {
      if (scope === 'run') open.delete(keyOf(scope, place));
      return Promise.resolve();
    },
  };
};

const keyOf = (scope: MemoryScope, { runId, agent, thread, tenant }: MemoryPlace): string => {
  switch (scope) {
    case 'run':
      return `run/${runId}`;
    case 'agent':
      return `${folderOf(tenant)}agent/${agent}`;
    case 'thread':
      return `${folderOf(tenant)}thread/${thread ?? runId}`;
    case 'shared':
      return 'shared';
  }
};

/** Without a tenant, none. No two tenants have the same, nor one that is within another's. */
const folderOf = (tenant: string | undefined): string =>
  tenant === undefined ? '' : `tenant/${tenant.replaceAll('%', '%25').replaceAll('/', '%2F')}/`;
