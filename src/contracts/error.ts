import type { Json } from './json.ts';
import { toJson } from './json.ts';
import type { Usage } from './model.ts';
import type { RunResult } from './run.ts';

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

/** One word per way of failing; see {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];

/** The prospect of trying again: `maybe` once and with something changed, `no` never. */
export type Retryable = 'yes' | 'maybe' | 'no';

/** An error as data: what contexts, events and journals hold in place of an `Error`. */
export type ErrorData = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: Retryable;
  /** The time that the other side asked us to wait, in ms. */
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
  /** The effect (and so the attempt) in which it came up: equal wherever this very error is told. */
  readonly errorId?: string | undefined;
  /** What went wrong below. */
  readonly cause?: ErrorCause | undefined;
  /** Tokens that were used in vain. */
  readonly spent?: Usage | undefined;
  readonly details?: Json | undefined;
};

/** What brought an error about, and what brought that about in turn: at most five deep. */
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
   * How far the run came that rejected with this error: its events, steps and totals. Absent where nothing was run. Not enumerable:
   * who prints an error prints all that it shows.
   */
  declare readonly result?: RunResult<unknown> | undefined;
  /** Hidden, as whoever prints an error prints all that it shows; its message says what matters. */
  readonly #data: ErrorData;

  constructor(code: ErrorCode, message: string, context: Context = {}) {
    const { cause, retryable = 'no', details, ...where } = context;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    const found = Object.fromEntries(Object.entries(where).filter(([, value]) => value !== undefined));
    // It goes into events and journals: what an app puts there may be anything.
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
  attempted(
    () =>
      typeof value === 'object' &&
      value !== null &&
      BRAND in value &&
      'code' in value &&
      (code === undefined ? isCode(value.code) : value.code === code),
    false,
  );

const isCode = (code: unknown): boolean => errorCodes.some((each) => each === code);

/** Any thrown value as data, even one that throws when it is looked at; what has no code of its own gets `fallback`. */
export const errorData = (
  thrown: unknown,
  fallback: ErrorCode,
  where: Partial<ErrorData> = {},
): ErrorData => {
  const data = attempted(() => (isTroupeError(thrown) ? { ...where, ...thrown.data } : undefined), undefined);
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

/** What a thrown value says, whatever was thrown: this never throws itself. */
export const messageOf = (thrown: unknown): string =>
  attempted(() => {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    if (typeof thrown === 'string') return thrown;
    return JSON.stringify(toJson(thrown));
  }, UNREADABLE);

/** What a value says of itself when it cannot even be looked at: a getter or a Proxy that throws. */
const UNREADABLE = 'something that throws when it is read';
/** The number of causes that are kept: an error may be its own cause. */
const MAX_CAUSES = 5;

const revive = ({ name, message, cause }: ErrorCause): Error =>
  Object.assign(new Error(message, cause === undefined ? undefined : { cause: revive(cause) }), { name });

const causeOf = (cause: unknown, depth = 1): Pick<ErrorData, 'cause'> => {
  if (cause === undefined) return {};
  const name = attempted(() => (cause instanceof Error ? String(cause.name) : typeof cause), typeof cause);
  const below: unknown = attempted(() => (cause instanceof Error ? cause.cause : undefined), undefined);
  const deeper = depth < MAX_CAUSES ? causeOf(below, depth + 1) : {};
  return { cause: { name, message: messageOf(cause), ...deeper } };
};

/** What `read` gives; `otherwise` where even looking throws. */
const attempted = <T>(read: () => T, otherwise: T): T => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};
