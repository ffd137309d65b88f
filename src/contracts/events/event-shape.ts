import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import { isStopKind } from '../agents/stop-reason.ts';
import { EVENT_VERSION } from './event-version.ts';

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
