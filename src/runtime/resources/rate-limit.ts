import { aFunction, aTime, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Clock } from '../../base/clock.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { KeyBy } from './caller-key.ts';
import { callerKey } from './caller-key.ts';
import type { Quota, QuotaUse } from './quotas.ts';
import { aQuota, Quotas } from './quotas.ts';
import type { Passed } from './rate-window.ts';
import { RateWindow } from './rate-window.ts';
import type { ResourceOptions } from './resource-options.ts';
import { busyError, clockOf, closedError, LONGEST_WAIT_MS, resourceShape } from './resource-options.ts';
import type { WaitOptions } from './waiting-line.ts';
import { WaitingLine } from './waiting-line.ts';

/** Options of {@link rateLimit}; at least one limit. */
export interface RateLimitOptions extends ResourceOptions {
  /** Calls in any second. */
  readonly perSecond?: number | undefined;
  /** Calls in any minute. */
  readonly perMinute?: number | undefined;
  /** Tokens in any minute: estimated before a call and corrected after it. */
  readonly tokensPerMinute?: number | undefined;
  /** Calls that may start at once; further ones are spread evenly. Default: as many as the limits allow. */
  readonly burst?: number | undefined;
  /** Longest wait of a call, in ms. Default 300,000. */
  readonly waitMs?: number | undefined;
  /** Names the tenant of a call by the `context` of its run: waiting calls of tenants take turns. Default: one line for all. */
  readonly by?: KeyBy | undefined;
  /** Bound of each tenant of `by`: a call beyond it fails with `budget.spent`, with `retryAfterMs`. Default: none. */
  readonly quota?: Quota | undefined;
}

/** A permit for one call. */
export interface RateGrant {
  /** Reports the tokens that the call used. */
  settle(tokens: number): void;
  /** Returns the permit of a call that was not made. */
  giveBack(): void;
}

/** Requirements of a call. */
export interface RateRequest extends WaitOptions {
  /** Tokens that the call may use. Default 0. */
  readonly tokens?: number | undefined;
}

/** A rate limit shared by all callers of a provider; see {@link rateLimit}. */
export interface RateLimit {
  readonly name: string;
  /** Number of waiting calls. */
  readonly waiting: number;
  /** True if it needs to know the tokens of a call. */
  readonly limitsTokens: boolean;
  /** No call before this time, in ms since 1970; 0 initially. */
  readonly closedUntil: number;
  /** Acquires a permit: at once if there is room and no call waits, otherwise in order (of its tenant, where there is `by`). */
  take(wish?: RateRequest): RateGrant | Promise<RateGrant>;
  /** Suspends calls for `ms`, as the provider asked for; the longest of several requests counts. */
  closeFor(ms: number): void;
  /** Rejects waiting and new calls with `resource.closed`. */
  close(): void;
}

/**
 * Creates a rate limit: calls wait instead of exceeding a provider's limit (429). One per key, shared by all runs.
 *
 * It delays and never retries. If the provider asks one call to come back later (`Retry-After`), all wait until then. In any second and any minute,
 * at most the given number of calls start. With `by`, tenants take turns, and each has a `quota` of its own.
 *
 * @example
 * const openaiKey = rateLimit({ perMinute: 500, tokensPerMinute: 200_000 });
 * const model = shared(openai('gpt-5.5'), { rate: openaiKey });
 *
 * @throws {TroupeError} `resource.invalid` without a limit, or for one that is no whole number from 1. `take` rejects with
 * `resource.busy` after the longest wait, with `budget.spent` beyond the quota, with `run.aborted`, with `resource.closed`, and with
 * `resource.invalid` if `by` throws or returns no text.
 */
export const rateLimit = (options: RateLimitOptions): RateLimit => new SharedRate(options);

const check = optionsCheck<RateLimitOptions>({ code: 'resource.invalid', owner: 'a rate limit' }, () => ({
  ...resourceShape(),
  perSecond: optional(wholeNumber(1)),
  perMinute: optional(wholeNumber(1)),
  tokensPerMinute: optional(wholeNumber(1)),
  burst: optional(wholeNumber(1)),
  waitMs: optional(aTime()),
  by: optional(aFunction()),
  quota: optional(aQuota()),
}));

const SECOND = 1_000;
const MINUTE = 60_000;

class SharedRate implements RateLimit {
  readonly name: string;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #calls: readonly RateWindow[];
  readonly #tokens: RateWindow | undefined;
  readonly #by: KeyBy | undefined;
  readonly #quotas: Quotas | undefined;
  readonly #line: WaitingLine<RateGrant, number>;
  #closedUntil = 0;
  #isClosed = false;
  #timer: unknown;

  constructor(options: RateLimitOptions) {
    const {
      perSecond,
      perMinute,
      tokensPerMinute,
      waitMs = LONGEST_WAIT_MS,
      name = 'rate limit',
      burst,
      by,
      quota,
    } = check(options);
    this.name = name;
    this.#by = by;
    if (quota !== undefined) this.#quotas = new Quotas(quota);
    const owner = this.#what;
    this.#calls = [
      ...(perSecond === undefined ? [] : [new RateWindow({ limit: perSecond, windowMs: SECOND, burst })]),
      ...(perMinute === undefined ? [] : [new RateWindow({ limit: perMinute, windowMs: MINUTE, burst })]),
    ];
    if (tokensPerMinute !== undefined)
      this.#tokens = new RateWindow({ limit: tokensPerMinute, windowMs: MINUTE });
    if (this.#calls.length === 0 && this.#tokens === undefined && quota === undefined)
      throw new TroupeError(
        'resource.invalid',
        `Cannot define ${owner} as it limits nothing: give it perSecond, perMinute, tokensPerMinute or quota`,
      );
    this.#clock = clockOf(options);
    this.#waitMs = waitMs;
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
    return this.#tokens !== undefined || this.#quotas?.limitsTokens === true;
  }

  get closedUntil(): number {
    return this.#closedUntil;
  }

  take(wish: RateRequest = {}): RateGrant | Promise<RateGrant> {
    if (this.#isClosed) return Promise.reject(closedError(this.#what));
    let key: string;
    let use: QuotaUse | undefined;
    try {
      key = callerKey(this.#by, wish.context, this.#what);
      use = this.#quotas?.take(key, wish.tokens ?? 0, this.#clock.now(), this.#what);
    } catch (thrown) {
      return Promise.reject(thrown as TroupeError);
    }
    const grant = this.#enter(wish, key);
    return use === undefined ? grant : withinQuota(grant, use);
  }

  #enter(wish: RateRequest, key: string): RateGrant | Promise<RateGrant> {
    const { tokens = 0, waitMs = this.#waitMs } = wish;
    const isNext = this.#line.isFreeFor(wish);
    if (isNext && this.#untilFree(tokens) === 0) return this.#grant(tokens);
    // Rejected early if the wait would time out, so that the caller can use another model.
    const closedMs = this.#closedUntil - this.#clock.now();
    if (closedMs > waitMs) return Promise.reject(busyError(this.#what, waitMs, closedMs));
    const turn = this.#line.join(tokens, {
      priority: wish.priority,
      waitMs,
      signal: wish.signal,
      key,
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

  /** Admits waiting calls, and schedules the next attempt: one timer for all. */
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

/** A permit that takes of a quota; the quota gets back what a call that is not admitted would have taken. */
const withinQuota = (
  grant: RateGrant | Promise<RateGrant>,
  use: QuotaUse,
): RateGrant | Promise<RateGrant> => {
  if (!isThenable(grant)) return bothOf(grant, use);
  return grant.then(
    (given) => bothOf(given, use),
    (thrown: unknown) => {
      use.giveBack();
      throw thrown;
    },
  );
};

const bothOf = (grant: RateGrant, use: QuotaUse): RateGrant => ({
  settle: (tokens) => {
    grant.settle(tokens);
    use.settle(tokens);
  },
  giveBack: () => {
    grant.giveBack();
    use.giveBack();
  },
});
