import { aFunction, aTime, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { TroupeError } from '../../contracts/errors/error.ts';
import type { KeyBy } from './caller-key.ts';
import { callerKey } from './caller-key.ts';
import type { ResourceOptions } from './resource-options.ts';
import { busyError, clockOf, closedError, LONGEST_WAIT_MS, resourceShape } from './resource-options.ts';
import type { WaitOptions } from './waiting-line.ts';
import { WaitingLine } from './waiting-line.ts';

/** Options of {@link concurrencyPool}. */
export interface PoolOptions extends ResourceOptions {
  /** Longest wait for a slot, in ms. Default 300,000. */
  readonly waitMs?: number | undefined;
  /** Names the tenant of a call by the `context` of its run: waiting calls of tenants take turns. Default: one line for all. */
  readonly by?: KeyBy | undefined;
}

/** A slot in a pool, held by one call. */
export interface PoolSlot {
  /**
   * Releases the slot while `work` waits for others, who may need it, then acquires one again, before all waiting calls. With several
   * concurrent `lend`s the slot stays released until the last is done.
   */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Releases the slot for good; idempotent. */
  leave(): void;
}

/** Limits the number of concurrent calls; see {@link concurrencyPool}. */
export interface ConcurrencyPool {
  readonly name: string;
  readonly size: number;
  /** Number of slots in use. */
  readonly taken: number;
  /** Number of waiting calls. */
  readonly waiting: number;
  /** Acquires a slot: at once if one is free and no call waits, otherwise in order (of its tenant, where there is `by`). */
  enter(options?: WaitOptions): PoolSlot | Promise<PoolSlot>;
  /** Runs `work` with a slot, which is released in any case. */
  use<Value>(work: (place: PoolSlot) => Value | Promise<Value>, options?: WaitOptions): Promise<Value>;
  /** Rejects waiting and new calls with `resource.closed`; slots in use remain valid. */
  close(): void;
}

/**
 * Creates a pool that limits the number of concurrent calls, first come, first served, across runs. With `by`, tenants take turns.
 *
 * A tool that holds a slot and runs an agent releases it meanwhile; otherwise nested calls could wait for each other for ever. With `use`,
 * do the same by `place.lend`.
 *
 * @example
 * const browsers = concurrencyPool(4, { name: 'browsers' });
 * const page = await browsers.use(() => open(url));
 *
 * @throws {TroupeError} `resource.invalid` for a size that is no whole number from 1. `enter` rejects with `resource.busy` after
 * the longest wait, with `run.aborted`, with `resource.closed`, and with `resource.invalid` if `by` throws or returns no text.
 */
export const concurrencyPool = (size: number, options: PoolOptions = {}): ConcurrencyPool =>
  new Pool(size, options);

const check = optionsCheck<PoolOptions & { readonly size: number }>(
  { code: 'resource.invalid', owner: 'a pool' },
  () => ({
    ...resourceShape(),
    size: wholeNumber(1),
    waitMs: optional(aTime()),
    by: optional(aFunction()),
  }),
);

class Pool implements ConcurrencyPool {
  readonly name: string;
  readonly size: number;
  readonly #waitMs: number;
  readonly #by: KeyBy | undefined;
  readonly #line: WaitingLine<void>;
  #taken = 0;
  #isClosed = false;

  constructor(size: number, options: PoolOptions) {
    const { name = 'pool', waitMs = LONGEST_WAIT_MS, by } = check({ ...options, size });
    this.name = name;
    const owner = `the pool '${name}'`;
    this.size = size;
    this.#waitMs = waitMs;
    this.#by = by;
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

  enter(options: WaitOptions = {}): PoolSlot | Promise<PoolSlot> {
    if (this.#isClosed) return Promise.reject(closedError(`a place in the pool '${this.name}'`));
    let key: string;
    try {
      key = callerKey(this.#by, options.context, `the pool '${this.name}'`);
    } catch (thrown) {
      return Promise.reject(thrown as TroupeError);
    }
    if (this.#taken < this.size && this.#line.size === 0) {
      this.#taken += 1;
      return this.#place(options);
    }
    const { priority, waitMs = this.#waitMs, signal } = options;
    return this.#line.join(undefined, { priority, waitMs, signal, key }).then(() => this.#place(options));
  }

  async use<Value>(work: (place: PoolSlot) => Value | Promise<Value>, options?: WaitOptions): Promise<Value> {
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

  #place(options: WaitOptions): PoolSlot {
    return new HeldPlace(
      () => {
        this.#release();
      },
      () => this.#return(options),
    );
  }

  /** Passes the slot directly to the next waiting call. */
  #release(): void {
    if (this.#line.size > 0) this.#line.serve();
    else this.#taken -= 1;
  }

  /** Acquires a lent slot again, before all waiting calls, without a time limit. */
  #return({ signal }: WaitOptions): Promise<void> | undefined {
    if (this.#taken < this.size) {
      this.#taken += 1;
      return undefined;
    }
    return this.#line.join(undefined, { signal, isReturning: true });
  }
}

class HeldPlace implements PoolSlot {
  readonly #release: () => void;
  readonly #return: () => Promise<void> | undefined;
  #isHeld = true;
  #isOver = false;
  #lent = 0;
  #reacquiring: Promise<void> | undefined;

  constructor(release: () => void, reacquire: () => Promise<void> | undefined) {
    this.#release = release;
    this.#return = reacquire;
  }

  async lend<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#lent += 1;
    this.#releaseSlot();
    try {
      return await work();
    } finally {
      this.#lent -= 1;
      if (this.#lent === 0 && !this.#isOver) await this.#reacquire();
    }
  }

  leave(): void {
    this.#isOver = true;
    this.#releaseSlot();
  }

  #releaseSlot(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#release();
  }

  /** Once for all concurrent lends. */
  #reacquire(): Promise<void> {
    return (this.#reacquiring ??= this.#acquireAgain());
  }

  async #acquireAgain(): Promise<void> {
    try {
      await this.#return();
      this.#isHeld = true;
      // The call ended or lent its slot again meanwhile.
      if (this.#isOver || this.#lent > 0) this.#releaseSlot();
    } finally {
      this.#reacquiring = undefined;
    }
  }
}
