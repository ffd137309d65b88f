import type { Observable, Subscriber } from 'rxjs';
import { SafeObservable } from '../../events/stream/safe-observable.ts';

/** Callbacks of a {@link Broadcast}. */
export interface BroadcastOptions<Value> {
  /** Called for the first subscriber. */
  readonly onFirst?: () => void;
  /** Called after the last subscriber has left. */
  readonly onLast?: () => void;
  /** The current value, for new subscribers. */
  readonly now?: () => Value;
}

/** Emits values to subscribers, whose exceptions do not affect the emitter. */
export class Broadcast<Value> {
  readonly values$: Observable<Value>;
  readonly #watchers = new Set<Subscriber<Value>>();
  #isOver = false;

  constructor({ onFirst, onLast, now }: BroadcastOptions<Value> = {}) {
    this.values$ = new SafeObservable<Value>(
      () => undefined,
      (subscriber) => {
        if (this.#isOver) {
          subscriber.complete();
          return;
        }
        if (now !== undefined) subscriber.next(now());
        if (subscriber.closed) return;
        this.#watchers.add(subscriber);
        if (this.#watchers.size === 1) onFirst?.();
        subscriber.add(() => {
          if (this.#watchers.delete(subscriber) && this.#watchers.size === 0) onLast?.();
        });
      },
    );
  }

  emit(value: Value): void {
    // A subscriber may leave during the iteration: a set handles that.
    for (const watcher of this.#watchers) watcher.next(value);
  }

  /** Completes all subscribers. */
  complete(): void {
    this.#isOver = true;
    for (const watcher of this.#watchers) watcher.complete();
  }
}
