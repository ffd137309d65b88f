import * as z from 'zod';
import type { Json } from './json.ts';
import { onDemand } from './on-demand.ts';
import type { StopReason } from './stop.ts';
import { isStopKind } from './stop.ts';

/** The version of every event written by this release; readers refuse what they do not know. */
export const EVENT_VERSION = 1;

/** The parts that schemas of events are made of. */
export const eventShape = onDemand(() => {
  const json: z.ZodType<Json> = z.json();
  const text = z.string();
  const count = z.number().int().nonnegative();
  /** What every event tells, beside its own. */
  const base = {
    v: z.literal(EVENT_VERSION),
    /** From 0, without gaps, over the whole run. */
    seq: count,
    /** By the run's clock, ms since 1970; never falls. */
    at: z.number(),
    runId: text,
    /** Where the actor sits: `desk/researcher-1`. */
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
