import type { Pacer } from './pacer.ts';
import type { Job } from './stage.ts';

/** Jobs done that are kept at most, as letting go of them copies those that wait. */
const MANY = 1_024;

/** First in, first out, one job at a time: what a job brings comes after all that waits. */
export class JobQueue {
  readonly #pacer: Pacer;
  readonly #work: (job: Job) => void;
  #jobs: Job[] = [];
  #head = 0;
  #isScheduled = false;

  constructor(pacer: Pacer, work: (job: Job) => void) {
    this.#pacer = pacer;
    this.#work = work;
  }

  push(job: Job): void {
    this.#jobs.push(job);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#pacer.schedule(this.#next);
  }

  readonly #next = (): void => {
    this.#isScheduled = false;
    const job = this.#jobs[this.#head];
    if (job === undefined) return;
    this.#head += 1;
    if (this.#head === this.#jobs.length) {
      this.#jobs = [];
      this.#head = 0;
    } else {
      // Where several actors are hot the queue never runs dry: what is done is let go of all the same.
      if (this.#head >= MANY && this.#head * 2 >= this.#jobs.length) {
        this.#jobs = this.#jobs.slice(this.#head);
        this.#head = 0;
      }
      this.#schedule();
    }
    this.#work(job);
  };
}
