import { isJsonObject } from '../../../base/json/json.ts';
import { isTroupeError, messageOf } from '../../../contracts/errors/error.ts';
import { DeterminismError } from '../replay/determinism-error.ts';
import { differenceWords } from './difference-words.ts';
import type { ErrorCode } from '../../../contracts/errors/error-data.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';

/** The reason why a process that executes runs has not resumed one. */
export interface HeldMark {
  /** In ms since 1970. */
  readonly at: number;
  readonly code: string;
  readonly message: string;
}

/** Errors that hold a run until something else is there: another version of its agent, a secret, a later release. */
const HOLDING: ReadonlySet<ErrorCode> = new Set([
  'journal.diverged',
  'journal.corrupt',
  'journal.version',
  'tool.missing',
  'secret.missing',
  'secret.wrong-key',
  'policy.missing',
]);

/** The room of a store in which marks are, by run. */
const ROOM = 'held-runs';

/** Checks whether a run is held by an error, as opposed to one that a further attempt may not meet. */
export const isHolding = (thrown: unknown): boolean => isTroupeError(thrown) && HOLDING.has(thrown.code);

/** Puts on record why a run was not resumed, for those who look at the store. */
export const markHeld = (
  store: Pick<JournalStore, 'files'>,
  runId: string,
  thrown: unknown,
  at: number,
): Promise<void> => {
  const code = isTroupeError(thrown) ? thrown.code : 'internal';
  const message =
    thrown instanceof DeterminismError
      ? `${differenceWords(thrown)}${triedWords(thrown.tried)}`
      : messageOf(thrown);
  return store.files(ROOM).write(runId, JSON.stringify({ at, code, message } satisfies HeldMark));
};

/** The earlier versions that do not fit either, at the end of a reason. */
export const triedWords = (tried: readonly string[]): string =>
  tried.length === 0 ? '' : `. Nor do its versions fit: ${tried.map((label) => `'${label}'`).join(', ')}`;

/** The reason why a run is held; undefined if none is known, or the run went on since. */
export const heldMark = async (
  store: Pick<JournalStore, 'files'>,
  { runId, status, updatedAt }: Pick<RunEntry, 'runId' | 'status' | 'updatedAt'>,
): Promise<HeldMark | undefined> => {
  if (status !== 'running' && status !== 'waiting') return undefined;
  const text = await store.files(ROOM).read(runId);
  const mark = text === undefined ? undefined : markIn(text);
  return mark === undefined || mark.at < updatedAt ? undefined : mark;
};

/** Removes the marks of runs that have ended, or are gone. */
export const forgetHeld = async (store: Pick<JournalStore, 'files' | 'entry'>): Promise<void> => {
  const files = store.files(ROOM);
  for (const runId of await files.names()) {
    const status = (await store.entry(runId))?.status;
    if (status !== 'running' && status !== 'waiting') await files.remove(runId);
  }
};

const markIn = (text: string): HeldMark | undefined => {
  const found: unknown = JSON.parse(text);
  if (!isJsonObject(found)) return undefined;
  const { at, code, message } = found;
  return typeof at === 'number' && typeof code === 'string' && typeof message === 'string'
    ? { at, code, message }
    : undefined;
};
