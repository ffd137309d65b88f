import type { Observable, Subscriber } from 'rxjs';
import { SafeObservable } from '../../events/safe-observable.ts';

/** What somebody tells beside what happens. */
export interface TellOptions<Value> {
  /** The first watcher came. */
  readonly onFirst?: () => void;
  /** The last one has gone. */
  readonly onLast?: () => void;
  /** How it is now, for whoever begins to watch. */
  readonly now?: () => Value;
}

/**
 * Values that are told to whoever watches. Those who watch cannot hurt anybody: what they throw is theirs.
 */
export class Told<Value> {
  readonly values$: Observable<Value>;
  readonly #watchers = new Set<Subscriber<Value>>();
  #isOver = false;

  constructor({ onFirst, onLast, now }: TellOptions<Value> = {}) {
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

  tell(value: Value): void {
    // Somebody may go while others are told: a set that is walked takes notice.
    for (const watcher of this.#watchers) watcher.next(value);
  }

  /** Nothing more is told, to nobody. */
  complete(): void {
    this.#isOver = true;
    for (const watcher of this.#watchers) watcher.complete();
  }
}
