import { toJson } from '../../base/json/json.ts';
import type { RunResult } from '../runs/run-result.ts';
import { hasThrown, noteThrown, passThrown, stackFor } from './thrown-by.ts';
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
    const found = Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined));
    // Details go into events and journals, and an app may put anything there.
    const plain = details === undefined ? {} : { details: toJson(details) };
    this.#data = noteThrown(
      // The error's own, which is a text whatever was given.
      { code, message: this.message, retryable, ...found, ...plain, ...causeOf(cause) },
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
  tryRead(
    () =>
      typeof value === 'object' &&
      value !== null &&
      BRAND in value &&
      'code' in value &&
      (code === undefined ? typeof value.code === 'string' : value.code === code),
    false,
  );

/**
 * Converts any thrown value to data, even one that throws when it is inspected; a value without a code gets `fallback`.
 */
export const errorData = (
  thrown: unknown,
  fallback: ErrorCode,
  where: Partial<ErrorData> = {},
): ErrorData => {
  const data = tryRead(
    () => (isTroupeError(thrown) ? passThrown(thrown.data, { ...where, ...thrown.data }) : undefined),
    undefined,
  );
  if (data !== undefined) return data;
  const found = where.message === undefined ? messageOf(thrown) : `${where.message}: ${messageOf(thrown)}`;
  return { retryable: 'no', ...where, code: fallback, message: found, ...causeOf(thrown) };
};

/** The error behind the data, to throw or to reject with. Its stack, and those of its causes, are of what was thrown. */
export const toError = (data: ErrorData): TroupeError => {
  const { code, message, cause, ...where } = data;
  const error = new TroupeError(code, message, {
    ...where,
    ...(cause === undefined ? {} : { cause: revive(cause) }),
  });
  return hasThrown(data) ? withStack(error, data) : error;
};

/** Returns the message of any thrown value; never throws itself. */
export const messageOf = (thrown: unknown): string =>
  tryRead(() => {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    if (typeof thrown === 'string') return thrown;
    return JSON.stringify(toJson(thrown));
  }, UNREADABLE);

/** Stands for a value that cannot even be read: a getter or a Proxy that throws. */
const UNREADABLE = 'a value that throws when it is read';

/** Maximum depth of the chain of causes: an error may be its own cause. */
const MAX_CAUSES = 5;

/** Without a thrown error, the stack is name and message: the one of this line would name troupe. */
const revive = (data: ErrorCause): Error => {
  const { name, message, cause } = data;
  const error = new Error(message, cause === undefined ? undefined : { cause: revive(cause) });
  return withStack(Object.assign(error, { name }), data);
};

const withStack = <Thrown extends Error>(error: Thrown, data: ErrorData | ErrorCause): Thrown =>
  Object.defineProperty(error, 'stack', {
    value: stackFor(data, error.name),
    configurable: true,
    writable: true,
  });

const causeOf = (cause: unknown, depth = 1): Pick<ErrorData, 'cause'> => {
  if (cause === undefined) return {};
  const name = tryRead(() => (cause instanceof Error ? String(cause.name) : typeof cause), typeof cause);
  const below: unknown = tryRead(() => (cause instanceof Error ? cause.cause : undefined), undefined);
  const deeper = depth < MAX_CAUSES ? causeOf(below, depth + 1) : {};
  return { cause: noteThrown({ name, message: messageOf(cause), ...deeper }, cause) };
};

/** Returns the result of `read`; `otherwise` if it throws. */
const tryRead = <T>(read: () => T, otherwise: T): T => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};
