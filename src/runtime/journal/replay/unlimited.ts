import type { Recorded } from '../../../contracts/journals/journal-record.ts';

const UNLIMITED = 'Infinity';

/** Limits as JSON, which has no Infinity: a lifted limit must not come back as the default. */
export const recordLimits = <Limits extends object>(limits: Limits): Recorded<Limits> =>
  mapLimits(limits, (limit) => (limit === Infinity ? UNLIMITED : limit)) as Recorded<Limits>;

/** Limits as they were before they were recorded. */
export const asGiven = <Limits extends object>(limits: Recorded<Limits>): Limits =>
  mapLimits(limits, (limit) => (limit === UNLIMITED ? Infinity : limit)) as Limits;

const mapLimits = (limits: object, change: (limit: unknown) => unknown): unknown =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, change(limit)]));
