import type { Clock } from '../../contracts/clock.ts';
import { TroupeError } from '../../contracts/error.ts';
import { checkCount } from '../define/check-count.ts';
import type { Passed } from './rate-window.ts';
import { RateWindow } from './rate-window.ts';
import type { ResourceOptions } from './resource-options.ts';
import { busyError, checkMs, clockOf, closedError, LONGEST_WAIT_MS } from './resource-options.ts';
import type { WaitOptions } from './waiting-line.ts';
import { WaitingLine } from './waiting-line.ts';

/** What a provider allows; at least one limit. */
export interface RateLimitOptions extends ResourceOptions {
  /** Calls in any second. */
  readonly perSecond?: number | undefined;
  /** Calls in any minute. */
  readonly perMinute?: number | undefined;
  /** Tokens in any minute: estimated before a call, and set right after it. */
  readonly tokensPerMinute?: number | undefined;
  /** The number of calls that may begin at once; then they are spread evenly. Default: as many as the limits allow. */
  readonly burst?: number | undefined;
  /** The time that a call waits in line at most, in ms. Default 300,000. */
  readonly waitMs?: number | undefined;
}

/** Leave to call, once. */
export interface RateGrant {
  /** The call used so many tokens. */
  settle(tokens: number): void;
  /** The call was not made after all. */
  giveBack(): void;
}

/** Whoever wants to call. */
export interface RateWish extends WaitOptions {
  /** What the call may use. Default 0. */
  readonly tokens?: number | undefined;
}

/** A limit that all who call a provider share; see {@link rateLimit}. */
export interface RateLimit {
  readonly name: string;
  /** The number of those that wait. */
  readonly waiting: number;
  /** True if it has to know what a call may use. */
  readonly limitsTokens: boolean;
  /** Nobody may call before, in ms since 1970; 0 if that never was so. */
  readonly closedUntil: number;
  /** Leave to call: at once if there is room and nobody waits, else in line. */
  take(wish?: RateWish): RateGrant | Promise<RateGrant>;
  /** Nobody calls for so long, in ms: the provider asked for it. The longest of several counts. */
  closeFor(ms: number): void;
  /** Whoever waits, and whoever comes, is refused with `resource.closed`. */
  close(): void;
}

/**
 * Has calls wait in line in place of running into a provider's limit (429): one for each key, shared by all runs.
 *
 * It delays and never retries. Where one call is told to come back later (`Retry-After`), all wait until then. In any second,
 * and any minute, no more calls begin than it says.
 *
 * @example
 * const openaiKey = rateLimit({ perMinute: 500, tokensPerMinute: 200_000 });
 * const model = shared(openai('gpt-5.5'), { rate: openaiKey });
 *
 * @throws {TroupeError} `resource.invalid` without a limit, or for one that is no whole number from 1. `take` rejects with
 * `resource.busy` for whoever waited too long, with `run.aborted`, and with `resource.closed`.
 */
export const rateLimit = (options: RateLimitOptions): RateLimit => new SharedRate(options);

const SECOND = 1_000;
const MINUTE = 60_000;

class SharedRate implements RateLimit {
  readonly name: string;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #calls: readonly RateWindow[];
  readonly #tokens: RateWindow | undefined;
  readonly #line: WaitingLine<RateGrant, number>;
  #closedUntil = 0;
  #isClosed = false;
  #timer: unknown;

  constructor(options: RateLimitOptions) {
    const { perSecond, perMinute, tokensPerMinute, waitMs = LONGEST_WAIT_MS, name = 'rate limit' } = options;
    this.name = name;
    const owner = this.#what;
    const count = (value: number, option: string): number =>
      checkCount(value, 1, option, { code: 'resource.invalid', owner });
    const burst = options.burst === undefined ? undefined : count(options.burst, 'burst');
    this.#calls = [
      ...(perSecond === undefined
        ? []
        : [new RateWindow({ limit: count(perSecond, 'perSecond'), windowMs: SECOND, burst })]),
      ...(perMinute === undefined
        ? []
        : [new RateWindow({ limit: count(perMinute, 'perMinute'), windowMs: MINUTE, burst })]),
    ];
    if (tokensPerMinute !== undefined)
      this.#tokens = new RateWindow({ limit: count(tokensPerMinute, 'tokensPerMinute'), windowMs: MINUTE });
    if (this.#calls.length === 0 && this.#tokens === undefined)
      throw new TroupeError(
        'resource.invalid',
        `Cannot define ${owner} as it limits nothing: give it perSecond, perMinute or tokensPerMinute`,
      );
    this.#clock = clockOf(options);
    this.#waitMs = checkMs(waitMs, 'waitMs', owner);
    this.#line = new WaitingLine({
      clock: this.#clock,
      what: owner,
      late: (waited) => busyError(owner, waited, this.#untilFree(0)),
      onLeft: () => {
        this.#serve();
      },
    });
  }

  get waiting(): number {
    return this.#line.size;
  }

  get limitsTokens(): boolean {
    return this.#tokens !== undefined;
  }

  get closedUntil(): number {
    return this.#closedUntil;
  }

  take(wish: RateWish = {}): RateGrant | Promise<RateGrant> {
    if (this.#isClosed) return Promise.reject(closedError(this.#what));
    const { tokens = 0, waitMs = this.#waitMs } = wish;
    const isNext = this.#line.isFreeFor(wish);
    if (isNext && this.#untilFree(tokens) === 0) return this.#grant(tokens);
    // Who would wait in vain may better ask somebody else.
    const closedMs = this.#closedUntil - this.#clock.now();
    if (closedMs > waitMs) return Promise.reject(busyError(this.#what, waitMs, closedMs));
    const turn = this.#line.join(tokens, {
      priority: wish.priority,
      waitMs,
      signal: wish.signal,
    });
    this.#serve();
    return turn;
  }

  closeFor(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#clock.now() + ms);
    this.#serve();
  }

  close(): void {
    this.#isClosed = true;
    this.#line.refuseAll(closedError(this.#what));
    this.#disarm();
  }

  get #what(): string {
    return `the rate limit '${this.name}'`;
  }

  #untilFree(tokens: number): number {
    const now = this.#clock.now();
    return Math.max(
      0,
      this.#closedUntil - now,
      ...this.#calls.map((window) => window.waitMs(now, 1)),
      this.#tokens?.waitMs(now, tokens) ?? 0,
    );
  }

  #grant(tokens: number): RateGrant {
    const now = this.#clock.now();
    const calls = this.#calls.map((window) => ({ window, passed: window.take(now, 1) }));
    const passed = this.#tokens?.take(now, tokens);
    return {
      settle: (used) => {
        this.#setRight(passed, used);
      },
      giveBack: () => {
        for (const each of calls) each.window.correct(each.passed, 0);
        this.#setRight(passed, 0);
        this.#serve();
      },
    };
  }

  #setRight(passed: Passed | undefined, tokens: number): void {
    if (passed === undefined || passed.amount === tokens) return;
    this.#tokens?.correct(passed, tokens);
    this.#serve();
  }

  /** Lets pass whoever may, and wakes up again when the next may: one timer for all who wait. */
  #serve(): void {
    this.#disarm();
    for (let first = this.#line.first; first !== undefined; first = this.#line.first) {
      const waitMs = this.#untilFree(first.about);
      if (waitMs > 0) {
        this.#timer = this.#clock.setTimeout(() => {
          this.#serve();
        }, waitMs);
        return;
      }
      this.#line.serve(this.#grant(first.about));
    }
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
