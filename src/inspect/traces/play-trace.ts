import type { Clock } from '../../base/clock.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';

/** The options of a playback. */
export interface PlayOptions {
  /** The speed, as a multiple of what it was. Default 1. */
  readonly speed?: number | undefined;
  /** Nothing is waited for longer than that, in ms. Default 2,000. */
  readonly longestMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

const realClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => {
    clearTimeout(handle as NodeJS.Timeout);
  },
};

/**
 * The events of a run as they came, with the time between them, or a part of it. Nothing is executed.
 *
 * @example
 * for await (const event of playTrace(trace, { speed: 10 })) console.log(activityOf(event)?.line);
 */
export async function* playTrace(
  { events }: { readonly events: readonly RuntimeEvent[] },
  { speed = 1, longestMs = 2_000, clock = realClock, signal }: PlayOptions = {},
): AsyncGenerator<RuntimeEvent, void, undefined> {
  let before = events[0]?.at ?? 0;
  for (const event of events) {
    const ms = Math.min(longestMs, (event.at - before) / speed);
    before = event.at;
    if (ms > 0) await waitFor(ms, clock, signal);
    if (signal?.aborted === true) return;
    yield event;
  }
}

const waitFor = (ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted === true) done();
  });
