import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Arrived, ForkPoint, JournalRecord } from '../../../contracts/journals/journal-record.ts';

/** A point of a run: before a step of its root, or before the event of that number. */
export type RunPoint = { readonly step: number } | { readonly seq: number };

/** The records before a point. */
export const recordsUpTo = (
  records: readonly JournalRecord[],
  point: RunPoint | undefined,
): readonly JournalRecord[] => (point === undefined ? records : records.slice(0, indexOf(records, point)));

/** A fork's share of a run. */
export interface Parting {
  /** The shared records. */
  readonly records: readonly JournalRecord[];
  /** The answer that led to the point: delivered again after the changes. */
  readonly inHand: Arrived | undefined;
  /** Number of the first event that is not shared. */
  readonly seq: number;
}

/** Splits a run at a point: before the last answer that led there, as the machine moves from that answer to the point in one transition. */
export const partingAt = (records: readonly JournalRecord[], point: RunPoint | undefined): Parting => {
  const end = point === undefined ? records.length : indexOf(records, point);
  const last = point === undefined ? -1 : lastAnswerBefore(records, end);
  const shared = records.slice(0, last < 0 ? end : last);
  const inHand = records[last];
  const events = shared.filter(({ kind }) => kind === 'event').length;
  return { records: shared, inHand: inHand?.kind === 'arrived' ? inHand : undefined, seq: events };
};

/** The agent and the step that a run is forked at. */
export const placeOf = (
  records: readonly JournalRecord[],
  point: RunPoint | undefined,
): Pick<ForkPoint, 'path' | 'step'> => {
  const found =
    point === undefined
      ? records.findLast((each) => each.kind === 'event' && each.event.step !== undefined)
      : records[indexOf(records, point)];
  if (found?.kind !== 'event') return {};
  const { path, step } = found.event;
  return { path, ...(step === undefined ? {} : { step }) };
};

/** Index of the answer in the run's own scope from which everything up to `end` follows; -1 if something else arrived since. */
const lastAnswerBefore = (records: readonly JournalRecord[], end: number): number => {
  for (let index = end - 1; index > 0; index -= 1) {
    const record = records[index];
    if (record?.kind === 'event' && record.tick === undefined && record.scope === undefined) continue;
    const isAnswer =
      record?.kind === 'arrived' &&
      record.scope === undefined &&
      (record.arrival.type === 'answered' || record.arrival.type === 'failed');
    return isAnswer ? index : -1;
  }
  return -1;
};

const indexOf = (records: readonly JournalRecord[], point: RunPoint): number => {
  const index = records.findIndex((record, at) => record.kind === 'event' && isAt(records, at, point));
  if (index >= 0) return index;
  const wanted = 'step' in point ? `step ${point.step}` : `event ${point.seq}`;
  const [began] = records;
  const runId = began?.kind === 'began' ? began.runId : '';
  const found = `${records.filter(({ kind }) => kind === 'event').length} events`;
  throw new TroupeError(
    'journal.point-unknown',
    `Cannot go to ${wanted} of run '${runId}' as it has none: found ${found}`,
    {
      runId,
    },
  );
};

/** Checks whether the record at `index` is the first event at a point. */
const isAt = (records: readonly JournalRecord[], index: number, point: RunPoint): boolean => {
  const record = records[index];
  if (record?.kind !== 'event') return false;
  if ('seq' in point) return record.event.seq === point.seq;
  const { path, step, phase, type } = record.event;
  const isRoot = !path.includes('/');
  return (
    isRoot && type === 'phase.entered' && step === point.step && (phase === 'OBSERVE' || phase === 'DECIDE')
  );
};
