import type { TroupeError } from '../../contracts/errors/error.ts';
import { typedError } from './batch-errors.ts';
import type { BatchMember } from './batch-member.ts';
import { BatchMembers } from './batch-members.ts';
import type { QueueSetup } from './queue-setup.ts';
import type { SentBatch, SentFacts } from './sent-batch.ts';
import type { BatchService } from './batch-service.ts';

/** The calls that a lost batch needs of its queue. */
interface SearchedQueue {
  /** Puts a call into the next batch. */
  collect(member: BatchMember): void;
  sentOf(facts: SentFacts): SentBatch;
}

/**
 * A batch that may have been submitted: the process died, or the connection broke, before its id was known.
 *
 * I1 Nothing is submitted again before every batch that may be this one was looked at, and the provider has had time to list it.
 */
export class LostBatch {
  readonly #mark: string;
  readonly #at: number;
  readonly #service: BatchService;
  readonly #setup: QueueSetup;
  readonly #queue: SearchedQueue;
  readonly #members = new BatchMembers();
  readonly #tried = new Set<string>();
  /** The error of its submission in this process; absent if another process submitted it. */
  readonly #reason: TroupeError | undefined;
  #failures = 0;

  constructor(
    {
      mark,
      at,
      reason,
    }: { readonly mark: string; readonly at: number; readonly reason?: TroupeError | undefined },
    service: BatchService,
    setup: QueueSetup,
    queue: SearchedQueue,
  ) {
    this.#mark = mark;
    this.#at = at;
    this.#reason = reason;
    this.#service = service;
    this.#setup = setup;
    this.#queue = queue;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  join(member: BatchMember): void {
    this.#members.join(member);
  }

  /** Looks for it after that time, which is long enough for others to join. */
  searchIn(ms: number): void {
    this.#members.arm(ms, () => {
      void this.#search();
    });
  }

  async #search(): Promise<void> {
    let found: readonly string[];
    try {
      found = await this.#members.request((send) => this.#service.find(this.#mark, this.#at, send));
    } catch (thrown) {
      const error = typedError(thrown, this.#setup.who);
      this.#failures += 1;
      if (error.retryable === 'no' || this.#failures >= MOST_FAILURES) this.#endFor(this.#reason ?? error);
      else this.searchIn(Math.max(this.#setup.pollMs, error.retryAfterMs ?? 0));
      return;
    }
    const next = found.find((id) => !this.#tried.has(id));
    const settledMs = this.#at + LISTED_AFTER_MS - this.#members.clock.now();
    if (next !== undefined) this.#try(next);
    else if (settledMs > 0) this.searchIn(Math.min(settledMs, this.#setup.pollMs));
    else this.#giveUp();
  }

  /** Waits for the results of a batch that may be this one. */
  #try(id: string): void {
    this.#tried.add(id);
    const sent = this.#queue.sentOf({ id, at: this.#at });
    for (const member of this.#members.release())
      sent.join(member, undefined, (absent) => {
        this.join(absent);
        this.searchIn(0);
      });
    sent.lookSoon(0);
  }

  /** It was never submitted: that is done now, unless the failure of it is for the caller's retry policy. */
  #giveUp(): void {
    if (this.#reason !== undefined) this.#endFor(this.#reason);
    else for (const member of this.#members.release()) this.#queue.collect(member);
  }

  #endFor(error: TroupeError): void {
    for (const member of this.#members) member.fail(error);
  }
}

/** In ms: a batch is listed by then, if it was submitted. */
const LISTED_AFTER_MS = 60_000;
const MOST_FAILURES = 20;
