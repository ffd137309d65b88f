import { expect, vi } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { type LiveEvent, type RuntimeEvent, runtimeEventSchema } from '../../src/contracts/events/event.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { mockProvider, type Reply, type SeenRequest } from './mock-provider.ts';
import { requestProblems } from './provider-valid.ts';
import { modelFor, type WireKind } from './provider-streams.ts';
import { ofType, settled, start } from './runs.ts';

/** What to run, against what. */
export interface HttpRun<Output> {
  readonly kind: WireKind;
  readonly replies: readonly Reply[];
  readonly agent: (model: Model) => Agent<string, Output>;
  readonly input?: string;
  /** Options of the run, made anew for each of the two runs. */
  readonly options?: () => RunOptions;
  /** Meddles while the run is under way; waits before retries pass by themselves. */
  readonly meanwhile?: (world: HttpWorld<Output>) => Promise<void>;
}

/** A run under way, as a test may meddle with it. */
export interface HttpWorld<Output> {
  readonly handle: RunHandle<Output>;
  readonly events: readonly LiveEvent[];
  readonly requests: readonly SeenRequest[];
  readonly hungUp: () => number;
  /** All text that was streamed so far. */
  readonly streamed: () => string;
  /** Moves the run's clock on. */
  readonly pass: (ms: number) => Promise<void>;
}

/** What came of it. */
export interface HttpOutcome<Output> {
  readonly result: RunResult<Output>;
  readonly requests: readonly SeenRequest[];
  /** The waits before model calls were repeated, as announced and as kept. */
  readonly waits: readonly number[];
  /** What a reader of the stream has before them: a key's text, unless it was taken back. */
  readonly shown: readonly string[];
  readonly hungUp: number;
}

/**
 * Runs an agent over loopback HTTP, and checks what holds for every run: every request is one that its provider takes, the log is whole, and no timer is left.
 */
export const runOverHttp = async <Output>(given: HttpRun<Output>): Promise<HttpOutcome<Output>> => {
  await using provider = await mockProvider(...given.replies);
  const clock = virtualClock();
  const agent = given.agent(modelFor(given.kind, provider));
  const handle = start(agent, given.input ?? 'What is the weather?', { clock, ...given.options?.() });
  const events: LiveEvent[] = [];
  const waits: number[] = [];
  let passing = Promise.resolve();
  // One after the other: a clock that is moved twice at once would go back.
  const pass = (ms: number): Promise<void> => (passing = passing.then(() => clock.advance(ms)));
  const askedSoFar = (): number => events.filter(({ type }) => type === 'model.asked').length;
  const subscription = handle.events$.subscribe((event) => {
    events.push(event);
    if (event.type !== 'model.retrying' && event.type !== 'tool.retrying') return;
    const asked = askedSoFar();
    if (event.type === 'model.retrying') waits.push(event.waitMs);
    if (event.waitMs === 0) void pass(0);
    else
      void pass(event.waitMs - 1).then(() => {
        if (event.type === 'model.retrying' && askedSoFar() > asked) waits.push(Number.NaN);
        return pass(1);
      });
  });
  const streamed = (): string => events.map((event) => (isTextDelta(event) ? event.delta.text : '')).join('');
  try {
    const { requests, hungUp } = provider;
    await given.meanwhile?.({ handle, events, requests, hungUp, streamed, pass });
    const result = await settled(handle);
    await passing;
    assertWhole(result);
    for (const [index, request] of requests.entries())
      expect(requestProblems(request), `request ${index}`).toEqual([]);
    expect(clock.pending).toBe(0);
    expectKept(result.events, waits);
    return { result, requests, waits, shown: shownIn(events), hungUp: hungUp() };
  } finally {
    subscription.unsubscribe();
    handle.abort();
  }
};

const isTextDelta = (
  event: LiveEvent,
): event is Extract<LiveEvent, { type: 'model.delta' }> & { delta: { type: 'text' } } =>
  event.type === 'model.delta' && event.delta.type === 'text';

/** What is on the screen of somebody who shows text as it comes and takes back what was discarded. */
const shownIn = (events: readonly LiveEvent[]): readonly string[] => {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (isTextDelta(event)) texts.set(event.key, `${texts.get(event.key) ?? ''}${event.delta.text}`);
    if (event.type === 'model.discarded') texts.delete(event.key);
  }
  return [...texts.values()];
};

/** Between a retry's announcement and the attempt lies the announced time, by the run's clock: no less. */
const expectKept = (events: readonly RuntimeEvent[], waits: readonly number[]): void => {
  const kept = events.flatMap((event, index) => {
    if (event.type !== 'model.retrying') return [];
    const next = events.slice(index).find(({ type }) => type === 'model.asked' || type === 'run.ended');
    return next?.type === 'model.asked' ? [next.at - event.at] : [event.waitMs];
  });
  expect(kept).toEqual(waits);
};

/** A log that a reader can trust: numbered, valid, begun and ended once, and in agreement with the result. */
export const assertWhole = (result: RunResult<unknown>): void => {
  const { events, totals } = result;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  for (const event of events) {
    const parsed = runtimeEventSchema.safeParse(event);
    expect(parsed.error?.issues, `event ${event.seq}, ${event.type}`).toBeUndefined();
  }
  expect(events[0]?.type).toBe('run.started');
  expect(ofType(events, 'run.ended')).toEqual([events.at(-1)]);
  const { status, stopReason } = result;
  expect(events.at(-1)).toMatchObject({ status, stopReason, totals });
  const { unpriced: _, ...counts } = totals;
  for (const total of Object.values(counts))
    expect(total).toSatisfy((count: number) => Number.isFinite(count) && count >= 0);
  const started = ofType(events, 'tool.started').map(({ callId }) => callId);
  const finished = ofType(events, 'tool.finished').map(({ callId }) => callId);
  expect(new Set(finished)).toEqual(new Set(started));
  expect(new Set(finished).size).toBe(finished.length);
  if (result.status === 'failed')
    expect(result.error).toMatchObject({
      code: expect.stringMatching(/\w/),
      message: expect.stringMatching(/^Cannot /),
      retryable: expect.stringMatching(/^(yes|maybe|no)$/),
    });
};

/** Until `condition` holds: for what goes on in real time, on a socket. */
export const until = (condition: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 30_000, interval: 2 });
