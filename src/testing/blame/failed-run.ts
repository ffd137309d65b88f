import { systemClock } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { copyRun } from '../../persistence/copy-run.ts';
import { secretKeyOf } from '../../policy/secret-key-of.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { replayRecords } from '../../runtime/journal/replay/replay.ts';
import { assertOwn } from '../../runtime/journal/resume/resumed-run.ts';
import { assertSecretsKnown, knownSecrets, recordsIn } from '../../runtime/journal/resume/stored-run.ts';
import { writingMember } from '../rehearsal/writing-member.ts';
import type { BlameOptions } from './blame-options.ts';

/** A recorded run that fails, in a store of its own. */
export interface FailedRun {
  readonly entry: RunEntry;
  /** A copy in memory: forks are made of it, and the run's own store is only read. */
  readonly copy: JournalStore;
  readonly records: readonly JournalRecord[];
  readonly result: RunResult;
}

/**
 * Reads the run that failed, by a replay: its agents have to do what is on record.
 *
 * @throws {TroupeError} `journal.unknown`, `journal.diverged`; `input.invalid` for a run that has not ended, or does not fail.
 */
export const failedRun = async (
  definition: Definition,
  { store, runId, fails, ...options }: BlameOptions,
): Promise<FailedRun> => {
  const entry = await store.entry(runId);
  if (entry === undefined)
    throw new TroupeError('journal.unknown', `Cannot blame run '${runId}' as it is not in ${store.name}`, {
      runId,
    });
  const writer = writingMember(definition);
  if (writer !== undefined) throw refusal(runId, `'${writer}' has memories, which its forks would write to`);
  const copy = await copyRun(store, entry);
  const { model, secrets, secretKey, context } = options;
  const { records, began, opened } = await recordsIn(
    copy,
    runId,
    knownSecrets(definition, { model, secrets, secretKey }),
  );
  assertSecretsKnown(runId, opened, secretKeyOf(secretKey));
  assertOwn(began, definition);
  const given = { model, secrets, secretKey, context };
  const { result } = await replayRecords<Json>(definition, records, given, opened.fields);
  if (result === undefined) throw refusal(runId, `it has not ended (${entry.status}): resume it first`);
  if (!(await judge(fails, result)))
    throw refusal(runId, '`fails` says that it does not fail: there is nothing to turn');
  return { entry, copy, records, result };
};

/** Asks the caller's check about a run. @throws {TroupeError} `input.invalid` if it throws, or says neither. */
export const judge = async (fails: BlameOptions['fails'], result: RunResult): Promise<boolean> => {
  let verdict: unknown;
  try {
    verdict = await fails(result);
  } catch (thrown) {
    const why = messageOf(thrown);
    throw new TroupeError('input.invalid', `Cannot judge run '${result.runId}' as \`fails\` threw: ${why}`, {
      cause: thrown,
    });
  }
  if (typeof verdict === 'boolean') return verdict;
  throw new TroupeError(
    'input.invalid',
    `Cannot judge run '${result.runId}' as \`fails\` returned neither true nor false: found ${foundText(verdict)}`,
  );
};

/** The clock of a fork: it starts at the time of the run, so that a prompt with the date of the day is the same. */
export const clockFrom = (startMs: number): Clock => {
  const behindMs = systemClock.now() - startMs;
  return {
    now: () => systemClock.now() - behindMs,
    setTimeout: (callback, ms) => systemClock.setTimeout(callback, ms),
    clearTimeout: (handle) => systemClock.clearTimeout(handle),
  };
};

const refusal = (runId: string, why: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot blame run '${runId}' as ${why}`, { runId });
