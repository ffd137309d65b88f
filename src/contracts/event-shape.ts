import * as z from 'zod';
import type { Json } from './json.ts';
import type { StopReason } from './stop.ts';
import { isStopKind } from './stop.ts';

/** The version of every event written by this release; readers refuse what they do not know. */
export const EVENT_VERSION = 1;

export const json: z.ZodType<Json> = z.json();
export const text = z.string();
export const count = z.number().int().nonnegative();

/** What every event tells, beside its own. */
export const base = {
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

export const status = z.enum(['completed', 'stopped', 'aborted', 'failed']);
export const stopReason = z.looseObject({ kind: z.custom<StopReason['kind']>(isStopKind) });

/** The schema of one type of event. */
export const event = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.object({ ...base, type: z.literal(type), ...shape });
