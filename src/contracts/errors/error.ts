import { toJson } from '../../base/json/json.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { tryRead } from '../../base/try-read.ts';
import type { RunResult } from '../runs/run-result.ts';
import { noteThrown, withFrames } from './thrown-by.ts';
import type { ErrorCode, Retryable, ErrorData, ErrorCause } from './error-data.ts';

type Context = Omit<ErrorData, 'code' | 'message' | 'retryable' | 'cause'> & {
  retryable?: Retryable;
  cause?: unknown;
};

const BRAND = Symbol.for('troupe.error');

/**
 * The one error class of troupe: a `code` to branch on, and where it happened.
 *
 * `instanceof` fails across two copies of the package, so test with {@link isTroupeError}. Its message follows
 * "Cannot <do> as <reason>: <what was found>".
 *
 * @example
 * try { await mathematician.run('2 + 2'); }
 * catch (error) { if (isTroupeError(error, 'model.auth')) console.error('Set your key:', error.message); }
 */
export class TroupeError extends Error {
  override readonly name: string = 'TroupeError';
  readonly code: ErrorCode;
  readonly retryable: Retryable;
  readonly [BRAND] = true;
  /**
   * The progress of the run that rejected with this error: its events, steps and totals. Absent if nothing ran. Not
   * enumerable, as printing an error shows all its enumerable properties.
   */
  declare readonly result?: RunResult<unknown> | undefined;
  /** Hidden, as printing an error shows all its properties; the message says what matters. */
  readonly #data: ErrorData;

  constructor(code: ErrorCode, message: string, context: Context = {}) {
    const { cause, retryable = 'no', details, ...where } = context;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    this.#data = noteThrown(
      withoutUndefined({
        code,
        // The error's own, which is a text whatever was given.
        message: this.message,
        retryable,
        ...where,
        // Details go into events and journals, and an app may put anything there.
        details: details && toJson(details),
        cause: causeOf(cause),
      }),
      this,
    );
  }

  get data(): ErrorData {
    return this.#data;
  }
  get runId(): string | undefined {
    return this.data.runId;
  }
  get path(): string | undefined {
    return this.data.path;
  }
  get phase(): string | undefined {
    return this.data.phase;
  }
  get step(): number | undefined {
    return this.data.step;
  }
  get operation(): string | undefined {
    return this.data.operation;
  }
  get errorId(): string | undefined {
    return this.data.errorId;
  }
  get tool(): string | undefined {
    return this.data.tool;
  }
  get status(): number | undefined {
    return this.data.status;
  }
  get retryAfterMs(): number | undefined {
    return this.data.retryAfterMs;
  }

  toJSON(): ErrorData {
    return this.data;
  }
}

/** Checks whether `value` is a {@link TroupeError}, of `code` if one is given; true across copies of the package. */
export const isTroupeError = (value: unknown, code?: ErrorCode): value is TroupeError =>
  tryRead(() => {
    // What is no object has neither.
    const found: unknown = Reflect.get(Object(value), 'code');
    return BRAND in Object(value) && (code === undefined ? typeof found === 'string' : found === code);
  }, false);

/**
 * Converts any thrown value to data, even one that throws when it is inspected; a value without a code gets `fallback`.
 */
export const errorData = (
  thrown: unknown,
  fallback: ErrorCode,
  where: Partial<ErrorData> = {},
): ErrorData => {
  const data = tryRead(
    () => (isTroupeError(thrown) ? noteThrown({ ...where, ...thrown.data }, thrown) : undefined),
    undefined,
  );
  if (data !== undefined) return data;
  const found = where.message === undefined ? messageOf(thrown) : `${where.message}: ${messageOf(thrown)}`;
  return withoutUndefined({
    retryable: 'no' as const,
    ...where,
    code: fallback,
    message: found,
    cause: causeOf(thrown),
  });
};

/** The error behind the data, to throw or to reject with. Its stack, and those of its causes, are of what was thrown. */
export const toError = (data: ErrorData): TroupeError => withFrames(restoreError(data), data);

/** The error that the data of another process describes. */
export const restoreError = ({ code, message, cause, ...where }: ErrorData): TroupeError =>
  new TroupeError(code, message, { ...where, cause: cause && restoreCause(cause) });

/** Its stack is name and message: the one of this line would name troupe. */
const restoreCause = ({ name, message, cause }: ErrorCause): Error => {
  const error = new Error(message, cause && { cause: restoreCause(cause) });
  error.stack = `${name}: ${message}`;
  return Object.assign(error, { name });
};

/** Returns the message of any thrown value; never throws itself. */
export const messageOf = (thrown: unknown): string =>
  tryRead(() => {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    if (typeof thrown === 'string') return thrown;
    return JSON.stringify(toJson(thrown));
  }, UNREADABLE);

/** Stands for a value that cannot even be read: a getter or a Proxy that throws. */
const UNREADABLE = 'an unreadable value';

/** Maximum depth of the chain of causes: an error may be its own cause. */
const MAX_CAUSES = 5;

const causeOf = (cause: unknown, depth = 1): ErrorCause | undefined => {
  if (cause === undefined) return undefined;
  const plain: readonly [string, unknown] = [typeof cause, undefined];
  const [name, below] = tryRead(
    () => (cause instanceof Error ? ([String(cause.name), cause.cause] as const) : plain),
    plain,
  );
  const deeper = depth < MAX_CAUSES ? causeOf(below, depth + 1) : undefined;
  return noteThrown(withoutUndefined({ name, message: messageOf(cause), cause: deeper }), cause);
};
