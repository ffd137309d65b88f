import type { TimeRule } from './due-times.ts';
import type { ScheduleOptions, When } from './schedule.ts';
import type { ScheduleRule, ScheduleState } from './schedule-state.ts';

/** A schedule's definition in its log. */
type Definition = NonNullable<ScheduleState['definition']>;

/** The options of a schedule as they are stored, with the times from which it is due. */
export const defineSchedule = <Input>(
  { agent, when, thread, missed = 'once', overlap = 'skip', backlog = 100 }: ScheduleOptions<Input>,
  now: number,
): Definition => {
  const stored = storedWhen(when);
  const rule: ScheduleRule = {
    agent: agent.name,
    ...(stored === undefined ? {} : { when: stored }),
    ...(thread === undefined ? {} : { thread }),
    missed,
    overlap,
    backlog,
  };
  const at = onlyTimeOf(stored, now);
  return at === undefined ? { rule, after: now } : { rule, after: at - 1, at };
};

const storedWhen = (when: When | undefined): ScheduleRule['when'] => {
  if (when === undefined) return undefined;
  if ('cron' in when) return { cron: when.cron, zone: when.zone ?? 'UTC' };
  if ('at' in when) return { at: Number(when.at) };
  return 'everyMs' in when ? { everyMs: when.everyMs } : { afterMs: when.afterMs };
};

const onlyTimeOf = (when: ScheduleRule['when'], now: number): number | undefined => {
  if (when === undefined) return undefined;
  if ('at' in when) return when.at;
  return 'afterMs' in when ? now + when.afterMs : undefined;
};

/** The rule by which a definition is due; undefined for a queue. */
export const timeRuleOf = ({ rule: { when }, at }: Definition): TimeRule | undefined => {
  if (when === undefined) return undefined;
  if ('cron' in when || 'everyMs' in when) return when;
  return at === undefined ? undefined : { at };
};
