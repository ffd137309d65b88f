import { printableJson } from '../../../base/text/printable.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import { errorData, isTroupeError } from '../../../contracts/errors/error.ts';
import type { RemoteRefusal } from '../../../contracts/runs/remote-run.ts';
import { statusOf } from './http-status.ts';

/** Headers of each response. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A value as a JSON response. */
export const jsonReply = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(printableJson(value), {
    status,
    headers: { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8', ...headers },
  });

/**
 * An error as a response. Of a failure of the server's own callers receive the code alone: its message may name files, hosts or what others said.
 */
export const errorReply = (thrown: unknown, headers: Readonly<Record<string, string>> = {}): Response => {
  const { code, message, retryable, retryAfterMs, runId } = errorData(thrown, 'internal');
  const status = isTroupeError(thrown) ? statusOf(thrown) : 500;
  const said = isOwnFailure(status) ? 'Cannot answer the request as the server failed' : message;
  const body: RemoteRefusal = {
    error: {
      code,
      message: said,
      retryable,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(runId === undefined ? {} : { runId }),
    },
  };
  return jsonReply(body, status, {
    ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...headers,
  });
};

/** Checks whether a caller can do nothing about an error, so that the operator has to know of it. */
export const isServerFailure = (thrown: unknown): boolean =>
  !isTroupeError(thrown) || isOwnFailure(statusOf(thrown)) || isUnstable(thrown);

/** Checks whether a status is that of a failure of the server. */
export const isOwnFailure = (status: number): boolean => status === 500;

const isUnstable = ({ code }: TroupeError): boolean => code === 'journal.failed' || code === 'journal.full';
