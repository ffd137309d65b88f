import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { Usage } from '../models/model.ts';
import type { RunResult } from '../runs/run.ts';

/** Every way in which troupe fails, by noun. A caller branches on the code, never on the message. */
export const errorCodes = [
  'agent.invalid',
  'agent.duplicate',
  'agent.unknown',
  'agent.threw',
  'agent.stopped',
  'agent.timeout',
  'input.invalid',
  'task.invalid',
  'environment.unfit',
  'output.invalid',
  'output.truncated',
  'decision.invalid',
  'routing.required',
  'routing.refused',
  'model.unknown',
  'model.missing',
  'model.package-missing',
  'model.auth',
  'model.forbidden',
  'model.not-found',
  'model.bad-request',
  'model.quota',
  'model.rate-limited',
  'model.unavailable',
  'model.network',
  'model.timeout',
  'model.idle',
  'model.malformed',
  'model.empty',
  'model.refused',
  'model.context-overflow',
  'model.content-filter',
  'model.failed',
  'script.exhausted',
  'script.unconsumed',
  'tool.invalid',
  'tool.duplicate',
  'tool.unknown',
  'tool.missing',
  'tool.input-invalid',
  'tool.failed',
  'tool.timeout',
  'tool.denied',
  'tool.cancelled',
  'tool.ambiguous',
  'tool.setup',
  'team.invalid',
  'workflow.invalid',
  'workflow.reference',
  'workflow.failed',
  'team.escalated',
  'member.timed-out',
  'handoff.refused',
  'message.invalid',
  'message.refused',
  'message.undelivered',
  'message.timeout',
  'wait.deadlock',
  'budget.invalid',
  'budget.unpriced',
  'budget.spent',
  'limit.invalid',
  'limit.reached',
  'machine.invalid',
  'machine.threw',
  'session.lost',
  'journal.exists',
  'journal.unknown',
  'journal.held',
  'journal.fenced',
  'journal.conflict',
  'journal.busy',
  'journal.full',
  'journal.read-only',
  'journal.corrupt',
  'journal.version',
  'journal.diverged',
  'journal.package-missing',
  'journal.failed',
  'thread.exists',
  'thread.unknown',
  'thread.version',
  'thread.corrupt',
  'thread.invalid',
  'request.unknown',
  'request.answered',
  'request.expired',
  'secret.missing',
  'secret.invalid',
  'secret.wrong-key',
  'run.aborted',
  'run.ended',
  'run.duplicate',
  'run.suspended',
  'engine.invalid',
  'engine.closed',
  'engine.full',
  'engine.resource-failed',
  'resource.invalid',
  'resource.open',
  'resource.busy',
  'resource.closed',
  'lock.busy',
  'lock.lost',
  'memory.failed',
  'memory.read-only',
  'memory.unreadable',
  'documents.unreadable',
  'inspector.failed',
  'inspector.package-missing',
  'trace.unreadable',
  'inspector.page-missing',
  'publishing.invalid',
  'publishing.failed',
  'publishing.overflow',
  'publishing.package-missing',
  'stream.invalid',
  'stream.refused',
  'command.usage',
  'telemetry.package-missing',
  'internal',
] as const;

/** One code for each kind of failure; see {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/** The prospect of a retry: `maybe` once and with something changed, `no` never. */
export type Retryable = 'yes' | 'maybe' | 'no';

/** An error as data: contexts, events and journals hold this in place of an `Error`. */
export type ErrorData = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: Retryable;
  /** The delay that the other side asked for, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** HTTP status, where there was one. */
  readonly status?: number | undefined;
  readonly runId?: string | undefined;
  readonly path?: string | undefined;
  readonly phase?: string | undefined;
  readonly step?: number | undefined;
  /** The port or the function that failed: `decide`, `act`, `reduce` … */
  readonly operation?: string | undefined;
  readonly tool?: string | undefined;
  /** The effect (and so the attempt) that failed: equal wherever this very error is reported. */
  readonly errorId?: string | undefined;
  /** The underlying error. */
  readonly cause?: ErrorCause | undefined;
  /** Tokens that were used in vain. */
  readonly spent?: Usage | undefined;
  readonly details?: Json | undefined;
};

/** The cause of an error, with its own cause in turn: at most five deep. */
export type ErrorCause = {
  readonly name: string;
  readonly message: string;
  readonly cause?: ErrorCause | undefined;
};

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
    this.#data = { code, message, retryable, ...found, ...plain, ...causeOf(cause) };
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
      (code === undefined ? isCode(value.code) : value.code === code),
    false,
  );

const isCode = (code: unknown): boolean => errorCodes.some((each) => each === code);

/**
 * Converts any thrown value to data, even one that throws when it is inspected; a value without a code gets `fallback`.
 */
export const errorData = (
  thrown: unknown,
  fallback: ErrorCode,
  where: Partial<ErrorData> = {},
): ErrorData => {
  const data = tryRead(() => (isTroupeError(thrown) ? { ...where, ...thrown.data } : undefined), undefined);
  if (data !== undefined) return data;
  const found = where.message === undefined ? messageOf(thrown) : `${where.message}: ${messageOf(thrown)}`;
  return { retryable: 'no', ...where, code: fallback, message: found, ...causeOf(thrown) };
};

/** The error behind the data, to throw or to reject with. */
export const toError = (data: ErrorData): TroupeError => {
  const { code, message, cause, ...where } = data;
  return new TroupeError(code, message, {
    ...where,
    ...(cause === undefined ? {} : { cause: revive(cause) }),
  });
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

const revive = ({ name, message, cause }: ErrorCause): Error =>
  Object.assign(new Error(message, cause === undefined ? undefined : { cause: revive(cause) }), { name });

const causeOf = (cause: unknown, depth = 1): Pick<ErrorData, 'cause'> => {
  if (cause === undefined) return {};
  const name = tryRead(() => (cause instanceof Error ? String(cause.name) : typeof cause), typeof cause);
  const below: unknown = tryRead(() => (cause instanceof Error ? cause.cause : undefined), undefined);
  const deeper = depth < MAX_CAUSES ? causeOf(below, depth + 1) : {};
  return { cause: { name, message: messageOf(cause), ...deeper } };
};

/** Returns the result of `read`; `otherwise` if it throws. */
const tryRead = <T>(read: () => T, otherwise: T): T => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};
