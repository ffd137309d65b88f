import { isLogged } from '../../../contracts/events/is-logged.ts';
import type { LiveEvent } from '../../../contracts/events/event.ts';
import type { LiveRun } from './live-run.ts';
import { isLeftEnd } from './live-run.ts';

/** The places where the events of a run are. */
export interface EventPlaces {
  /** The run, while this process has it. */
  readonly findLive: () => LiveRun | undefined;
  /** Its events in the store, from the first, until this process has the run; undefined without a store. */
  readonly openStored: (() => AsyncIterator<LiveEvent, undefined>) | undefined;
}

/**
 * The events of a run, wherever it is: of a live one with its deltas, of a stored one as another process writes them. It may come and go: who
 * was there before a run was resumed sees texts stream again, and who was there when it was left sees it go on elsewhere.
 *
 * I1  Each event comes once, in order; the end of a run is its last event.
 */
export class RunEvents implements AsyncIterator<LiveEvent, undefined> {
  readonly #places: EventPlaces;
  #source: AsyncIterator<LiveEvent> | undefined;
  #last = -1;
  #isOver = false;

  constructor(places: EventPlaces) {
    this.#places = places;
  }

  async next(): Promise<IteratorResult<LiveEvent, undefined>> {
    while (!this.#isOver) {
      const source = (this.#source ??= this.#open());
      if (source === undefined) break;
      const { value, done } = await source.next();
      if (done === true) this.#source = undefined;
      else if (this.#isShown(value)) return { value, done: false };
    }
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<LiveEvent, undefined>> {
    this.#isOver = true;
    await this.#source?.return?.();
    return { value: undefined, done: true };
  }

  #open(): AsyncIterator<LiveEvent> | undefined {
    const live = this.#places.findLive();
    return live === undefined || live.isLeft
      ? this.#places.openStored?.()
      : live.handle[Symbol.asyncIterator]();
  }

  #isShown(event: LiveEvent): boolean {
    if (!isLogged(event)) return true;
    if (event.seq <= this.#last || this.#isLeaving(event)) return false;
    this.#last = event.seq;
    if (event.type === 'run.ended') this.#isOver = true;
    return true;
  }

  /** An end that is none: its process leaves the run, which goes on elsewhere. */
  #isLeaving(event: LiveEvent): boolean {
    return this.#places.openStored !== undefined && isLeftEnd(event);
  }
}
