import { isJsonObject } from '../../../base/json/json.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';

/** A version of its agent that a run went on under. */
export interface VersionMark {
  /** In ms since 1970. */
  readonly at: number;
  /** The label of the version; null for the current one of that time. */
  readonly version: string | null;
}

/** The room of a store in which the versions of runs are: by run, a line for each change. */
export const VERSIONS_ROOM = 'run-versions';

/** Puts on record which version a run goes on under from now on; of one that never left the current version, nothing. */
export const markVersion = async (
  store: Pick<JournalStore, 'files'>,
  runId: string,
  version: string | undefined,
  at: number,
): Promise<void> => {
  const last = (await versionMarks(store, runId)).at(-1)?.version ?? null;
  const mark: VersionMark = { at, version: version ?? null };
  if (mark.version !== last) await store.files(VERSIONS_ROOM).append(runId, `${JSON.stringify(mark)}\n`);
};

/** The versions that a run went on under, oldest first; none for one that never left the current version. */
export const versionMarks = async (
  store: Pick<JournalStore, 'files'>,
  runId: string,
): Promise<readonly VersionMark[]> =>
  ((await store.files(VERSIONS_ROOM).read(runId)) ?? '')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : (markIn(line) ?? [])));

const markIn = (line: string): VersionMark | undefined => {
  const found: unknown = JSON.parse(line);
  if (!isJsonObject(found)) return undefined;
  const { at, version } = found;
  return typeof at === 'number' && (typeof version === 'string' || version === null)
    ? { at, version }
    : undefined;
};
