import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { Priority } from '../../contracts/messages/priority.ts';
import type { BreakerPass, CircuitBreaker } from './circuit-breaker.ts';
import type { ConcurrencyPool, PoolSlot } from './concurrency-pool.ts';
import { isFault } from './faults.ts';
import type { ProviderHealth } from './provider-health.ts';
import type { RateGrant, RateLimit } from './rate-limit.ts';

/** The resources that calls share across runs; each is optional. */
export interface SharedBy {
  /** Rejects calls while the called side keeps failing. */
  readonly breaker?: CircuitBreaker | undefined;
  /** Limits concurrent calls. */
  readonly pool?: ConcurrencyPool | undefined;
  /** Limits calls or tokens per time. */
  readonly rate?: RateLimit | undefined;
  /** Observes the result of each call. */
  readonly health?: ProviderHealth | undefined;
  /** Priority among waiting calls. Default `peer`. */
  readonly priority?: Priority | undefined;
}

/** The requirements of one call. */
export interface SharedCallNeeds {
  /** Read only if the call has to wait. */
  readonly signal: AbortSignal;
  /** Tokens that it may use; called only if tokens are limited. */
  readonly tokens: () => number;
  /** The `context` of its run. */
  readonly context: unknown;
  /** Suspends the call's timeouts while it waits. */
  readonly inLine: <Turn>(turn: Promise<Turn>) => Promise<Turn>;
}

/** An admitted call, which reports its result once. */
export interface Entered {
  readonly place: PoolSlot | undefined;
  succeeded(tokens?: number): void;
  failed(error: ErrorData): void;
  calledOff(): void;
}

/**
 * Admits a call: at once if all resources allow it, otherwise in order.
 *
 * The pool comes before the rate limit, as a rate permit counts from the moment it is given. The breaker is checked first, so that no call
 * waits for a service that is down, and entered last.
 */
export const enter = (by: SharedBy, wish: SharedCallNeeds): Entered | Promise<Entered> => {
  by.breaker?.check();
  const place = by.pool?.enter(optionsOf(by, wish));
  if (isThenable(place)) return wish.inLine(place).then((held) => withPlace(by, wish, held));
  return withPlace(by, wish, place);
};

const withPlace = (
  by: SharedBy,
  wish: SharedCallNeeds,
  place: PoolSlot | undefined,
): Entered | Promise<Entered> => {
  const { rate } = by;
  if (rate === undefined) return withGrant(by, place, undefined);
  const tokens = rate.limitsTokens ? wish.tokens() : 0;
  const options = optionsOf(by, wish);
  const grant = rate.take({
    priority: options.priority,
    context: options.context,
    tokens,
    get signal() {
      return options.signal;
    },
  });
  if (!isThenable(grant)) return withGrant(by, place, grant);
  return wish.inLine(grant).then(
    (given) => withGrant(by, place, given),
    (thrown: unknown) => {
      place?.leave();
      throw thrown;
    },
  );
};

const withGrant = (by: SharedBy, place: PoolSlot | undefined, grant: RateGrant | undefined): Entered => {
  let pass: BreakerPass | undefined;
  try {
    pass = by.breaker?.pass();
  } catch (thrown) {
    // It opened while the call waited.
    grant?.giveBack();
    place?.leave();
    throw thrown;
  }
  return {
    place,
    succeeded: (tokens) => {
      if (tokens !== undefined) grant?.settle(tokens);
      pass?.succeeded();
      by.health?.succeeded();
      place?.leave();
    },
    failed: (error) => {
      if (isAskedToWait(error)) by.rate?.closeFor(error.retryAfterMs);
      pass?.failed(error);
      if (isFault(error) || error.code === 'model.rate-limited') by.health?.failed();
      place?.leave();
    },
    calledOff: () => {
      pass?.calledOff();
      place?.leave();
    },
  };
};

/** Checks whether the provider asked for a pause by a 429 or 503. */
const isAskedToWait = (error: ErrorData): error is ErrorData & { readonly retryAfterMs: number } =>
  (error.code === 'model.rate-limited' || error.code === 'model.unavailable') &&
  error.retryAfterMs !== undefined;

const optionsOf = ({ priority }: SharedBy, wish: SharedCallNeeds) => ({
  priority,
  context: wish.context,
  get signal() {
    return wish.signal;
  },
});
