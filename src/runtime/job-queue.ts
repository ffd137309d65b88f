import type { Message } from '../contracts/message.ts';
import type { Ask } from '../machines/asks.ts';
import type { Engagement } from '../machines/outputs.ts';
import type { ActorEntry, EffectUnderWay } from './actor-entry.ts';
import type { Envelope } from './host.ts';
import type { Pacer } from './pacer.ts';

/** A thing to do, in its turn. */
export type Job =
  | { readonly kind: 'ask'; readonly entry: ActorEntry; readonly ask: Ask; readonly epoch: number }
  | { readonly kind: 'deliver'; readonly entry: ActorEntry; readonly envelope: Envelope }
  | { readonly kind: 'withdraw'; readonly gone: readonly EffectUnderWay[] }
  | { readonly kind: 'engage'; readonly entry: ActorEntry; readonly engagement: Engagement }
  | { readonly kind: 'dismiss'; readonly entry: ActorEntry }
  | { readonly kind: 'post'; readonly entry: ActorEntry; readonly to: string; readonly message: Message }
  | { readonly kind: 'over'; readonly entry: ActorEntry; readonly output: unknown };

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
    } else this.#schedule();
    this.#work(job);
  };
}
