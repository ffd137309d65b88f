import type { Clock } from '../../../base/clock.ts';
import type { Scope } from './scope.ts';

/** An event that is being published again: it is in the log already, or is added now. */
export interface Republication {
  readonly at: number;
  readonly isInLog: boolean;
}

/**
 * The position of a journal: the current scope, its time, and whether a recorded event is being published.
 *
 * I1 Inside a scope, the time is that of its last arrival; outside, that of the clock.
 * I2 Time never falls.
 * I3 The clock is read once per arrival and the reading is recorded: nothing that follows from it reads the clock.
 */
export class JournalClock {
  /** The scope of the current job; undefined while something from outside is being handled. */
  inside: Scope | undefined;
  republishing: Republication | undefined;
  /** Time of the last arrival. */
  latest = 0;
  readonly #clock: Clock;
  readonly #asides: (() => void)[] = [];
  #isPast = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get now(): number {
    return this.republishing?.at ?? this.inside?.now ?? Math.max(this.#clock.now(), this.latest);
  }

  /**
   * Records an arrival in a scope and returns its time: `read`, if the clock was read for it before. An arrival during a turn has the time
   * of that turn.
   */
  stamp(scope: Scope, read = this.inside?.now ?? this.#clock.now()): number {
    this.latest = Math.max(this.latest, read);
    scope.now = this.latest;
    return this.latest;
  }

  /** Advances the time to that of a recorded arrival. */
  advance(at: number, scope?: Scope): void {
    this.latest = Math.max(this.latest, at);
    if (scope !== undefined) scope.now = Math.max(scope.now, at);
  }

  /** Runs work inside a scope, or outside all scopes. */
  within<T>(scope: Scope | undefined, work: () => T): T {
    const before = this.inside;
    this.inside = scope;
    try {
      return work();
    } finally {
      this.inside = before;
    }
  }

  /** Runs work outside all scopes: now, or once no scope is entered and nothing is being replayed. */
  aside(work: () => void): void {
    if (this.#isOpen) work();
    else this.#asides.push(work);
  }

  /** Runs the deferred work if no scope is entered. Called when a job is done and counted. */
  runDeferred(): void {
    if (this.#isOpen) for (const work of this.#asides.splice(0)) work();
  }

  /** Runs a replay: nothing from outside happens during it. */
  duringReplay(work: () => void): void {
    this.#isPast = true;
    try {
      work();
    } finally {
      this.#isPast = false;
    }
    this.runDeferred();
  }

  /** From now on there is nothing but a replay. */
  stayInPast(): void {
    this.#isPast = true;
  }

  get #isOpen(): boolean {
    return this.inside === undefined && !this.#isPast;
  }

  republish(retelling: Republication, work: () => void): void {
    const before = this.republishing;
    this.republishing = retelling;
    try {
      work();
    } finally {
      this.republishing = before;
    }
  }
}
