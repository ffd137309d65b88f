import type { DueTimes } from './due-times.ts';
import type { ScheduleEntry, ScheduleState } from './schedule-state.ts';

/** A decision about due times, to be appended. */
export type Decided = Extract<ScheduleEntry, { type: 'decided' }>;

/** Decides about the due times up to now that no entry has decided about; undefined if there are none. */
export const decideDue = (
  { definition, decidedTo }: ScheduleState,
  times: DueTimes,
  now: number,
  graceMs: number,
): Decided | undefined => {
  if (definition === undefined) return undefined;
  const { missed, backlog } = definition.rule;
  const after = Math.max(definition.after, decidedTo);
  const found = times.latest(after, now, missed === 'all' ? backlog : 1);
  const to = found.at(-1);
  if (to === undefined) return undefined;
  const isDropped = missed === 'drop' && now - to > graceMs;
  return { type: 'decided', to, start: isDropped ? [] : [...found] };
};

/** The next due time that no entry has decided about. */
export const nextDue = ({ definition, decidedTo }: ScheduleState, times: DueTimes): number | undefined =>
  definition === undefined ? undefined : times.next(Math.max(definition.after, decidedTo));
