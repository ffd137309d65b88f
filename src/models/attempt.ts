import type { Clock } from '../contracts/clock.ts';
import { isTroupeError, TroupeError } from '../contracts/error.ts';
import type { LazyAbort } from '../contracts/lazy-abort.ts';
import { isThenable } from '../contracts/thenable.ts';
import type { Model, ModelAnswer, ModelCall, ModelDelta, ModelRequest } from '../contracts/model.ts';
import { modelRetryDefaults } from './retry-policy.ts';

/** What one guarded attempt needs to know. */
export interface AttemptOptions {
  /** Handed to the model as `call.key`. */
  readonly key: string;
  readonly clock: Clock;
  /** Ends the attempt when it aborts. Looked at only if the model answers with a promise or asks for its own signal. */
  readonly abort?: LazyAbort | undefined;
  /** In ms; default 600,000 (what both vendors' SDKs wait). `Infinity` waits for ever. */
  readonly attemptTimeoutMs?: number | undefined;
  /** In ms; default 90,000. `Infinity` waits for ever. */
  readonly idleTimeoutMs?: number | undefined;
  readonly isWatched?: boolean | undefined;
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Told of an answer that came after the attempt had ended otherwise. */
  readonly onLate?: ((answer: ModelAnswer) => void) | undefined;
}

/**
 * Asks a model once and guarantees that the answer, or a typed error, comes in time.
 *
 * An answer that is there at once is returned at once: no timer, no AbortController, no promise. A promise is raced
 * against `abort`, the attempt's time-out and an idle watchdog that every delta resets; whatever ends it first also
 * aborts the model's own signal, and what the model does after that is ignored.
 *
 * @example
 * const answer = await attemptModel(model, request, { key: 'run-1/desk#3.DECIDE.0.1', clock: systemClock });
 *
 * @throws (or rejects with) what the model throws, `model.timeout`, `model.idle`, or the reason of the abort: as it is
 * if it is a TroupeError, else as `run.aborted`.
 */
export const attemptModel = (
  model: Model,
  request: ModelRequest,
  options: AttemptOptions,
): ModelAnswer | Promise<ModelAnswer> => {
  const attempt = new Attempt(model, options);
  let answer: ModelAnswer | Promise<ModelAnswer>;
  try {
    answer = model.answer(request, attempt);
  } catch (error) {
    attempt.isOver = true;
    throw error;
  }
  if (isThenable(answer)) return attempt.guard(answer);
  attempt.isOver = true;
  return answer;
};

class Attempt implements ModelCall {
  readonly key: string;
  readonly isWatched: boolean;
  readonly delta: (delta: ModelDelta) => void;
  readonly inLine: <Turn>(turn: Promise<Turn>) => Promise<Turn>;
  isOver = false;

  readonly #model: Model;
  readonly #options: AttemptOptions;
  #controller: AbortController | undefined;
  /** Why the attempt was ended from outside, if it was. */
  #reason: TroupeError | undefined;
  #resolve: ((answer: ModelAnswer) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #forget: (() => void) | undefined;
  #timer: unknown;
  #startedAt = 0;
  #heardAt = 0;
  #idleTimer: unknown;
  /** What is left of the attempt's time. */
  #leftMs: number;
  /** The number of waits in line: the time stands still. */
  #inLine = 0;

  constructor(model: Model, options: AttemptOptions) {
    this.#model = model;
    this.#options = options;
    this.key = options.key;
    this.#leftMs = options.attemptTimeoutMs ?? modelRetryDefaults.attemptTimeoutMs;
    this.isWatched = options.isWatched ?? false;
    // By way of a name: V8 keeps a function that is written where a property is set, and all that it sees, long-lived.
    const heard = (delta: ModelDelta): void => {
      if (this.isOver) return;
      if (this.#resolve !== undefined) this.#heardAt = options.clock.now();
      if (isDelta(delta)) options.onDelta?.(delta);
    };
    this.delta = heard;
    const inLine = async <Turn>(turn: Promise<Turn>): Promise<Turn> => {
      this.#stopTimers();
      this.#inLine += 1;
      try {
        return await turn;
      } finally {
        this.#inLine -= 1;
        if (this.#inLine === 0 && this.#resolve !== undefined && !this.isOver) this.#startTimers();
      }
    };
    this.inLine = inLine;
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

  guard(answer: PromiseLike<ModelAnswer>): Promise<ModelAnswer> {
    const { abort } = this.#options;
    const guarded = new Promise<ModelAnswer>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (this.#inLine === 0) this.#startTimers();
    // Both arms are always attached, so a settlement that comes too late is nobody's unhandled rejection.
    answer.then(
      (value) => {
        if (this.#settle()) this.#resolve?.(value);
        else this.#options.onLate?.(value);
      },
      (error: unknown) => {
        if (this.#settle()) this.#reject?.(error);
      },
    );
    this.#forget = abort?.onAbort((reason) => {
      this.#end(abortError(reason, this.#model));
    });
    return guarded;
  }

  /** Checks whether it was still open. */
  #settle(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.#stopTimers();
    this.#forget?.();
    return true;
  }

  #end(error: TroupeError): void {
    if (!this.#settle()) return;
    this.#reason = error;
    this.#reject?.(error);
    this.#controller?.abort(error);
  }

  #startTimers(): void {
    const { clock, attemptTimeoutMs = modelRetryDefaults.attemptTimeoutMs } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#end(timeoutError(this.#model, attemptTimeoutMs));
    }, this.#leftMs);
    this.#startedAt = clock.now();
    this.#heardAt = this.#startedAt;
    this.#watch(this.#idleTimeoutMs);
  }

  #stopTimers(): void {
    if (this.#timer === undefined) return;
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    clock.clearTimeout(this.#idleTimer);
    this.#timer = undefined;
    this.#leftMs -= clock.now() - this.#startedAt;
  }

  get #idleTimeoutMs(): number {
    return this.#options.idleTimeoutMs ?? modelRetryDefaults.idleTimeoutMs;
  }

  /** One timer is re-armed when it fires: a new one for every delta would cost more than the delta. */
  #watch(ms: number): void {
    const { clock } = this.#options;
    const limit = this.#idleTimeoutMs;
    this.#idleTimer = clock.setTimeout(() => {
      const quietMs = clock.now() - this.#heardAt;
      if (quietMs >= limit) this.#end(idleError(this.#model, limit));
      else this.#watch(Math.min(limit, limit - quietMs));
    }, ms);
  }
}

/** A model may be anybody's code: a piece of no known kind is passed over, though it was a sign of life. */
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
    `Cannot wait longer for ${nameOf(model)} as it had no answer in ${ms} ms`,
    {
      retryable: 'yes',
    },
  );

const idleError = (model: Model, ms: number): TroupeError =>
  new TroupeError('model.idle', `Cannot wait longer for ${nameOf(model)} as it was silent for ${ms} ms`, {
    retryable: 'yes',
  });

const nameOf = (model: Model): string => `${model.provider}:${model.id}`;
