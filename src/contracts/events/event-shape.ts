import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import { isStopKind } from '../agents/stop-reason.ts';
import { EVENT_VERSION } from './event-version.ts';

/** Earlier forms of events: type, field, or a value of a field. Kept for as long as journals of 0.1 replay. */
const RENAMED: Readonly<Record<string, Renamed>> = {
  'model.fellBack': { type: 'model.fell-back' },
  'session.lost': { fields: { backend: 'strategy' } },
  'task.handed-over': { fields: { context: 'sees' }, values: { isolated: 'task', full: 'conversation' } },
};

interface Renamed {
  readonly type?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** The earlier values of the renamed fields. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Returns an event of an earlier release in its form of now; any other value unchanged. */
export const inCurrentForm = (event: unknown): unknown => {
  if (typeof event !== 'object' || event === null || !('type' in event)) return event;
  const { type } = event;
  if (typeof type !== 'string' || !Object.hasOwn(RENAMED, type)) return event;
  const { type: name = type, fields = {}, values = {} } = RENAMED[type] ?? {};
  const entries = Object.entries(event).map(([field, value]: [string, unknown]) =>
    Object.hasOwn(fields, field)
      ? [fields[field], typeof value === 'string' && Object.hasOwn(values, value) ? values[value] : value]
      : [field, value],
  );
  return { ...Object.fromEntries(entries), type: name };
};

/** Returns the building blocks of event schemas. */
export const eventShape = onDemand(() => {
  const json: z.ZodType<Json> = z.json();
  const text = z.string();
  const count = z.number().int().nonnegative();
  /** The fields that every event has. */
  const base = {
    v: z.literal(EVENT_VERSION),
    /** From 0, without gaps, over the whole run. */
    seq: count,
    /** By the run's clock, ms since 1970; never falls. */
    at: z.number(),
    runId: text,
    /** Address of the actor: `desk/researcher-1`. */
    path: text,
    agent: text,
    step: count.optional(),
    phase: text.optional(),
  };
  return {
    json,
    text,
    count,
    base,
    status: z.enum(['completed', 'stopped', 'aborted', 'failed']),
    stopReason: z.looseObject({ kind: z.custom<StopReason['kind']>(isStopKind) }),
    /** The schema of one type of event. */
    event: <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
      z.object({ ...base, type: z.literal(type), ...shape }),
  };
});
