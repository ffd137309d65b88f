import type { Observable } from 'rxjs';
import type { SnapshotFrom } from 'xstate';
import { initialTransition, transition } from 'xstate';
import type { Clock } from '../../contracts/clock.ts';
import type { ErrorData } from '../../contracts/error.ts';
import { errorData, TroupeError } from '../../contracts/error.ts';
import type { BreakerEvent } from '../../machines/breaker-machine.ts';
import { breakerMachine } from '../../machines/breaker-machine.ts';
import { checkCount } from '../define/check-count.ts';
import { isFault } from './faults.ts';
import type { ResourceOptions } from './resource-options.ts';
import { checkMs, clockOf } from './resource-options.ts';
import { Told } from './told.ts';

/** `open`: calls fail at once; `halfOpen`: one is let through to see, or has been. */
export type BreakerState = 'closed' | 'open' | 'halfOpen';

/** When a breaker opens, and for how long. */
export interface BreakerOptions extends ResourceOptions {
  /** Failures in a row that open it. Default 5. */
  readonly failures?: number | undefined;
  /** The time that it stays open before one call is let through, in ms. Default 30,000. */
  readonly halfOpenAfterMs?: number | undefined;
  /**
   * Which failures count. Default: those of the other side (out of order, unreachable, too late, nonsense, a tool that threw); not
   * the caller's mistakes (a bad request, a wrong key, a 4xx), limits (429), refusals, or what was called off.
   */
  readonly counts?: ((error: ErrorData) => boolean) | undefined;
}

/** A call that was let through; the first word on what came of it counts. */
export interface BreakerPass {
  succeeded(): void;
  /** What it failed with; whether it counts is for the breaker to say. */
  failed(thrown: unknown): void;
  /** Nobody waited for it any more. */
  calledOff(): void;
}

/** Keeps calls from somebody who fails every time; see {@link circuitBreaker}. */
export interface CircuitBreaker {
  readonly name: string;
  readonly state: BreakerState;
  /** Each state that it comes to; `halfOpen` when a call is let through. */
  readonly states$: Observable<BreakerState>;
  /** The time until a call may pass, in ms; 0 if one may now. */
  readonly retryAfterMs: number;
  /** Throws `resource.open` unless a call may pass now, and changes nothing. */
  check(): void;
  /** Lets a call through, or throws `resource.open`. Who was let through has to say what came of it. */
  pass(): BreakerPass;
  /** Does something if it may be done. */
  use<Value>(work: () => Value | Promise<Value>): Promise<Value>;
}

/**
 * A circuit breaker for a provider or a tool: after so many failures in a row, calls fail at once with `resource.open` (its
 * `retryAfterMs` says when to come back, and an agent with several models falls back to the next), until one is let through to see.
 *
 * It needs no timer and nobody has to close it: it half-opens at the first call that is due.
 *
 * @example
 * const breaker = circuitBreaker({ failures: 5, halfOpenAfterMs: 30_000 });
 * const model = shared(openai('gpt-5.5'), { breaker });
 *
 * @throws {TroupeError} `resource.invalid` for a number that bounds nothing.
 */
export const circuitBreaker = (options: BreakerOptions = {}): CircuitBreaker => new Breaker(options);

const DEFAULT_FAILURES = 5;
const DEFAULT_HALF_OPEN_MS = 30_000;
/** While one is on trial, nobody knows for how long: the others are told to look again soon. */
const TRIAL_MS = 5_000;

class Breaker implements CircuitBreaker {
  readonly name: string;
  readonly #clock: Clock;
  readonly #counts: (error: ErrorData) => boolean;
  readonly #told = new Told<BreakerState>();
  #snapshot: SnapshotFrom<typeof breakerMachine>;

  constructor(options: BreakerOptions) {
    const {
      name = 'breaker',
      failures = DEFAULT_FAILURES,
      halfOpenAfterMs = DEFAULT_HALF_OPEN_MS,
      counts = isFault,
    } = options;
    this.name = name;
    const owner = this.#what;
    this.#clock = clockOf(options);
    this.#counts = counts;
    [this.#snapshot] = initialTransition(breakerMachine, {
      failures: checkCount(failures, 1, 'failures', { code: 'resource.invalid', owner }),
      halfOpenAfterMs: checkMs(halfOpenAfterMs, 'halfOpenAfterMs', owner, Number.MAX_SAFE_INTEGER),
    });
  }

  get state(): BreakerState {
    const { value } = this.#snapshot;
    return value === 'open' && this.retryAfterMs === 0 ? 'halfOpen' : value;
  }

  get states$(): Observable<BreakerState> {
    return this.#told.values$;
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
    if (this.#snapshot.value !== value) this.#told.tell(this.#snapshot.value);
  }

  /** What it cannot be told of counts: the call's own error is worth more than the one of whoever was asked. */
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
