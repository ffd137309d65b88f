import type { Recorded } from '../../../contracts/journals/journal-record.ts';

const UNLIMITED = 'Infinity';

/** Limits as JSON, which has no Infinity: a lifted limit must not come back as the default. */
export const recorded = <Limits extends object>(limits: Limits): Recorded<Limits> =>
  mapped(limits, (limit) => (limit === Infinity ? UNLIMITED : limit)) as Recorded<Limits>;

/** Limits as they were before they were recorded. */
export const asGiven = <Limits extends object>(limits: Recorded<Limits>): Limits =>
  mapped(limits, (limit) => (limit === UNLIMITED ? Infinity : limit)) as Limits;

const mapped = (limits: object, change: (limit: unknown) => unknown): unknown =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, change(limit)]));
