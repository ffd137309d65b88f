import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Happened, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { RunPoint } from './run-point.ts';
import { recordsUpTo } from './run-point.ts';

/** The event by which an agent came to its state: a step's reduction, or its preparation where it has the state that it started with. */
export interface StateOrigin {
  readonly type: 'agent.reduced' | 'agent.prepared';
  readonly path: string;
  /** The step that made the state; undefined for the state that the agent started with. */
  readonly made: number | undefined;
  readonly seq: number;
  /** The index of the event. */
  readonly at: number;
  /** The index of the first record of that step, or of the agent. */
  readonly from: number;
}

/**
 * The origin of the state that an agent has at a point: the agent of the event that `point` names by its number, else the root.
 *
 * @throws {TroupeError} `journal.point-unknown`; `input.invalid` where no agent of the run has a state there.
 */
export const stateOriginAt = (
  records: readonly JournalRecord[],
  point: RunPoint | undefined,
): StateOrigin => {
  const { path, end } = placeAt(records, point);
  const prepared = records.findIndex((each) => isOf(each, path, 'agent.prepared'));
  if (prepared < 0)
    throw refusal(
      `'${path}' has none there: it is a team, or never began. Name an event of an agent as \`at: { seq }\``,
    );
  for (let at = end - 1; at > prepared; at -= 1) {
    const record = records[at];
    if (!isOf(record, path, 'agent.reduced') || record.event.step === undefined) continue;
    const { step, seq } = record.event;
    const from = records.findLastIndex((each, index) => index < at && isBeginning(each, path, step));
    // A step that was cut off before its reduction left the state as it was.
    if (from >= 0 && !hasEndedBefore(records, path, step))
      return { type: 'agent.reduced', path, made: step, seq, at, from };
  }
  return {
    type: 'agent.prepared',
    path,
    made: undefined,
    seq: seqOf(records[prepared]),
    at: prepared,
    from: records.findIndex(
      (each) => each.kind === 'event' && each.scope === undefined && each.event.path === path,
    ),
  };
};

/** The agent that a point names, and the index after the point. */
const placeAt = (
  records: readonly JournalRecord[],
  point: RunPoint | undefined,
): { readonly path: string; readonly end: number } => {
  const [began] = records;
  const root = began?.kind === 'began' ? began.agent : '';
  const end = recordsUpTo(records, point).length;
  if (point === undefined || 'step' in point) return { path: root, end };
  const record = records[end];
  if (record?.kind !== 'event') return { path: root, end };
  const { path } = record.event;
  if (record.scope !== undefined)
    throw refusal(`'${path}' is run by a call of an agent: change the result of that call`);
  // The actor of a call has its agent's address, with a part of its own.
  return { path: path.split('/~')[0] ?? path, end: end + 1 };
};

type EventOf<Type extends Happened['event']['type']> = Extract<Happened['event'], { readonly type: Type }>;

const isOf = <Type extends Happened['event']['type']>(
  record: JournalRecord | undefined,
  path: string,
  type: Type,
): record is Happened & { readonly event: EventOf<Type> } =>
  record?.kind === 'event' &&
  record.scope === undefined &&
  record.event.path === path &&
  record.event.type === type;

const isBeginning = (record: JournalRecord, path: string, step: number): boolean =>
  isOf(record, path, 'phase.entered') &&
  record.event.step === step &&
  (record.event.phase === 'OBSERVE' || record.event.phase === 'DECIDE');

/** Checks whether a model's refusal, or too many unfit answers, ended the run in a step before its rules were asked. */
const hasEndedBefore = (records: readonly JournalRecord[], path: string, step: number): boolean => {
  const isUndecided = records.some(
    (each) =>
      isOf(each, path, 'agent.decided') &&
      each.event.step === step &&
      (each.event.decision.kind === 'refused' || each.event.decision.kind === 'again'),
  );
  return (
    isUndecided &&
    records.some(
      (each) =>
        isOf(each, path, 'agent.checked') &&
        each.event.step === step &&
        (each.event.stopReason?.kind === 'refused' || each.event.stopReason?.kind === 'failed'),
    )
  );
};

const seqOf = (record: JournalRecord | undefined): number =>
  record?.kind === 'event' ? record.event.seq : 0;

const refusal = (reason: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot change the state at that point of the run as ${reason}`);
