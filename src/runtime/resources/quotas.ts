import type { OptionSchema } from '../../base/schemas/option-schemas.ts';
import { optional, optionsSchema, together, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Passed } from './rate-window.ts';
import { RateWindow } from './rate-window.ts';

/** The most that each tenant may use in any window of `perMs`; at least one bound. */
export interface Quota {
  readonly calls?: number | undefined;
  /** Estimated before a call and corrected after it; one that failed counts as estimated. */
  readonly tokens?: number | undefined;
  /** Length of the window, in ms. */
  readonly perMs: number;
}

export const aQuota = (): OptionSchema =>
  together<Quota>(
    optionsSchema<Quota>({
      calls: optional(wholeNumber(1)),
      tokens: optional(wholeNumber(1)),
      perMs: wholeNumber(1),
    }),
    ({ calls, tokens }) =>
      calls === undefined && tokens === undefined ? ['calls', 'missing: give it calls or tokens'] : undefined,
  );

/** The share that one call takes of its tenant's quota. */
export interface QuotaUse {
  settle(tokens: number): void;
  giveBack(): void;
}

interface Windows {
  readonly calls?: RateWindow | undefined;
  readonly tokens?: RateWindow | undefined;
}

/**
 * The quota of each tenant, by key.
 *
 * I1 A call is counted from the moment it is asked for, also while it waits: calls that wait together do not exceed the quota.
 * I2 Tenants without a call in their window take no memory, once others call.
 */
export class Quotas {
  readonly #quota: Quota;
  /** By the time of the latest call, the oldest first. */
  readonly #tenants = new Map<string, Windows>();

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  get limitsTokens(): boolean {
    return this.#quota.tokens !== undefined;
  }

  /** @throws `budget.spent` if the key has not enough left. */
  take(key: string, tokens: number, now: number, owner: string): QuotaUse {
    const { calls, tokens: ofTokens } = this.#windowsOf(key, now);
    const waitMs = Math.max(calls?.waitMs(now, 1) ?? 0, ofTokens?.waitMs(now, tokens) ?? 0);
    if (waitMs > 0) throw quotaError(this.#quota, owner, waitMs);
    const call = calls?.take(now, 1);
    const used = ofTokens?.take(now, tokens);
    const settle = (amount: number): void => {
      if (used !== undefined) ofTokens?.correct(used, amount);
    };
    return {
      settle,
      giveBack: () => {
        giveBack(calls, call);
        settle(0);
      },
    };
  }

  #windowsOf(key: string, now: number): Windows {
    const windows = this.#tenants.get(key) ?? this.#made();
    this.#tenants.delete(key);
    this.#tenants.set(key, windows);
    for (const [oldest, known] of this.#tenants) {
      if (oldest === key || !isIdle(known, now)) break;
      this.#tenants.delete(oldest);
    }
    return windows;
  }

  #made(): Windows {
    const { calls, tokens, perMs } = this.#quota;
    const windowMs = perMs;
    return {
      ...(calls === undefined ? {} : { calls: new RateWindow({ limit: calls, windowMs }) }),
      ...(tokens === undefined ? {} : { tokens: new RateWindow({ limit: tokens, windowMs }) }),
    };
  }
}

const giveBack = (window: RateWindow | undefined, passed: Passed | undefined): void => {
  if (passed !== undefined) window?.correct(passed, 0);
};

const isIdle = ({ calls, tokens }: Windows, now: number): boolean =>
  (calls?.usedAt(now) ?? 0) === 0 && (tokens?.usedAt(now) ?? 0) === 0;

/** The error names no tenant, as it may be shown to another. */
const quotaError = ({ calls, tokens, perMs }: Quota, owner: string, retryAfterMs: number): TroupeError => {
  const bounds = [
    ...(calls === undefined ? [] : [`${calls} calls`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
  return new TroupeError(
    'budget.spent',
    `Cannot call now as the quota of ${owner} is spent: ${bounds.join(' and ')} in ${perMs} ms, look again in ${retryAfterMs} ms`,
    { retryable: 'no', retryAfterMs },
  );
};
