import { aFunction, fulfilling, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Observable } from 'rxjs';
import type { SnapshotFrom } from 'xstate';
import { initialTransition, transition } from 'xstate';
import type { Clock } from '../../base/clock.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, TroupeError } from '../../contracts/errors/error.ts';
import type { BreakerEvent } from '../../machines/resources/breaker-machine.ts';
import { breakerMachine } from '../../machines/resources/breaker-machine.ts';
import { isFault } from './faults.ts';
import type { ResourceOptions } from './resource-options.ts';
import { clockOf, resourceShape } from './resource-options.ts';
import { Broadcast } from './broadcast.ts';

/** `open`: calls fail at once; `halfOpen`: one trial call may pass, or is in progress. */
export type BreakerState = 'closed' | 'open' | 'halfOpen';

/** Options of {@link circuitBreaker}. */
export interface BreakerOptions extends ResourceOptions {
  /** Consecutive failures that open it. Default 5. */
  readonly failures?: number | undefined;
  /** Time that it stays open before a trial call, in ms. Default 30,000. */
  readonly halfOpenAfterMs?: number | undefined;
  /**
   * Selects the failures that count. Default: those of the called side (unavailable, unreachable, timed out, malformed answers, a tool that
   * threw); not the caller's errors (a bad request, a wrong key, a 4xx), rate limits (429), refusals, or cancelled calls.
   */
  readonly counts?: ((error: ErrorData) => boolean) | undefined;
}

/** A call that was admitted; its first report counts. */
export interface BreakerPass {
  succeeded(): void;
  /** Reports a failure; the breaker decides whether it counts. */
  failed(thrown: unknown): void;
  /** Reports that the call was cancelled. */
  calledOff(): void;
}

/** Rejects calls to a service that keeps failing; see {@link circuitBreaker}. */
export interface CircuitBreaker {
  readonly name: string;
  readonly state: BreakerState;
  /** Emits each new state; `halfOpen` when a trial call is admitted. */
  readonly states$: Observable<BreakerState>;
  /** Time until a call may pass, in ms; 0 if one may pass now. */
  readonly retryAfterMs: number;
  /** Throws `resource.open` unless a call may pass now. Changes nothing. */
  check(): void;
  /** Admits a call, or throws `resource.open`. The caller has to report the result. */
  pass(): BreakerPass;
  /** Runs `work` as one call. */
  use<Value>(work: () => Value | Promise<Value>): Promise<Value>;
}

/**
 * Creates a circuit breaker for a provider or a tool: after a number of consecutive failures, calls fail at once with `resource.open` (with
 * `retryAfterMs`; an agent with several models falls back to the next), until a trial call succeeds.
 *
 * It uses no timer and needs no manual reset: it half-opens at the first call that is due.
 *
 * @example
 * const breaker = circuitBreaker({ failures: 5, halfOpenAfterMs: 30_000 });
 * const model = shared(openai('gpt-5.5'), { breaker });
 *
 * @throws {TroupeError} `resource.invalid` for a number that bounds nothing.
 */
export const circuitBreaker = (options: BreakerOptions = {}): CircuitBreaker => new Breaker(options);

const check = optionsCheck<BreakerOptions>({ code: 'resource.invalid', owner: 'a breaker' }, () => ({
  ...resourceShape(),
  failures: optional(wholeNumber(1)),
  halfOpenAfterMs: optional(
    fulfilling(
      (given) => typeof given === 'number' && given > 0 && given <= Number.MAX_SAFE_INTEGER,
      'not a time above 0, in ms',
    ),
  ),
  counts: optional(aFunction()),
}));

const DEFAULT_FAILURES = 5;
const DEFAULT_HALF_OPEN_MS = 30_000;
/** Retry advice during a trial call, whose duration is unknown, in ms. */
const TRIAL_MS = 5_000;

class Breaker implements CircuitBreaker {
  readonly name: string;
  readonly #clock: Clock;
  readonly #counts: (error: ErrorData) => boolean;
  readonly #observers = new Broadcast<BreakerState>();
  #snapshot: SnapshotFrom<typeof breakerMachine>;

  constructor(options: BreakerOptions) {
    const {
      name = 'breaker',
      failures = DEFAULT_FAILURES,
      halfOpenAfterMs = DEFAULT_HALF_OPEN_MS,
      counts = isFault,
    } = check(options);
    this.name = name;
    this.#clock = clockOf(options);
    this.#counts = counts;
    [this.#snapshot] = initialTransition(breakerMachine, {
      failures,
      halfOpenAfterMs,
    });
  }

  get state(): BreakerState {
    const { value } = this.#snapshot;
    return value === 'open' && this.retryAfterMs === 0 ? 'halfOpen' : value;
  }

  get states$(): Observable<BreakerState> {
    return this.#observers.values$;
  }

  get retryAfterMs(): number {
    const { value, context } = this.#snapshot;
    if (value === 'closed') return 0;
    if (value === 'halfOpen') return Math.min(TRIAL_MS, context.halfOpenAfterMs);
    return Math.max(0, context.dueAt - this.#clock.now());
  }

  check(): void {
    if (this.retryAfterMs > 0) throw this.#open();
  }

  pass(): BreakerPass {
    this.check();
    this.#move({ type: 'asked', at: this.#clock.now() });
    const { spell } = this.#snapshot.context;
    let isOver = false;
    const once = (event: () => BreakerEvent): void => {
      if (isOver) return;
      isOver = true;
      this.#move(event());
    };
    return {
      succeeded: () => {
        once(() => ({ type: 'succeeded', spell }));
      },
      failed: (thrown) => {
        once(() =>
          this.#doesCount(errorData(thrown, 'internal'))
            ? { type: 'failed', at: this.#clock.now(), spell }
            : { type: 'spared', spell },
        );
      },
      calledOff: () => {
        once(() => ({ type: 'spared', spell }));
      },
    };
  }

  async use<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    const pass = this.pass();
    try {
      const value = await work();
      pass.succeeded();
      return value;
    } catch (thrown) {
      pass.failed(thrown);
      throw thrown;
    }
  }

  get #what(): string {
    return `the breaker '${this.name}'`;
  }

  #move(event: BreakerEvent): void {
    const { value } = this.#snapshot;
    [this.#snapshot] = transition(breakerMachine, this.#snapshot, event);
    if (this.#snapshot.value !== value) this.#observers.emit(this.#snapshot.value);
  }

  /** A throwing `counts` counts the failure: the call's own error is the one to report. */
  #doesCount(error: ErrorData): boolean {
    try {
      return this.#counts(error);
    } catch {
      return true;
    }
  }

  #open(): TroupeError {
    const { retryAfterMs } = this;
    return new TroupeError(
      'resource.open',
      `Cannot call now as ${this.#what} is open after failures in a row: look again in ${retryAfterMs} ms`,
      { retryable: 'yes', retryAfterMs },
    );
  }
}
