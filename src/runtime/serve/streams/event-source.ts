import { isObject } from '../../../base/schemas/option-schemas.ts';
import type { Clock } from '../../../base/clock.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import type { Subscribable } from '../../../events/stream/buffered.ts';
import { buffered } from '../../../events/stream/buffered.ts';
import type { EventMiddleware } from '../../../events/stream/middleware.ts';
import { through } from '../../../events/stream/middleware.ts';
import type { BufferOptions } from '../../../events/stream/overflow-buffer.ts';
import type { Secrets } from '../../../policy/redaction.ts';
import { eventRedactor } from './event-redactor.ts';
import { pullThrough } from './pull-through.ts';

/** A source of events, such as the handle of a run, or a run of a server. */
export interface EventSource extends AsyncIterable<LiveEvent> {
  readonly events$: Subscribable<LiveEvent>;
}

/**
 * Options of sending events. By default the run's log is read at the receiver's pace, and only deltas can be lost; with
 * `capacity` or `overflow`, all events wait in one buffer.
 */
export interface StreamOptions extends BufferOptions {
  /** Applied to events in order. */
  readonly middleware?: readonly EventMiddleware[] | undefined;
  /** Secrets to redact, by name. Default: the environment's keys, tokens, secrets and passwords. */
  readonly secrets?: Secrets | undefined;
  /** The clock for heartbeats. Default: the machine's own. */
  readonly clock?: Clock | undefined;
}

/** Pulls the events of a source, processed and redacted; `return()` releases the source. */
export const openSource = (
  source: EventSource,
  { middleware = [], secrets, capacity, overflow }: StreamOptions,
): AsyncIterator<LiveEvent, undefined> => {
  if (!isObject(source) || !('events$' in source) || !(Symbol.asyncIterator in source))
    throw new TroupeError(
      'input.invalid',
      `Cannot send events of what is not the handle of a run, as agent.stream() returns it: found ${foundText(source)}`,
    );
  const pulled: AsyncIterator<LiveEvent> =
    capacity === undefined && overflow === undefined
      ? source[Symbol.asyncIterator]()
      : buffered(source.events$, { capacity, overflow });
  const events = middleware.length === 0 ? pulled : pullThrough(pulled, through(...middleware));
  return flatMapItems(events, eventRedactor(secrets));
};

/** Maps each item to several, in order. Not a generator: `return()` must reach a source that is being awaited. */
export const flatMapItems = <T, R>(
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
