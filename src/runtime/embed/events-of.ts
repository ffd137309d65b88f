import type { Observable } from 'rxjs';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import { SafeObservable } from '../../events/stream/safe-observable.ts';
import { faceOf } from './face.ts';
import { Seat } from './seat.ts';

/** Options of {@link eventsOf}. */
export interface EventsOfOptions {
  /** Number of the first event to emit. Default 0: all events. */
  readonly from?: number | undefined;
}

/**
 * The events of the run behind an actor of `agent.logic`, including past ones, which a late `actor.on` misses. Streamed deltas are included
 * from the subscription on. Completes with the run.
 *
 * @example
 * const actor = useActorRef(clerk.logic, { input });
 * useEffect(() => {
 * const subscription = eventsOf(actor, { from: lastSeen + 1 }).subscribe(show);
 * return () => subscription.unsubscribe();
 * }, [actor]);
 *
 * @throws {TroupeError} `agent.invalid` for an actor that is none of an agent or a team.
 */
export const eventsOf = (
  actor: { readonly getSnapshot: () => unknown },
  { from = 0 }: EventsOfOptions = {},
): Observable<LiveEvent> => {
  const snapshot = actor.getSnapshot();
  const home = typeof snapshot === 'object' && snapshot !== null ? faceOf(snapshot)?.home : undefined;
  if (!(home instanceof Seat))
    throw new TroupeError(
      'agent.invalid',
      'Cannot give the events of an actor that is none of an agent or a team',
    );
  return new SafeObservable<LiveEvent>(
    (observer, error) => {
      home.observerFailed(observer, error);
    },
    (subscriber) =>
      home.follow(
        from,
        (event) => {
          subscriber.next(event);
        },
        () => {
          subscriber.complete();
        },
      ),
  );
};
