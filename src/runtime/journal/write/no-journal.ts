import { idempotencyKey } from '../../../actors/acting/call-key.ts';
import type { Clock } from '../../../base/clock.ts';
import type { EventBody } from '../../../contracts/events/event.ts';
import type { Json } from '../../../base/json/json.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { AdmittedEvent } from '../../log/event-log.ts';
import type { Speaker } from '../../log/lazy-log.ts';
import type { Actor, Job } from '../../actors/actor.ts';
import type { PlacedChild, JournalPort, WantedChild } from './journal-port.ts';
import { Scope } from './scope.ts';

/**
 * The journal of a run that is not stored: nothing is written, nothing is recorded, and arrivals take effect at once.
 *
 * It owns the time of its run: the clock is read once per turn of the machines; an effect reads its own time.
 *
 * I1 Time never falls, even if the system's clock is set back.
 */
export class NoJournal implements JournalPort {
  readonly keeps = false;
  readonly keepsSent = false;
  readonly released = undefined;
  readonly lost = undefined;
  readonly root: Scope;
  readonly memories = MEMORIES;
  readonly budgets = BUDGETS;
  readonly keys = KEYS;
  readonly again = AGAIN;
  readonly lastWrite = LAST_WRITE;
  readonly #clock: Clock;
  #at = 0;
  #isInTurn = false;
  /** True if the clock was read in this turn. */
  #isTimed = false;
  readonly #asides: (() => void)[] = [];

  constructor(path: string, clock: Clock) {
    this.root = new Scope(path, true);
    this.#clock = clock;
  }

  now(): number {
    if (this.#isTimed) return this.#at;
    const now = this.#clock.now();
    if (now > this.#at) this.#at = now;
    this.#isTimed = this.#isInTurn;
    return this.#at;
  }

  nextAt(): number {
    return this.now();
  }

  job(_scope: Scope, _counts: boolean, work: () => void): void {
    this.#isInTurn = true;
    this.#isTimed = false;
    try {
      work();
    } finally {
      this.#isInTurn = this.#isTimed = false;
    }
    if (this.#asides.length > 0) for (const aside of this.#asides.splice(0)) aside();
  }

  /** An effect reads its own time, even if it runs within the turn that asked for it. */
  begin(_entry: Actor, _ask: Ask, _isWanted: () => boolean, go: () => void): void {
    this.#isInTurn = this.#isTimed = false;
    go();
  }

  admit(
    body: EventBody,
    _speaker: Speaker,
    _step: number | undefined,
    _phase: string | undefined,
    read?: number,
  ): AdmittedEvent {
    return { body, at: read ?? (this.#isTimed ? this.#at : this.now()) };
  }

  scopeAt(): Scope {
    return this.root;
  }
  outside<T>(work: () => T): T {
    return work();
  }
  aside(work: () => void): void {
    if (this.#isInTurn) this.#asides.push(work);
    else work();
  }
  stop(_actor: Actor, _reason: string, work: () => void): void {
    work();
  }
  take(_scope: Scope | undefined, _arrival: unknown, work: () => void): void {
    work();
  }
  engage(_child: Actor, start: () => void): void {
    start();
  }
  end(go: () => void): void {
    go();
  }
  arrive(): number {
    return this.now();
  }
  settled(): number {
    return this.now();
  }
  knowsChild(): boolean {
    return false;
  }
  place({ input }: WantedChild, freePath: () => string): PlacedChild {
    return { path: freePath(), input, isKnown: false };
  }
  holds(): boolean {
    return false;
  }
  awaitsEnd(): boolean {
    return false;
  }
  leave(): Promise<void> {
    return Promise.resolve();
  }
  reopen(): undefined {
    return undefined;
  }
  wrote(): void {
    // Nothing is recorded.
  }
  withdrawn(): void {
    // No waits are recorded.
  }
  waits(): void {
    // No waits are recorded.
  }
  runs(): void {
    // No waits are recorded.
  }
  tookLetter(): void {
    // Only stored runs have letters.
  }
  drawn(): void {
    // Usage is known for as long as the run lasts.
  }
  flush(): void {
    // There is nothing to write.
  }
}

function nothing(): undefined {
  return undefined;
}
function no(): boolean {
  return false;
}
function does(work: () => void): void {
  work();
}

// Shared by all runs that are not stored.
const MEMORIES = { when: nothing, done: nothing };
const BUDGETS = { at: nothing, isPaid: no };
const KEYS = {
  of: (call: string, input: Json): string => idempotencyKey(call, input),
  hasDigests: true,
};
const AGAIN = { previousAnswer: nothing, due: (job: Job): Job => job, resuming: does };
const LAST_WRITE = { hurry: nothing };
