import type { LiveEvent } from '../../contracts/events/event.ts';

/** The events of a log that are on record from before this process took the run, and that are repeated to observers. */
export class RepeatedEvents {
  #from = 0;
  #to = 0;

  /** The first `count` events are repeated; the first one of a fork is its own. */
  are(count: number, isFork: boolean): void {
    this.#from = isFork ? 1 : 0;
    this.#to = count;
  }

  has(event: LiveEvent): boolean {
    return event.type !== 'model.delta' && event.seq >= this.#from && event.seq < this.#to;
  }
}
