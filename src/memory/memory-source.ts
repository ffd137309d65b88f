import type { KeyValueFiles, Memory, MemoryPlace, MemoryScope, MemorySource } from '../contracts/memory.ts';

/** What every kind of memory can be told. */
export interface MemoryOptions {
  /** Tells two memories of one agent apart. Default: the kind. */
  readonly name?: string | undefined;
  /** Default `agent`: the next run of the same agent remembers. */
  readonly scope?: MemoryScope | undefined;
  /** Where it is kept beyond the process, such as `folderStore('./memory')`. Default: in this process only. */
  readonly files?: KeyValueFiles | undefined;
}

/** What a kind of memory is made in: nothing where it does not outlive the process. */
export interface MemoryFile {
  readonly files: KeyValueFiles | undefined;
  readonly name: string;
}

/**
 * The memory of each place, opened once and shared by all who ask for it.
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
        // One that could not be opened is tried again by the next run.
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

const keyOf = (scope: MemoryScope, { runId, agent, thread }: MemoryPlace): string => {
  switch (scope) {
    case 'run':
      return `run/${runId}`;
    case 'agent':
      return `agent/${agent}`;
    case 'thread':
      return `thread/${thread ?? runId}`;
    case 'shared':
      return 'shared';
  }
};
