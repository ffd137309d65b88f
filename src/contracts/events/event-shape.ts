import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import { isStopKind } from '../agents/stop-reason.ts';

/** The version of every event written by this release; readers refuse unknown versions. */
export const EVENT_VERSION = 1;

/** Earlier names of events, with their names now. */
const RENAMED: Readonly<Record<string, string>> = { 'model.fellBack': 'model.fell-back' };

/** An event of an earlier release under its name of now; any other value is returned unchanged. */
export const withCurrentName = (event: unknown): unknown => {
  if (typeof event !== 'object' || event === null || !('type' in event)) return event;
  const { type } = event;
  const name = typeof type === 'string' && Object.hasOwn(RENAMED, type) ? RENAMED[type] : undefined;
  return name === undefined ? event : { ...event, type: name };
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
