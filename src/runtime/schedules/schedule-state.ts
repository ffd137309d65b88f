import * as z from 'zod/mini';
import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';

const ruleSchema = z.object({
  agent: z.string(),
  /** As it was given. */
  when: z.optional(
    z.union([
      z.object({ cron: z.string(), zone: z.string() }),
      z.object({ everyMs: z.number() }),
      z.object({ at: z.number() }),
      z.object({ afterMs: z.number() }),
    ]),
  ),
  thread: z.optional(z.string()),
  missed: z.enum(['once', 'all', 'drop']),
  overlap: z.enum(['skip', 'queue']),
  backlog: z.number(),
});

/** The options of a schedule, as they are stored. */
export type ScheduleRule = z.infer<typeof ruleSchema>;

const definitionSchema = z.object({
  rule: ruleSchema,
  /** Only times after that are due. */
  after: z.number(),
  /** The one due time of a schedule that has one. */
  at: z.optional(z.number()),
});

const pendingSchema = z.object({ key: z.string(), at: z.number(), isMessage: z.boolean() });

/** A due time or a message that is to become a run, or is one that has not ended. */
export type Pending = z.infer<typeof pendingSchema>;

const stateSchema = z.object({
  definition: z.optional(definitionSchema),
  isPaused: z.boolean(),
  /** All due times up to that one are decided. */
  decidedTo: z.number(),
  pending: z.array(pendingSchema),
  last: z.optional(z.string()),
});

/** A schedule: the fold of the entries of its log. */
export type ScheduleState = z.infer<typeof stateSchema>;

/** The entries of a schedule's log. */
export const entrySchema = onDemand(() =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('defined'), ...definitionSchema.shape }),
    z.object({ type: z.literal('paused') }),
    z.object({ type: z.literal('resumed') }),
    /** Due times up to `to` are decided: those in `start` become runs. */
    z.object({ type: z.literal('decided'), to: z.number(), start: z.array(z.number()) }),
    z.object({ type: z.literal('message'), key: z.string(), at: z.number() }),
    z.object({ type: z.literal('ended'), key: z.string() }),
    z.object({ type: z.literal('base'), state: stateSchema }),
    z.object({ type: z.literal('sealed') }),
  ]),
);

/** An entry of a schedule's log. */
export type ScheduleEntry = z.infer<ReturnType<typeof entrySchema>>;

/** The state of a schedule that is not defined. */
export const undefinedSchedule: ScheduleState = { isPaused: false, decidedTo: 0, pending: [] };

/**
 * Folds an entry into a schedule. Processes append what they found to be due without knowing of each other; the order of the log decides:
 *
 * I1 A due time is decided by the first entry whose `to` reaches it, and by no other.
 * I2 With `overlap: 'skip'`, nothing is added to what is pending; what one entry adds runs one after the other.
 * I3 Nothing is pending beyond the backlog.
 * I4 While it is paused nothing is decided: what was due meanwhile is found by the first look after it.
 */
export const foldEntry = (state: ScheduleState, entry: ScheduleEntry): ScheduleState => {
  const { definition, pending, decidedTo, isPaused } = state;
  switch (entry.type) {
    case 'defined': {
      // Of two processes that add the same schedule at once, the first says from when.
      if (definition !== undefined && isSameRule(definition.rule, entry.rule)) return state;
      const { type: _, ...defined } = entry;
      return { ...state, definition: defined };
    }
    case 'paused':
      return { ...state, isPaused: true };
    case 'resumed':
      return { ...state, isPaused: false };
    case 'decided': {
      if (definition === undefined || isPaused || entry.to <= decidedTo) return state;
      const { overlap, backlog } = definition.rule;
      const isFree = pending.length === 0 || overlap === 'queue';
      const fresh = isFree ? entry.start.filter((at) => at > decidedTo) : [];
      const added = fresh.slice(0, Math.max(0, backlog - pending.length)).map(pendingTime);
      return { ...state, decidedTo: entry.to, pending: [...pending, ...added] };
    }
    case 'message': {
      const { key, at } = entry;
      const isRefused =
        definition === undefined ||
        pending.length >= definition.rule.backlog ||
        pending.some((other) => other.key === key);
      return isRefused ? state : { ...state, pending: [...pending, { key, at, isMessage: true }] };
    }
    case 'ended':
      if (!pending.some(({ key }) => key === entry.key)) return state;
      return { ...state, pending: pending.filter(({ key }) => key !== entry.key), last: entry.key };
    case 'base':
    case 'sealed':
      return state;
  }
};

/** The key of a due time: the time itself, in UTC. */
export const keyOf = (at: number): string => new Date(at).toISOString();

const pendingTime = (at: number): Pending => ({ key: keyOf(at), at, isMessage: false });

/** Checks whether two rules are the same. */
const isSameRule = (one: ScheduleRule, other: ScheduleRule): boolean =>
  canonical(toJson(one)) === canonical(toJson(other));
