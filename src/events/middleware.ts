import type { Observable } from 'rxjs';
import { concat, defer, EMPTY, mergeMap } from 'rxjs';
import type { LiveEvent } from '../contracts/event.ts';

/** A step on the way from a run to whoever watches it: it may change events, leave some out, or put some in. Any RxJS operator is one. */
export type EventMiddleware = (events$: Observable<LiveEvent>) => Observable<LiveEvent>;

/**
 * Several steps as one, in the order given: what the first gives, the second gets.
 *
 * @example
 * handle.events$.pipe(through(under('desk/writer'), shopEvents.middleware)).subscribe(draw);
 */
export const through =
  (...steps: readonly EventMiddleware[]): EventMiddleware =>
  (events$) =>
    steps.reduce((so, step) => step(so), events$);

/** What is to be done around an event; either part may be missing. */
export interface AroundEvent {
  readonly before?: ((event: LiveEvent) => void) | undefined;
  readonly after?: ((event: LiveEvent) => void) | undefined;
}

/**
 * A step that changes nothing, and does something before an event goes on and after all behind it have had it: of two in a row, the
 * first is before first, and after last. What is pulled, or buffered, goes on later than that. What a part throws ends the stream.
 *
 * @example
 * const timed = around({ before: () => console.time('drawing'), after: () => console.timeEnd('drawing') });
 * handle.events$.pipe(timed).subscribe(draw);
 */
export const around = ({ before, after }: AroundEvent): EventMiddleware =>
  mergeMap((event) => {
    before?.(event);
    if (after === undefined) return [event];
    const then = defer(() => {
      after(event);
      return EMPTY;
    });
    return concat([event], then);
  });
