import type { Observable, Subscriber } from 'rxjs';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { OnFailure } from '../../events/hooks/failure-reporter.ts';
import { failureReporter, isAboutObservers } from '../../events/hooks/failure-reporter.ts';
import { SafeObservable } from '../../events/stream/safe-observable.ts';
import { SubscriberWatch } from '../log/subscriber-watch.ts';
import type { Run } from '../run/run.ts';

/**
 * The events of all runs of an engine as one stream.
 *
 * It observes runs only while it has subscribers. A failing subscriber is reported in the run whose event it failed on, as
 * `observer.failed`.
 */
export class EngineEvents {
  /** Past and future events of the running runs; completes when the engine is closed. */
  readonly events$: Observable<LiveEvent>;
  /** By run, its function for reporting failed observers. */
  readonly #runs = new Map<Run, OnFailure>();
  readonly #subscribers = new Set<Subscriber<LiveEvent>>();
  #isComplete = false;
  /** The last emitted event and its run. */
  #emitting: { readonly run: Run; readonly event: LiveEvent } | undefined;

  constructor() {
    this.events$ = new SafeObservable<LiveEvent>(
      (observer, error) => {
        const emitting = this.#emitting;
        if (emitting !== undefined && !isAboutObservers(emitting.event))
          this.#runs.get(emitting.run)?.(observer, error);
      },
      (subscriber) => {
        if (this.#isComplete) {
          subscriber.complete();
          return;
        }
        this.#subscribers.add(subscriber);
        subscriber.add(() => this.#subscribers.delete(subscriber));
        for (const run of this.#runs.keys()) this.#attach(run, subscriber);
      },
    );
  }

  add(run: Run): void {
    this.#runs.set(
      run,
      failureReporter((observer, error) => {
        run.observerFailed(observer, error);
      }),
    );
    for (const subscriber of this.#subscribers) this.#attach(run, subscriber);
  }

  remove(run: Run): void {
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.#emitting = undefined;
  }

  complete(): void {
    this.#isComplete = true;
    for (const subscriber of this.#subscribers) subscriber.complete();
  }

  #attach(run: Run, subscriber: Subscriber<LiveEvent>): void {
    let detach = (): void => undefined;
    detach = run.log.stream.watch(
      new SubscriberWatch(
        { name: 'subscriber', wantsDeltas: true },
        subscriber,
        (event) => {
          this.#emitting = { run, event };
          subscriber.next(event);
        },
        () => {
          subscriber.remove(detach);
        },
      ),
    );
    subscriber.add(detach);
  }
}
