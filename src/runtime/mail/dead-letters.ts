import type { Observable } from 'rxjs';
import type { DeadLetter } from '../../contracts/messages/message.ts';
import { SafeObservable } from '../../events/stream/safe-observable.ts';
import { SubscriberWatch } from '../log/subscriber-watch.ts';
import type { Run } from '../run/run.ts';

/** Number of past dead letters that a new subscriber receives. */
const KEPT = 10_000;

/** The undeliverable messages of a run. A failing subscriber does not affect the run. */
export const deadLettersOf = (run: Run): Observable<DeadLetter> =>
  new SafeObservable<DeadLetter>(
    (observer, thrown) => {
      run.observerFailed(observer, thrown);
    },
    (subscriber) => {
      // Past events are emitted synchronously by `watch`.
      let before: DeadLetter[] | undefined = [];
      let isOver = false;
      const leave = run.log.stream.watch(
        new SubscriberWatch(
          { name: 'deadLetters', wantsDeltas: false },
          subscriber,
          (event) => {
            if (event.type !== 'message.dropped') return;
            const { to, from, text, id, reason, count, at } = event;
            const known = { ...(id === undefined ? {} : { id }), ...(count === undefined ? {} : { count }) };
            const letter: DeadLetter = { to, from, text, reason, at, ...known };
            if (before === undefined) subscriber.next(letter);
            else before.push(letter);
          },
          () => {
            isOver = true;
            if (before === undefined) subscriber.complete();
          },
        ),
      );
      const kept = before.slice(-KEPT);
      before = undefined;
      for (const letter of kept) subscriber.next(letter);
      if (isOver) subscriber.complete();
      return leave;
    },
  );
