import type { Observable, Subscriber } from 'rxjs';
import type { LiveEvent } from '../../contracts/event.ts';
import type { OnFailure } from '../../events/failure-reporter.ts';
import { failureReporter, isAboutObservers } from '../../events/failure-reporter.ts';
import { SafeObservable } from '../../events/safe-observable.ts';
import type { Run } from '../run/run.ts';

/**
 * The events of all runs of an engine as one stream, for everybody who watches it.
 *
 * It watches runs only while somebody watches it. An observer that fails is reported in the run whose event it failed
 * on, as `observer.failed`.
 */
export class EngineEvents {
  /** Of the runs under way what has happened, then whatever happens; completes when the engine is closed. */
  readonly events$: Observable<LiveEvent>;
  /** With what tells a run of observers that failed on it. */
  readonly #runs = new Map<Run, OnFailure>();
  readonly #subscribers = new Set<Subscriber<LiveEvent>>();
  #isComplete = false;
  /** Whose event was handed out last, and which. */
  #speaking: { readonly run: Run; readonly event: LiveEvent } | undefined;

  constructor() {
    this.events$ = new SafeObservable<LiveEvent>(
      (observer, error) => {
        const speaking = this.#speaking;
        if (speaking !== undefined && !isAboutObservers(speaking.event))
          this.#runs.get(speaking.run)?.(observer, error);
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
    if (this.#runs.size === 0) this.#speaking = undefined;
  }

  complete(): void {
    this.#isComplete = true;
    for (const subscriber of this.#subscribers) subscriber.complete();
  }

  #attach(run: Run, subscriber: Subscriber<LiveEvent>): void {
    let detach = (): void => undefined;
    detach = run.log.stream.watch({
      name: 'subscriber',
      wantsDeltas: true,
      get closed() {
        return subscriber.closed;
      },
      next: (event) => {
        this.#speaking = { run, event };
        subscriber.next(event);
      },
      complete: () => {
        subscriber.remove(detach);
      },
    });
    subscriber.add(detach);
  }
}
