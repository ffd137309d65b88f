import type { Pacer } from './pacer.ts';
import type { Job } from '../actors/actor.ts';

/**
 * Jobs done in a row before other runs get their turn: about those of a step between two waits. Garbage from one job to the next then dies
 * young; with ten thousand other jobs in between, V8 would promote it.
 */
const IN_A_ROW = 8;

/** A queued job, linked to the next one. */
interface QueuedJob {
  readonly job: Job;
  next: QueuedJob | undefined;
}

/** Executes the jobs of a queue. */
export interface JobWorker {
  attempt(job: Job): void;
  /** Called when the queue is empty. */
  idle?(): void;
}

/** A first-in, first-out queue that runs one job at a time. */
export class JobQueue {
  readonly #pacer: Pick<Pacer, 'schedule'>;
  readonly #worker: JobWorker;
  #first: QueuedJob | undefined;
  #last: QueuedJob | undefined;
  #isScheduled = false;
  #isHeld = false;

  constructor(pacer: Pick<Pacer, 'schedule'>, worker: JobWorker) {
    this.#pacer = pacer;
    this.#worker = worker;
  }

  get isEmpty(): boolean {
    return this.#first === undefined && !this.#isScheduled;
  }

  /** Checks whether a matching job is queued. Linear in the number of jobs. */
  has(isMeant: (job: Job) => boolean): boolean {
    for (let queued = this.#first; queued !== undefined; queued = queued.next)
      if (isMeant(queued.job)) return true;
    return false;
  }

  /** Runs no job until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (this.#first !== undefined) this.#schedule();
  }

  push(job: Job): void {
    const queued: QueuedJob = { job, next: undefined };
    if (this.#last === undefined) this.#first = queued;
    else this.#last.next = queued;
    this.#last = queued;
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
    const queued = this.#first;
    if (queued === undefined) return undefined;
    this.#first = queued.next;
    if (this.#first === undefined) this.#last = undefined;
    // Unlinked because a link from a promoted job would retain all jobs behind it.
    queued.next = undefined;
    return queued.job;
  }
}
