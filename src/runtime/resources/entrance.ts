import type { ErrorData } from '../../contracts/error.ts';
import { isThenable } from '../../contracts/thenable.ts';
import type { Priority } from '../../contracts/priority.ts';
import type { BreakerPass, CircuitBreaker } from './circuit-breaker.ts';
import type { ConcurrencyPool, Place } from './concurrency-pool.ts';
import { isFault } from './faults.ts';
import type { ProviderHealth } from './provider-health.ts';
import type { RateGrant, RateLimit } from './rate-limit.ts';

/** What calls share with others, whatever run they belong to. Each may be left out. */
export interface SharedBy {
  /** Fails calls at once while the other side is out of order. */
  readonly breaker?: CircuitBreaker | undefined;
  /** So many at a time. */
  readonly pool?: ConcurrencyPool | undefined;
  /** So many, or so many tokens, in a time. */
  readonly rate?: RateLimit | undefined;
  /** Told what came of each call. */
  readonly health?: ProviderHealth | undefined;
  /** Who goes first in line. Default `peer`. */
  readonly priority?: Priority | undefined;
}

/** What one call wants of what it shares. */
export interface CallWish {
  /** Read only if the call has to wait. */
  readonly signal: AbortSignal;
  /** What it may use; asked only where tokens are limited. */
  readonly tokens: () => number;
  /** The time of the call stands still while it waits. */
  readonly inLine: <Turn>(turn: Promise<Turn>) => Promise<Turn>;
}

/** A call that may begin; whoever was let in says, once, what came of it. */
export interface Entered {
  readonly place: Place | undefined;
  succeeded(tokens?: number): void;
  failed(error: ErrorData): void;
  calledOff(): void;
}

/**
 * Lets a call in: at once if there is room everywhere, else as soon as it is its turn.
 *
 * The place comes before the leave to call: leave counts from the moment it is given. A breaker is looked at first, as nobody should
 * wait for somebody who is out of order, and asked last.
 */
export const enter = (by: SharedBy, wish: CallWish): Entered | Promise<Entered> => {
  by.breaker?.check();
  const place = by.pool?.enter(optionsOf(by, wish));
  if (isThenable(place)) return wish.inLine(place).then((held) => withPlace(by, wish, held));
  return withPlace(by, wish, place);
};

const withPlace = (by: SharedBy, wish: CallWish, place: Place | undefined): Entered | Promise<Entered> => {
  const { rate } = by;
  if (rate === undefined) return withGrant(by, place, undefined);
  const tokens = rate.limitsTokens ? wish.tokens() : 0;
  const options = optionsOf(by, wish);
  const grant = rate.take({
    priority: options.priority,
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

const withGrant = (by: SharedBy, place: Place | undefined, grant: RateGrant | undefined): Entered => {
  let pass: BreakerPass | undefined;
  try {
    pass = by.breaker?.pass();
  } catch (thrown) {
    // It opened while the call was in line.
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

/** The provider said, by a 429 or a 503, that nobody should come back before. */
const isAskedToWait = (error: ErrorData): error is ErrorData & { readonly retryAfterMs: number } =>
  (error.code === 'model.rate-limited' || error.code === 'model.unavailable') &&
  error.retryAfterMs !== undefined;

const optionsOf = ({ priority }: SharedBy, wish: CallWish) => ({
  priority,
  get signal() {
    return wish.signal;
  },
});
