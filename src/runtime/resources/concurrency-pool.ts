import { checkCount } from '../define/check-count.ts';
import type { ResourceOptions } from './resource-options.ts';
import { busyError, checkMs, clockOf, closedError, LONGEST_WAIT_MS } from './resource-options.ts';
import type { WaitOptions } from './waiting-line.ts';
import { WaitingLine } from './waiting-line.ts';

/** What a pool may be told beside its size. */
export interface PoolOptions extends ResourceOptions {
  /** The time that somebody waits for a place at most, in ms. Default 300,000. */
  readonly waitMs?: number | undefined;
}

/** A place in a pool, held by one call. */
export interface Place {
  /**
   * Gives the place away while `work` waits for others, who may need it, and goes on when one is free again: before all who wait
   * in line. While another `lend` of the same place is under way, the place stays away.
   */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The call is over; twice is once. */
  leave(): void;
}

/** So many calls at a time; see {@link concurrencyPool}. */
export interface ConcurrencyPool {
  readonly name: string;
  readonly size: number;
  /** The number of places that are held. */
  readonly taken: number;
  /** The number of those that wait for one. */
  readonly waiting: number;
  /** A place: at once if one is free and nobody waits, else in line. */
  enter(options?: WaitOptions): Place | Promise<Place>;
  /** Does something with a place, which is left however it ends. */
  use<Value>(work: (place: Place) => Value | Promise<Value>, options?: WaitOptions): Promise<Value>;
  /** Whoever waits, and whoever comes, is refused with `resource.closed`; who has a place keeps it. */
  close(): void;
}

/**
 * So many calls at a time, in the order of coming, whatever run they belong to.
 *
 * A tool that holds a place and runs an agent gives its place away meanwhile: else, nested deeply enough, everybody would wait for
 * everybody. By `use`, say so yourself with `place.lend`.
 *
 * @example
 * const browsers = concurrencyPool(4, { name: 'browsers' });
 * const page = await browsers.use(() => open(url));
 *
 * @throws {TroupeError} `resource.invalid` for a size that is no whole number from 1. `enter` rejects with `resource.busy` for whoever
 * waited too long, with `run.aborted`, and with `resource.closed`.
 */
export const concurrencyPool = (size: number, options: PoolOptions = {}): ConcurrencyPool =>
  new Pool(size, options);

class Pool implements ConcurrencyPool {
  readonly name: string;
  readonly size: number;
  readonly #waitMs: number;
  readonly #line: WaitingLine<void>;
  #taken = 0;
  #isClosed = false;

  constructor(size: number, options: PoolOptions) {
    const { name = 'pool', waitMs = LONGEST_WAIT_MS } = options;
    this.name = name;
    const owner = `the pool '${name}'`;
    this.size = checkCount(size, 1, 'size', { code: 'resource.invalid', owner });
    this.#waitMs = checkMs(waitMs, 'waitMs', owner);
    this.#line = new WaitingLine({
      clock: clockOf(options),
      what: `a place in ${owner}`,
      late: (waited) => busyError(`a place in ${owner}`, waited, 0),
      onLeft: () => undefined,
    });
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#line.size;
  }

  enter(options: WaitOptions = {}): Place | Promise<Place> {
    if (this.#isClosed) return Promise.reject(closedError(`a place in the pool '${this.name}'`));
    if (this.#taken < this.size && this.#line.size === 0) {
      this.#taken += 1;
      return this.#place(options);
    }
    const { priority, waitMs = this.#waitMs, signal } = options;
    return this.#line.join(undefined, { priority, waitMs, signal }).then(() => this.#place(options));
  }

  async use<Value>(work: (place: Place) => Value | Promise<Value>, options?: WaitOptions): Promise<Value> {
    const place = await this.enter(options);
    try {
      return await work(place);
    } finally {
      place.leave();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#line.refuseAll(closedError(`a place in the pool '${this.name}'`));
  }

  #place(options: WaitOptions): Place {
    return new HeldPlace(
      () => {
        this.#release();
      },
      () => this.#return(options),
    );
  }

  /** A place goes from hand to hand: nobody comes in between. */
  #release(): void {
    if (this.#line.size > 0) this.#line.serve();
    else this.#taken -= 1;
  }

  /** A holder that lent its place comes back, before all who wait; however long that takes. */
  #return({ signal }: WaitOptions): Promise<void> | undefined {
    if (this.#taken < this.size) {
      this.#taken += 1;
      return undefined;
    }
    return this.#line.join(undefined, { signal }, true);
  }
}

class HeldPlace implements Place {
  readonly #release: () => void;
  readonly #return: () => Promise<void> | undefined;
  #isHeld = true;
  #isOver = false;
  #lent = 0;
  #comingBack: Promise<void> | undefined;

  constructor(release: () => void, comeBack: () => Promise<void> | undefined) {
    this.#release = release;
    this.#return = comeBack;
  }

  async lend<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#lent += 1;
    this.#giveAway();
    try {
      return await work();
    } finally {
      this.#lent -= 1;
      if (this.#lent === 0 && !this.#isOver) await this.#takeBack();
    }
  }

  leave(): void {
    this.#isOver = true;
    this.#giveAway();
  }

  #giveAway(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#release();
  }

  /** Once, also for several who lent it together. */
  #takeBack(): Promise<void> {
    return (this.#comingBack ??= this.#comeBack());
  }

  async #comeBack(): Promise<void> {
    try {
      await this.#return();
      this.#isHeld = true;
      // The call ended, or lent its place again, while it was on its way back.
      if (this.#isOver || this.#lent > 0) this.#giveAway();
    } finally {
      this.#comingBack = undefined;
    }
  }
}
