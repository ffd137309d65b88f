import { TroupeError } from '../../../contracts/error.ts';
import type { Arrived, JournalRecord } from '../../../contracts/journal-record.ts';

/** A point of a run: before a step of its root, or before the event of that number. */
export type RunPoint = { readonly step: number } | { readonly seq: number };

/** The records up to a point. */
export const recordsUpTo = (
  records: readonly JournalRecord[],
  point: RunPoint | undefined,
): readonly JournalRecord[] => (point === undefined ? records : records.slice(0, indexOf(records, point)));

/** What came before a point, so that what is done at it can still be changed. */
export interface Parting {
  /** What is shared. */
  readonly records: readonly JournalRecord[];
  /** The answer that brought the run to the point: it is told again, after what is changed. */
  readonly inHand: Arrived | undefined;
  /** The number of the first event that comes after what is shared. */
  readonly seq: number;
}

/**
 * Where a fork at a point parts from its run: before the last answer that led there, as the machine goes on to the point in
 * one move when it is told that.
 */
export const partingAt = (records: readonly JournalRecord[], point: RunPoint | undefined): Parting => {
  const end = point === undefined ? records.length : indexOf(records, point);
  const last = point === undefined ? -1 : lastAnswerBefore(records, end);
  const shared = records.slice(0, last < 0 ? end : last);
  const inHand = records[last];
  const events = shared.filter(({ kind }) => kind === 'event').length;
  return { records: shared, inHand: inHand?.kind === 'arrived' ? inHand : undefined, seq: events };
};

/** The answer in the run's own scope from which everything up to `end` follows; -1 where something else came in since. */
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
    'command.usage',
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
