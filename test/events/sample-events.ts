import type { DeltaEvent, EventBody, LiveEvent, RuntimeEvent } from '../../src/contracts/events/event.ts';
import { runtimeEventSchema } from '../../src/contracts/events/event.ts';
import { EventStream } from '../../src/events/stream/event-stream.ts';

export const runId = 'run-1';

/** A run as the runtime sees it: it appends to the log, then publishes. */
export const sampleRun = () => {
  const log: RuntimeEvent[] = [];
  const failures: { observer: string; message: string }[] = [];
  const stream = new EventStream(log, (observer, error) => {
    failures.push({ observer, message: error instanceof Error ? error.message : String(error) });
  });
  const tell = (body: EventBody, path = 'desk', phase?: string): RuntimeEvent => {
    const event = durable(log.length, body, path, phase);
    log.push(event);
    stream.publish(event);
    return event;
  };
  const delta = (text: string, key = 'run-1/desk#0.DECIDE.0.0', path = 'desk') => {
    stream.publish(deltaOf(text, key, path));
  };
  return { log, failures, stream, tell, delta };
};

export const durable = (seq: number, body: EventBody, path = 'desk', phase?: string): RuntimeEvent =>
  runtimeEventSchema.parse({
    v: 1,
    seq,
    at: 1_000 + seq,
    runId,
    path,
    agent: path.split('/').at(-1) ?? path,
    step: 0,
    phase,
    ...body,
  });

export const deltaOf = (text: string, key: string, path = 'desk'): DeltaEvent => ({
  v: 1,
  type: 'model.delta',
  at: 1_000,
  runId,
  path,
  agent: path.split('/').at(-1) ?? path,
  key,
  delta: { type: 'text', text },
});

export const noted = (text: string): EventBody => ({ type: 'team.noted', text });

/** An event in a few letters: its seq, or the text of a delta, or what was dropped. */
export const short = (event: LiveEvent): string => {
  if (event.type === 'model.delta') return event.delta.type === 'text' ? `+${event.delta.text}` : '+';
  if (event.type === 'observer.dropped') return `-${event.count}`;
  return String(event.seq);
};

export const noTotals = {
  steps: 0,
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  retries: 0,
  durationMs: 0,
  costUsd: 0,
};
