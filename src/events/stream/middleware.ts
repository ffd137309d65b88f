import type { Observable } from 'rxjs';
import { concat, defer, EMPTY, mergeMap } from 'rxjs';
import type { LiveEvent } from '../../contracts/events/event.ts';

/** A step between a run and its observers: it may change, drop or add events. Any RxJS operator is one. */
export type EventMiddleware = (events$: Observable<LiveEvent>) => Observable<LiveEvent>;

/**
 * Combines steps in the order given.
 *
 * @example
 * handle.events$.pipe(through(under('desk/writer'), shopEvents.middleware)).subscribe(draw);
 */
export const through =
  (...steps: readonly EventMiddleware[]): EventMiddleware =>
  (events$) =>
    steps.reduce((so, step) => step(so), events$);

/** Callbacks around an event; each is optional. */
export interface AroundEvent {
  readonly before?: ((event: LiveEvent) => void) | undefined;
  readonly after?: ((event: LiveEvent) => void) | undefined;
}

/**
 * Calls back before an event is passed on and after all later steps have handled it. Nested as functions are: of two in a row, the first is
 * called first before, and last after. Pulled or buffered events are passed on later. An exception ends the stream.
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
