import type { Clock } from '../../base/clock.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { AbortListener, LazyAbort } from '../../base/promises/lazy-abort.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type {
  Model,
  ModelAnswer,
  ModelCall,
  ModelDelta,
  ModelRequest,
} from '../../contracts/models/model.ts';
import { modelRetryDefaults } from './retry-policy.ts';

/** Options of one guarded attempt. */
export interface AttemptOptions {
  /** Passed to the model as `call.key`. */
  readonly key: string;
  readonly clock: Clock;
  /** Ends the attempt when it aborts. Looked at only if the model answers with a promise or asks for its own signal. */
  readonly abort?: LazyAbort | undefined;
  /** In ms; default 600,000 (what both vendors' SDKs wait). `Infinity` waits for ever. */
  readonly attemptTimeoutMs?: number | undefined;
  /** In ms; default 90,000. `Infinity` waits for ever. */
  readonly idleTimeoutMs?: number | undefined;
  readonly isWatched?: boolean | undefined;
  /** Passed to the model as `call.ask`, out of the attempt's time. */
  readonly ask?: ModelCall['ask'];
  /** Passed to the model as `call.longWait`. */
  readonly longWait?: ModelCall['longWait'];
  /** Passed to the model as `call.bytesOf`. */
  readonly bytesOf?: ModelCall['bytesOf'];
  /** Passed to the model as `call.context`. */
  readonly context?: unknown;
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Called with an answer that arrives after the attempt has ended. */
  readonly onLate?: ((answer: ModelAnswer) => void) | undefined;
}

/**
 * Asks a model once and guarantees an answer, or a typed error, in time.
 *
 * A synchronous answer is returned at once: no timer, no AbortController, no promise. A promise is raced against
 * `abort`, the attempt's time-out and an idle watchdog that every delta resets; whichever ends it first also aborts the
 * model's own signal, and later output of the model is ignored.
 *
 * @example
 * const answer = await attemptModel(model, request, { key: 'run-1/desk#3.DECIDE.0.1', clock: systemClock });
 *
 * @throws (or rejects with) the model's error, `model.timeout`, `model.idle`, or the reason of the abort: unchanged if
 * it
 * is a TroupeError, else as `run.aborted`.
 */
export const attemptModel = (
  model: Model,
  request: ModelRequest,
  options: AttemptOptions,
): ModelAnswer | Promise<ModelAnswer> => attemptThen(model, request, options, AS_IT_IS);

/** Continuations of an attempt. */
export interface AttemptEnds<Result> {
  answered(answer: ModelAnswer): Result | Promise<Result>;
  failed(thrown: unknown): Result | Promise<Result>;
  /** Called at once when the answer is no longer needed, before `failed`. */
  calledOff?(): void;
}

/**
 * Continues with the result of {@link attemptModel}, without a promise in between, which would be one more for each
 * waiting call.
 */
export const attemptThen = <Result>(
  model: Model,
  request: ModelRequest,
  options: AttemptOptions,
  ends: AttemptEnds<Result>,
): Result | Promise<Result> => {
  const attempt = new Attempt(model, options, ends);
  let answer: ModelAnswer | Promise<ModelAnswer>;
  try {
    answer = model.answer(request, callOf(attempt, options));
  } catch (error) {
    attempt.isOver = true;
    return ends.failed(error);
  }
  if (isThenable(answer)) return attempt.guard(answer);
  attempt.isOver = true;
  return ends.answered(answer);
};

const ATTEMPT = Symbol('attempt');

/** The call as own properties, so that a wrapper may spread it and change a part. */
const callOf = <Result>(
  attempt: Attempt<Result>,
  { key, isWatched = false, ask, longWait, bytesOf, context }: AttemptOptions,
): ModelCall => {
  const call = {
    key,
    isWatched,
    delta: (delta: ModelDelta) => {
      attempt.hear(delta);
    },
    inLine: <Turn>(turn: Promise<Turn>) => attempt.waitInLine(turn),
    ...(ask === undefined ? {} : { ask: (question: string) => attempt.waitInLine(ask(question)) }),
    longWait,
    ...(bytesOf === undefined ? {} : { bytesOf }),
    ...(context === undefined ? {} : { context }),
    [ATTEMPT]: attempt,
  };
  return Object.defineProperty(call, 'signal', SIGNAL) as typeof call & { readonly signal: AbortSignal };
};

/**
 * The lazy signal of every call: one getter for all. An object literal with a getter has a hidden class of its own, which V8 allocates as
 * a long-lived object: it would keep the run past each minor collection.
 */
const SIGNAL: PropertyDescriptor = {
  get(this: { readonly [ATTEMPT]: { readonly signal: AbortSignal } }) {
    return this[ATTEMPT].signal;
  },
  enumerable: true,
  configurable: true,
};

const AS_IT_IS: AttemptEnds<ModelAnswer> = {
  answered: (answer) => answer,
  failed: (thrown) => {
    throw thrown;
  },
};

class Attempt<Result> implements AbortListener {
  isOver = false;

  readonly #model: Model;
  readonly #options: AttemptOptions;
  #controller: AbortController | undefined;
  /** The reason for which the attempt was aborted, if it was. */
  #reason: TroupeError | undefined;
  readonly #ends: AttemptEnds<Result>;
  /** Undefined while nothing waits. */
  #resolve: ((result: Result | Promise<Result>) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #isTimed = false;
  /** Of the nearer of the two limits, for as long as the model is silent: then the other one needs none. */
  #timer: unknown;
  /** Covers the attempt as a whole, from the model's first output on. */
  #wholeTimer: unknown;
  #hasSpoken = false;
  #startedAt = 0;
  #heardAt = 0;
  /** Remaining time of the attempt. */
  #leftMs: number;
  /** Number of waits in line: the time limit is suspended. */
  #inLine = 0;

  constructor(model: Model, options: AttemptOptions, ends: AttemptEnds<Result>) {
    this.#model = model;
    this.#options = options;
    this.#ends = ends;
    this.#leftMs = this.#timeoutMs;
  }

  /** Receives a delta of the model. */
  hear(delta: ModelDelta): void {
    if (this.isOver) return;
    if (this.#resolve !== undefined) this.#heardAt = this.#options.clock.now();
    if (!this.#hasSpoken) this.#speaks();
    if (isDelta(delta)) this.#options.onDelta?.(delta);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const { abort } = this.#options;
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
      else if (abort?.isAborted && !this.isOver)
        this.#controller.abort(abortError(abort.reason, this.#model));
    }
    return this.#controller.signal;
  }

  guard(answer: PromiseLike<ModelAnswer>): Promise<Result> {
    const guarded = new Promise<Result>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (this.#inLine === 0) this.#startTimer();
    // Both arms are always attached, so a late settlement is never an unhandled rejection.
    answer.then(
      (value) => {
        if (this.#settle()) this.#came(value);
        else this.#options.onLate?.(value);
      },
      (error: unknown) => {
        if (this.#settle()) this.#fail(error);
      },
    );
    this.#options.abort?.attend(this);
    return guarded;
  }

  aborted(reason: unknown): void {
    this.#end(abortError(reason, this.#model));
    this.#ends.calledOff?.();
  }

  #came(answer: ModelAnswer): void {
    try {
      this.#resolve?.(this.#ends.answered(answer));
    } catch (thrown) {
      this.#reject?.(thrown);
    }
  }

  #fail(error: unknown): void {
    try {
      this.#resolve?.(this.#ends.failed(error));
    } catch (thrown) {
      this.#reject?.(thrown);
    }
  }

  /** Checks whether it was still open. */
  #settle(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.#stopTimer();
    this.#options.abort?.leave(this);
    return true;
  }

  #end(error: TroupeError): void {
    if (!this.#settle()) return;
    this.#reason = error;
    // Other listeners of the same abort are notified before it takes effect.
    queueMicrotask(() => {
      this.#fail(error);
    });
    this.#controller?.abort(error);
  }

  async waitInLine<Turn>(turn: Promise<Turn>): Promise<Turn> {
    if (this.#isTimed) {
      this.#stopTimer();
      this.#leftMs -= this.#options.clock.now() - this.#startedAt;
    }
    this.#inLine += 1;
    try {
      return await turn;
    } finally {
      this.#inLine -= 1;
      if (this.#inLine === 0 && this.#resolve !== undefined && !this.isOver) this.#startTimer();
    }
  }

  #startTimer(): void {
    const now = this.#options.clock.now();
    this.#startedAt = now;
    this.#heardAt = now;
    this.#isTimed = true;
    const limit = this.#idleTimeoutMs;
    if (this.#hasSpoken || this.#leftMs <= limit) this.#timeWhole(this.#leftMs);
    if (this.#leftMs > limit) this.#watch(limit);
  }

  #stopTimer(): void {
    if (!this.#isTimed) return;
    this.#isTimed = false;
    const { clock } = this.#options;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    if (this.#wholeTimer !== undefined) clock.clearTimeout(this.#wholeTimer);
    this.#timer = undefined;
    this.#wholeTimer = undefined;
  }

  /** Silence will not end it from now on: the attempt as a whole is timed, too. */
  #speaks(): void {
    this.#hasSpoken = true;
    if (this.#isTimed && this.#wholeTimer === undefined)
      this.#timeWhole(this.#leftMs - (this.#heardAt - this.#startedAt));
  }

  get #timeoutMs(): number {
    return this.#options.attemptTimeoutMs ?? modelRetryDefaults.attemptTimeoutMs;
  }

  get #idleTimeoutMs(): number {
    return this.#options.idleTimeoutMs ?? modelRetryDefaults.idleTimeoutMs;
  }

  #timeWhole(ms: number): void {
    this.#wholeTimer = this.#options.clock.setTimeout(() => {
      this.#end(timeoutError(this.#model, this.#timeoutMs));
    }, ms);
  }

  /** One timer is re-armed when it fires: a new one for every delta would cost more than the delta. */
  #watch(ms: number): void {
    const { clock } = this.#options;
    const limit = this.#idleTimeoutMs;
    this.#timer = clock.setTimeout(() => {
      const quietMs = clock.now() - this.#heardAt;
      if (quietMs >= limit) this.#end(idleError(this.#model, limit));
      else this.#watch(Math.min(limit, limit - quietMs));
    }, ms);
  }
}

/** A model may be foreign code: a delta of an unknown kind is ignored, though it counted as progress. */
const isDelta = (delta: unknown): boolean => {
  if (typeof delta !== 'object' || delta === null || !('type' in delta)) return false;
  if (delta.type === 'progress') return true;
  return DELTA_TYPES.includes(delta.type) && 'text' in delta && typeof delta.text === 'string';
};

const DELTA_TYPES: readonly unknown[] = ['text', 'reasoning', 'tool-call'];

const abortError = (reason: unknown, model: Model): TroupeError =>
  isTroupeError(reason)
    ? reason
    : new TroupeError('run.aborted', `Cannot finish asking ${nameOf(model)} as the call was aborted`, {
        cause: reason,
      });

const timeoutError = (model: Model, ms: number): TroupeError =>
  new TroupeError(
    'model.timeout',
    `Cannot wait longer for ${nameOf(model)} as it did not answer in ${ms} ms`,
    {
      retryable: 'yes',
    },
  );

const idleError = (model: Model, ms: number): TroupeError =>
  new TroupeError('model.idle', `Cannot wait longer for ${nameOf(model)} as it was silent for ${ms} ms`, {
    retryable: 'yes',
  });

const nameOf = (model: Model): string => `${model.provider}:${model.id}`;
