import { Subject } from 'rxjs';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import type { EventMiddleware } from '../../../events/stream/middleware.ts';

/**
 * Applies a middleware to pulled events: the next is pulled only when the results of the one before are consumed, so
 * that nothing piles up or is lost. Events that it emits asynchronously are taken as they come.
 */
export const pullThrough = (
  events: AsyncIterator<LiveEvent>,
  middleware: EventMiddleware,
): AsyncIterator<LiveEvent, undefined> => {
  const source = new Subject<LiveEvent>();
  const ready: LiveEvent[] = [];
  let end: { readonly error?: unknown } | undefined;
  let hasMore = true;
  let pulling: Promise<void> | undefined;
  let wake: () => void = () => undefined;

  const ended = (how: { readonly error?: unknown }): void => {
    end ??= how;
    wake();
  };
  const following = middleware(source).subscribe({
    next: (event) => {
      ready.push(event);
      wake();
    },
    error: (error: unknown) => {
      ended({ error });
    },
    complete: () => {
      ended({});
    },
  });
  const pull = async (): Promise<void> => {
    try {
      const next = await events.next();
      hasMore = next.done !== true;
      if (next.done === true) source.complete();
      else source.next(next.value);
    } catch (error) {
      hasMore = false;
      source.error(error);
    }
    pulling = undefined;
  };
  const leave = async (): Promise<IteratorReturnResult<undefined>> => {
    following.unsubscribe();
    if (hasMore) await events.return?.();
    hasMore = false;
    return { value: undefined, done: true };
  };
  const next = async (): Promise<IteratorResult<LiveEvent, undefined>> => {
    for (;;) {
      const event = ready.shift();
      if (event !== undefined) return { value: event, done: false };
      if (end !== undefined) {
        const failure = end;
        end = {};
        const left = await leave();
        if ('error' in failure) throw failure.error;
        return left;
      }
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await (hasMore ? Promise.race([woken, (pulling ??= pull())]) : woken);
    }
  };
  return {
    next,
    return: () => {
      ended({});
      return leave();
    },
  };
};
