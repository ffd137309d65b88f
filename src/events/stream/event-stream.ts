import type { Observable } from 'rxjs';
import type { DeltaEvent, LiveEvent } from '../../contracts/events/event.ts';
import { EventIterator } from './event-iterator.ts';
import type { EventSource } from './event-source.ts';
import type { OnFailure } from '../hooks/failure-reporter.ts';
import { failureReporter, isAboutObservers } from '../hooks/failure-reporter.ts';
import { SafeObservable } from './safe-observable.ts';
import { SubscriberWatcher } from './subscriber-watcher.ts';
import type { Watcher } from './watcher.ts';

/** Records failures of observers. */
export interface FailureKeeper {
  observerFailed(observer: string, error: unknown, event?: LiveEvent): void;
}

/** Keeps the answers of models that are under way, of which the log has nothing yet. */
export interface AnswerKeeper {
  answersSoFar(): readonly DeltaEvent[];
}

interface Publication {
  readonly event: LiveEvent;
  /** Watchers at the time of publication: later ones read the event from the log. */
  readonly audience: readonly Watcher[];
}

/**
 * The events of one run for its observers.
 *
 * The runtime appends a durable event to `log` and then publishes it; the stream reads the log for late subscribers only. Each observer
 * gets all durable events once and in order, what there is of the answers that are under way, and the deltas from then on. An event that an
 * observer publishes from within `next` follows the current one. No observer can throw into `publish`.
 *
 * @example
 * const stream = new EventStream(log, (observer, error) => record('observer.failed', observer, error));
 * stream.events$.pipe(ofType('tool.started')).subscribe((event) => console.log(event.description));
 * log.push(event); stream.publish(event);
 * stream.close();
 */
export class EventStream {
  readonly #log: EventSource;
  readonly #failures: OnFailure | FailureKeeper;
  readonly #answers: AnswerKeeper | undefined;
  /** Created on demand. */
  #report: OnFailure | undefined;
  #events: Observable<LiveEvent> | undefined;
  /** Replaced, never changed, so that an iteration sees a stable list. */
  #watchers: readonly Watcher[] = [];
  #waiting: Publication[] = [];
  #current: LiveEvent | undefined;
  #isPublishing = false;
  #isClosed = false;
  /** True if there are watchers; set by the stream only. */
  isWatched = false;

  constructor(log: EventSource, failures: OnFailure | FailureKeeper, answers?: AnswerKeeper) {
    this.#log = log;
    this.#failures = failures;
    this.#answers = answers;
  }

  /** Past and future events; completes when the run has ended. Failing subscribers do not affect the run. */
  get events$(): Observable<LiveEvent> {
    return (this.#events ??= new SafeObservable<LiveEvent>(
      (observer, error) => {
        this.#failed(observer, error);
      },
      (subscriber) => this.watch(new SubscriberWatcher(subscriber)),
    ));
  }

  /** True if any watcher wants the deltas of models. */
  get wantsDeltas(): boolean {
    return this.#watchers.some((watcher) => watcher.wantsDeltas);
  }

  /** Checks whether any watcher wants the event of that number. */
  wants(seq: number): boolean {
    for (const { from = 0 } of this.#watchers) if (seq >= from) return true;
    return false;
  }

  /** Publishes an event; nearly free without watchers. Ignored once the stream is closed. */
  publish(event: LiveEvent): void {
    this.#publish(event, this.#watchers);
  }

  #publish(event: LiveEvent, audience: readonly Watcher[]): void {
    if (audience.length === 0 || this.#isClosed) return;
    if (this.#isPublishing) {
      this.#waiting.push({ event, audience });
      return;
    }
    this.#isPublishing = true;
    this.#deliver(event, audience);
    // The list may grow during the iteration, as observers may publish.
    for (const later of this.#waiting) this.#deliver(later.event, later.audience);
    if (this.#waiting.length > 0) this.#waiting = [];
    this.#isPublishing = false;
    if (this.#isClosed) this.#complete();
  }

  /** Completes all watchers after the current events. Later ones get the log and are completed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#isPublishing) this.#complete();
  }

  /**
   * Passes past events to `watcher`, unless `replay` is false, the answers under way, then each published event; returns a function that ends
   * it. `events$` and hooks are built on this; an exception in `next` is reported and otherwise ignored.
   */
  watch(watcher: Watcher, replay = true): () => void {
    if (replay) {
      // The log may grow during the iteration, including events published meanwhile.
      for (let index = watcher.from ?? 0; index < this.#log.length; index += 1) {
        if (watcher.closed) return () => undefined;
        const event = this.#log.at(index);
        if (event !== undefined) this.#hand(watcher, event);
      }
    }
    if (this.#isClosed && !this.#isPublishing) {
      this.#finish(watcher);
      return () => undefined;
    }
    if (watcher.closed) return () => undefined;
    // Before it is a watcher: what is shown of them for the first time would come twice.
    const underWay = watcher.wantsDeltas ? this.#answers?.answersSoFar() : undefined;
    this.#watchedBy([...this.#watchers, watcher]);
    for (const delta of underWay ?? []) this.#publish(delta, [watcher]);
    return () => {
      this.#watchedBy(this.#watchers.filter((other) => other !== watcher));
    };
  }

  /**
   * All durable events, and deltas as long as the loop keeps up, for `for await`. Beyond `capacity` waiting deltas the oldest are dropped,
   * and an `observer.dropped` reports their number; durable events are read from the log and never lost. `break` ends it.
   *
   * @example
   * for await (const event of stream.iterate()) if (event.type === 'run.ended') break;
   */
  iterate(capacity = 1_000): AsyncIterableIterator<LiveEvent> {
    return new EventIterator(this.#log, capacity, this);
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<LiveEvent> {
    return this.iterate();
  }

  #watchedBy(watchers: readonly Watcher[]): void {
    this.#watchers = watchers;
    this.isWatched = watchers.length > 0;
  }

  #deliver(event: LiveEvent, audience: readonly Watcher[]): void {
    for (const watcher of audience) {
      // A watcher may have left during the iteration.
      if (audience !== this.#watchers && !this.#watchers.includes(watcher)) continue;
      const isWanted = 'seq' in event ? event.seq >= (watcher.from ?? 0) : watcher.wantsDeltas;
      if (isWanted) this.#hand(watcher, event);
    }
  }

  #hand(watcher: Watcher, event: LiveEvent): void {
    const before = this.#current;
    this.#current = event;
    try {
      watcher.next(event);
    } catch (error) {
      this.#failed(watcher.name, error);
    }
    this.#current = before;
  }

  #complete(): void {
    const audience = this.#watchers;
    this.#watchedBy([]);
    for (const watcher of audience) this.#finish(watcher);
  }

  #finish(watcher: Watcher): void {
    try {
      watcher.complete?.();
    } catch (error) {
      this.#failed(watcher.name, error);
    }
  }

  #failed(observer: string, error: unknown): void {
    if (this.#current !== undefined && isAboutObservers(this.#current)) return;
    const failures = this.#failures;
    this.#report ??= failureReporter(
      typeof failures === 'function'
        ? failures
        : (...failure) => {
            failures.observerFailed(...failure);
          },
    );
    this.#report(observer, error, this.#current);
  }
}
