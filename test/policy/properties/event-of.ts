import type { EventBody, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import type { Property, Violation } from '../../../src/contracts/properties/property.ts';
import { PropertyMonitor } from '../../../src/policy/properties/property-monitor.ts';

/** An event of a run, with its number. */
export const eventOf = (
  seq: number,
  body: EventBody,
  at: Partial<Pick<RuntimeEvent, 'path' | 'agent' | 'step'>> = {},
): RuntimeEvent =>
  ({
    v: 1,
    seq,
    at: seq,
    runId: 'r',
    path: 'clerk',
    agent: 'clerk',
    step: 0,
    ...at,
    ...body,
  }) as RuntimeEvent;

export const started = (tool: string, input: string | number = '', callId = `call_${tool}`): EventBody => ({
  type: 'tool.started',
  callId,
  tool,
  input: { to: input },
  description: '',
  attempt: 1,
});

export const approved = (tool: string): EventBody => ({
  type: 'tool.approved',
  id: 'a',
  callId: `call_${tool}`,
  tool,
});

export const over: EventBody = {
  type: 'run.ended',
  status: 'completed',
  stopReason: { kind: 'answered' },
  totals: {
    steps: 0,
    modelCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    retries: 0,
    durationMs: 0,
  },
};

/** The violations of a run with these events. */
export const judge = (property: Property, ...bodies: readonly EventBody[]): readonly Violation[] => {
  const monitor = new PropertyMonitor([property]);
  // Each is a call of its own.
  const events = bodies.map((body, seq) =>
    eventOf(seq, body.type === 'tool.started' ? { ...body, callId: `call_${seq}` } : body),
  );
  return events.flatMap((event) => monitor.take(event));
};

/** The numbers of the events that violate a property. */
export const violated = (property: Property, ...bodies: readonly EventBody[]): readonly number[] =>
  judge(property, ...bodies).map(({ seq }) => seq);
