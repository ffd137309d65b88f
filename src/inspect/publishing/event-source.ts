import type { Observable } from 'rxjs';
import type { Clock } from '../../contracts/clock.ts';
import type { LiveEvent } from '../../contracts/event.ts';
import { buffered } from '../../events/buffered.ts';
import type { EventMiddleware } from '../../events/middleware.ts';
import { through } from '../../events/middleware.ts';
import type { BufferOptions } from '../../events/overflow-buffer.ts';
import type { Secrets } from '../../policy/redaction.ts';
import { eventRedactor } from './event-redactor.ts';
import { pulledThrough } from './pulled-through.ts';

/** Where events come from: the handle of a run is one. */
export interface EventSource extends AsyncIterable<LiveEvent> {
  readonly events$: Observable<LiveEvent>;
}

/**
 * How events are sent. Unless `capacity` or `overflow` say otherwise, the run's log is read at the pace of whoever receives it, and only
 * deltas can be lost; with them, all events wait in one buffer.
 */
export interface StreamOptions extends BufferOptions {
  /** What events go through first, in order. */
  readonly middleware?: readonly EventMiddleware[] | undefined;
  /** What must not be seen, by name. Default: the environment's keys, tokens, secrets and passwords. */
  readonly secrets?: Secrets | undefined;
  /** What heartbeats go by. Default: the machine's own. */
  readonly clock?: Clock | undefined;
}

/** The events of a source to pull, as they may be seen outside; `return()` lets go of the source. */
export const openSource = (
  source: EventSource,
  { middleware = [], secrets, capacity, overflow }: StreamOptions,
): AsyncIterator<LiveEvent, undefined> => {
  const pulled: AsyncIterator<LiveEvent> =
    capacity === undefined && overflow === undefined
      ? source[Symbol.asyncIterator]()
      : buffered(source.events$, { capacity, overflow });
  const events = middleware.length === 0 ? pulled : pulledThrough(pulled, through(...middleware));
  return flattened(events, eventRedactor(secrets));
};

/**
 * What `make` makes of each item, one after the other. No generator: `return()` has to reach a source that is waited for at the
 * moment.
 */
export const flattened = <T, R>(
  items: AsyncIterator<T>,
  make: (item: T) => readonly R[],
): AsyncIterator<R, undefined> => {
  const made: R[] = [];
  const next = async (): Promise<IteratorResult<R, undefined>> => {
    for (;;) {
      const value = made.shift();
      if (value !== undefined) return { value, done: false };
      const pulled = await items.next();
      if (pulled.done === true) return { value: undefined, done: true };
      made.push(...make(pulled.value));
    }
  };
  return {
    next,
    return: async () => {
      await items.return?.();
      return { value: undefined, done: true };
    },
  };
};
