import { isLogged } from '../../../contracts/events/is-logged.ts';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import type { LiveRun } from './live-run.ts';
import type { StoredEvents } from './stored-events.ts';

/** The place where a run is found once this process has it. */
export type FindLive = () => LiveRun | undefined;

/**
 * The events of a stored run, and, once it is resumed in this process, those of the live one from there on, with its deltas: a client that
 * came back before the run did sees texts stream again.
 */
export class ResumedEvents implements AsyncIterator<LiveEvent, undefined> {
  readonly #stored: StoredEvents;
  readonly #find: FindLive;
  #live: AsyncIterator<LiveEvent> | undefined;
  #last = -1;
  #isOver = false;

  constructor(stored: StoredEvents, find: FindLive) {
    this.#stored = stored;
    this.#find = find;
  }

  async next(): Promise<IteratorResult<LiveEvent, undefined>> {
    while (!this.#isOver) {
      const { value, done } = await (this.#live ?? this.#stored).next();
      if (done === true) {
        const live = this.#live === undefined ? this.#find() : undefined;
        if (live === undefined || this.#hasEnded()) break;
        this.#live = live.handle[Symbol.asyncIterator]();
      } else if (this.#isNew(value)) return { value, done: false };
    }
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<LiveEvent, undefined>> {
    this.#isOver = true;
    await this.#stored.return();
    await this.#live?.return?.();
    return { value: undefined, done: true };
  }

  /** It may have been ended, or the run's end given, while the next event was awaited. */
  #hasEnded(): boolean {
    return this.#isOver;
  }

  #isNew(event: LiveEvent): boolean {
    if (!isLogged(event)) return true;
    if (event.seq <= this.#last) return false;
    this.#last = event.seq;
    if (event.type === 'run.ended') this.#isOver = true;
    return true;
  }
}
