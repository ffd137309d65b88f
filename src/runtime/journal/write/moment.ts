import type { Clock } from '../../../contracts/clock.ts';
import type { Scope } from './scope.ts';

/** Something that is told again: it is in the log already, or comes into it now. */
export interface Retelling {
  readonly at: number;
  readonly isInLog: boolean;
}

/**
 * Where a journal is: in which scope, when, and whether something is being told again.
 *
 * I1  Inside a scope it is as late as when the last thing arrived there; outside, as late as the clock says.
 * I2  It never gets earlier.
 * I3  The clock is read once for what comes in, and that reading is on record: nothing that follows from it reads the clock.
 */
export class Moment {
  /** The scope in which a job is being done; undefined while something from outside has its turn. */
  inside: Scope | undefined;
  retelling: Retelling | undefined;
  /** When anything arrived last. */
  latest = 0;
  readonly #clock: Clock;
  readonly #asides: (() => void)[] = [];
  #isPast = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get now(): number {
    return this.retelling?.at ?? this.inside?.now ?? Math.max(this.#clock.now(), this.latest);
  }

  /**
   * Something arrives in a scope; gives when: `read`, if the clock was read for it before. What arrives in the midst of a turn
   * arrives at the time of that turn.
   */
  stamp(scope: Scope, read = this.inside?.now ?? this.#clock.now()): number {
    this.latest = Math.max(this.latest, read);
    scope.now = this.latest;
    return this.latest;
  }

  /** Something that is on record arrived at `at`. */
  passed(at: number, scope?: Scope): void {
    this.latest = Math.max(this.latest, at);
    if (scope !== undefined) scope.now = Math.max(scope.now, at);
  }

  /** Does work inside a scope, or with none outside of all of them. */
  within<T>(scope: Scope | undefined, work: () => T): T {
    const before = this.inside;
    this.inside = scope;
    try {
      return work();
    } finally {
      this.inside = before;
    }
  }

  /** Does work outside of all scopes: now, or as soon as nobody is inside one, or in what has happened before. */
  aside(work: () => void): void {
    if (this.#isOpen) work();
    else this.#asides.push(work);
  }

  /** Nobody is inside a scope, and what one did is counted. */
  left(): void {
    if (this.#isOpen) for (const work of this.#asides.splice(0)) work();
  }

  /** What `work` does has happened before: there is no room in it for anything else. */
  past(work: () => void): void {
    this.#isPast = true;
    try {
      work();
    } finally {
      this.#isPast = false;
    }
    this.left();
  }

  get #isOpen(): boolean {
    return this.inside === undefined && !this.#isPast;
  }

  retell(retelling: Retelling, work: () => void): void {
    const before = this.retelling;
    this.retelling = retelling;
    try {
      work();
    } finally {
      this.retelling = before;
    }
  }
}
