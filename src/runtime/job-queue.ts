import type { Pacer } from './pacer.ts';
import type { Job } from './stage.ts';

/** Jobs done that are kept at most, as letting go of them copies those that wait. */
const MANY = 1_024;

/**
 * Jobs done in a row, before other runs have their turn: about what a step takes between two waits. What one job leaves
 * to the next is dead soon then; where ten thousand others come in between, V8 takes it for long-lived.
 */
const IN_A_ROW = 8;

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
    try {
      for (let left = IN_A_ROW; left > 0; left -= 1) {
        const job = this.#take();
        if (job === undefined) return;
        this.#work(job);
      }
    } finally {
      this.#isScheduled = false;
      if (this.#head < this.#jobs.length) this.#schedule();
    }
  };

  #take(): Job | undefined {
    const job = this.#jobs[this.#head];
    if (job === undefined) return undefined;
    this.#head += 1;
    if (this.#head === this.#jobs.length) {
      this.#jobs = [];
      this.#head = 0;
    } else if (this.#head >= MANY && this.#head * 2 >= this.#jobs.length) {
      // Where several actors are hot the queue never runs dry: what is done is let go of all the same.
      this.#jobs = this.#jobs.slice(this.#head);
      this.#head = 0;
    }
    return job;
  }
}
