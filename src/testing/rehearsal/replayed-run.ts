import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { JournalRecord } from '../../contracts/journals/journal-record.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { secretKeyOf } from '../../policy/secret-key-of.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { DeterminismError } from '../../runtime/journal/replay/determinism-error.ts';
import type { OpenReplay } from '../../runtime/journal/replay/replay.ts';
import { openReplay } from '../../runtime/journal/replay/replay.ts';
import { assertOwn } from '../../runtime/journal/resume/resumed-run.ts';
import { assertSecretsKnown, knownSecrets, recordsIn } from '../../runtime/journal/resume/stored-run.ts';
import type { RunDifference } from './difference.ts';
import type { RehearseOptions } from './rehearse-options.ts';
import { RequestCheck } from './request-check.ts';

/** A recorded run that a candidate was driven through, without asking anybody. */
export interface ReplayedRun {
  readonly records: readonly JournalRecord[];
  readonly difference: RunDifference | undefined;
  /** Reasons why it cannot be said that nothing differs. */
  readonly unseen: readonly string[];
  readonly failure: ErrorData | undefined;
}

/** Drives a candidate through a recorded run: each effect is answered from the journal, and each request compared with that on record. */
export const replayWith = async (
  candidate: Definition,
  runId: string,
  { store, ...options }: RehearseOptions,
): Promise<ReplayedRun> => {
  let records: readonly JournalRecord[] = [];
  const { model, secrets, secretKey, context } = options;
  try {
    const known = knownSecrets(candidate, { model, secrets, secretKey });
    const found = await recordsIn(store, runId, known);
    ({ records } = found);
    const { began, opened } = found;
    assertSecretsKnown(runId, opened, secretKeyOf(secretKey));
    assertOwn(began, candidate);
    const check = new RequestCheck(runId, records);
    const replay = openReplay(
      candidate,
      [began, ...records.slice(1)],
      { model, secrets, secretKey, context },
      opened.fields,
      check.compare,
    );
    const course = differenceInCourse(replay);
    const difference = (await check.earliest()) ?? course;
    return { records, difference, unseen: check.unseen, failure: undefined };
  } catch (thrown) {
    const message = `Cannot rehearse run '${runId}' as it cannot be replayed`;
    const failure = errorData(thrown, 'internal', { message, runId });
    return { records, difference: undefined, unseen: [], failure };
  }
};

/** Replays the run; returns where its events differ. What the comparison of requests stops at, that knows. */
const differenceInCourse = ({ run, go }: OpenReplay): RunDifference | undefined => {
  try {
    go();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof DeterminismError)) throw thrown;
    const { path, step, expected: recorded, found } = thrown.divergence;
    return { part: 'events', seq: numberOf(recorded) ?? run.log.events.length, path, step, recorded, found };
  }
};

/** The number of an event on record; what else is on record has none. */
const numberOf = (recorded: Json): number | undefined => {
  const seq = isJsonObject(recorded) ? recorded['seq'] : undefined;
  return typeof seq === 'number' ? seq : undefined;
};
