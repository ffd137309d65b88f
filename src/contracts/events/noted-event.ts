import type { EventBody, RuntimeEvent } from './event.ts';
import { EVENT_VERSION } from './event-version.ts';

/** The agent that an event is about, and when: shared by those that are written in a row. */
export interface EventMoment {
  readonly path: string;
  readonly agent: string;
  readonly at: number;
  readonly step: number | undefined;
  readonly phase: string | undefined;
}

/** An event in parts, as a log has it: references to values that never change, with the run's secrets in them. */
export interface NotedEvent {
  readonly seq: number;
  readonly body: EventBody;
  readonly moment: EventMoment;
}

/** Builds an event of its parts. */
export const builtEvent = (
  runId: string,
  { seq, body, moment: { path, agent, at, step, phase } }: NotedEvent,
): RuntimeEvent =>
  // A body with the common fields is an event of its type.
  ({
    v: EVENT_VERSION,
    seq,
    at,
    runId,
    path,
    agent,
    ...(step === undefined ? undefined : { step }),
    ...(phase === undefined ? undefined : { phase }),
    ...body,
  }) as RuntimeEvent;
