import { isJsonObject } from '../../../base/json/json.ts';
import type { ErrorCode } from '../../../contracts/errors/error-data.ts';
import { errorData, isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import { statusOf } from '../http/http-status.ts';
import { isOwnFailure, jsonReply } from '../http/reply.ts';
import type { AnswerEnd } from './answer-piece.ts';

/** An error as clients of OpenAI read it. */
export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
}

/** The error of a request with a parameter that is not taken. */
export const paramError = (param: string, why: string, code?: string): TroupeError =>
  new TroupeError('input.invalid', `Cannot answer the request as ${why}`, {
    details: { param, ...(code === undefined ? {} : { code }) },
  });

/** The error of a run that ended without an answer: a client that repeats the request would run the agent again. */
export class AnswerError extends Error {
  readonly status: number;
  readonly code: string;

  constructor({
    status,
    code,
    message,
  }: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
  }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The error of an answer that is none. */
export const answerError = ({ error, kind }: Pick<AnswerEnd, 'error' | 'kind'>): AnswerError => {
  const { code, message } = error ?? { code: 'internal', message: 'The run failed' };
  const status = kind === 'aborted' ? 409 : (failures[code] ?? statusOf({ code, status: undefined }));
  return new AnswerError({ status, code: codes[code] ?? code, message });
};

/** An error as a response. */
export const wireErrorReply = (thrown: unknown, headers: Readonly<Record<string, string>> = {}): Response => {
  const { retryAfterMs } = errorData(thrown, 'internal');
  const { status, error } = wireErrorOf(thrown);
  return jsonReply({ error }, status, {
    ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
    ...(thrown instanceof AnswerError || status === 409 ? { 'x-should-retry': 'false' } : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...headers,
  });
};

/** An error with its status. Of a failure of the server's own callers receive the code alone. */
export const wireErrorOf = (thrown: unknown): { readonly status: number; readonly error: WireError } => {
  if (thrown instanceof AnswerError) {
    const { status, message, code } = thrown;
    return { status, error: { message, type: typeOf(status), param: null, code } };
  }
  const { code, message, details } = errorData(thrown, 'internal');
  const status = isTroupeError(thrown) ? statusOf(thrown) : 500;
  const { param, code: own } = isJsonObject(details) ? details : {};
  return {
    status,
    error: {
      message: isOwnFailure(status) ? 'Cannot answer the request as the server failed' : message,
      type: typeOf(status),
      param: typeof param === 'string' ? param : null,
      code: typeof own === 'string' ? own : (byStatus[status] ?? codes[code] ?? code),
    },
  };
};

const typeOf = (status: number): string => {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

/** The words of OpenAI, where clients look for them. */
const byStatus: Readonly<Record<number, string | undefined>> = {
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
};

const codes: Readonly<Partial<Record<ErrorCode, string>>> = {
  'agent.unknown': 'model_not_found',
  'model.context-overflow': 'context_length_exceeded',
  'model.content-filter': 'content_filter',
};

/** The status of a failure of a run's models, which are no part of the server. */
const failures: Readonly<Partial<Record<ErrorCode, number>>> = {
  'model.context-overflow': 400,
  'model.content-filter': 400,
  'model.content-refused': 400,
  'model.rate-limited': 429,
  'model.unavailable': 503,
  'model.network': 503,
  'model.timeout': 503,
};
