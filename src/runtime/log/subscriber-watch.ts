import type { Subscriber } from 'rxjs';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Watcher } from '../../events/stream/watcher.ts';

/**
 * A watcher of a run's events that is closed once its subscriber is.
 *
 * A class, as an object literal with a getter keeps its run alive until the next major collection (decision 0033).
 */
export class SubscriberWatch implements Watcher {
  readonly name: string;
  readonly wantsDeltas: boolean;
  readonly #subscriber: Pick<Subscriber<unknown>, 'closed'>;
  readonly #next: (event: LiveEvent) => void;
  readonly #complete: () => void;

  constructor(
    { name, wantsDeltas }: Pick<Watcher, 'name' | 'wantsDeltas'>,
    subscriber: Pick<Subscriber<unknown>, 'closed'>,
    next: (event: LiveEvent) => void,
    complete: () => void,
  ) {
    this.name = name;
    this.wantsDeltas = wantsDeltas;
    this.#subscriber = subscriber;
    this.#next = next;
    this.#complete = complete;
  }

  get closed(): boolean {
    return this.#subscriber.closed;
  }

  next(event: LiveEvent): void {
    this.#next(event);
  }

  complete(): void {
    this.#complete();
  }
}
