import type { Pacer } from './pacer.ts';
import type { Job } from '../actors/actor.ts';

/**
 * Jobs done in a row, before other runs have their turn: about what a step takes between two waits. What one job leaves
 * to the next is dead soon then; where ten thousand others come in between, V8 takes it for long-lived.
 */
const IN_A_ROW = 8;

/** A job that waits, and the one behind it. */
interface Place {
  readonly job: Job;
  next: Place | undefined;
}

/** Does the jobs of a queue. */
export interface JobWorker {
  attempt(job: Job): void;
  /** Nothing is left to do for now. */
  idle?(): void;
}

/** First in, first out, one job at a time: what a job brings comes after all that waits. */
export class JobQueue {
  readonly #pacer: Pick<Pacer, 'schedule'>;
  readonly #worker: JobWorker;
  #first: Place | undefined;
  #last: Place | undefined;
  #isScheduled = false;
  #isHeld = false;

  constructor(pacer: Pick<Pacer, 'schedule'>, worker: JobWorker) {
    this.#pacer = pacer;
    this.#worker = worker;
  }

  get isEmpty(): boolean {
    return this.#first === undefined && !this.#isScheduled;
  }

  /** Checks whether a job of some kind waits: looks at all of them. */
  has(isMeant: (job: Job) => boolean): boolean {
    for (let place = this.#first; place !== undefined; place = place.next)
      if (isMeant(place.job)) return true;
    return false;
  }

  /** Lets nothing be done until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (this.#first !== undefined) this.#schedule();
  }

  push(job: Job): void {
    const place: Place = { job, next: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isHeld) return;
    this.#isScheduled = true;
    this.#pacer.schedule(this.#next);
  }

  readonly #next = (): void => {
    try {
      for (let left = IN_A_ROW; left > 0; left -= 1) {
        const job = this.#take();
        if (job === undefined) return;
        this.#worker.attempt(job);
      }
    } finally {
      this.#isScheduled = false;
      if (this.#first !== undefined) this.#schedule();
      else this.#worker.idle?.();
    }
  };

  #take(): Job | undefined {
    const place = this.#first;
    if (place === undefined) return undefined;
    this.#first = place.next;
    if (this.#first === undefined) this.#last = undefined;
    // One that V8 took for long-lived would keep all that came behind it.
    place.next = undefined;
    return place.job;
  }
}
