import type { Subscriber } from 'rxjs';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Watcher } from './watcher.ts';

/** Passes the events of a stream to a subscriber of RxJS. */
export class SubscriberWatcher implements Watcher {
  readonly name = 'subscriber';
  readonly wantsDeltas = true;
  readonly #subscriber: Subscriber<LiveEvent>;

  constructor(subscriber: Subscriber<LiveEvent>) {
    this.#subscriber = subscriber;
  }

  get closed(): boolean {
    return this.#subscriber.closed;
  }
  next(event: LiveEvent): void {
    this.#subscriber.next(event);
  }
  complete(): void {
    this.#subscriber.complete();
  }
}
