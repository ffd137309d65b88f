import { isJsonObject } from '../../base/json/json.ts';
import type { ErrorCode, Retryable } from '../../contracts/errors/error-data.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { oneLine } from '../../base/text/printable.ts';
import { isLostAnswer } from './lost-answers.ts';

/** The parts of an error that depend on its kind. */
interface Kind {
  readonly code: ErrorCode;
  readonly retryable: Retryable;
  readonly reason: string;
}

const FORBIDDEN: Kind = { code: 'mcp.auth', retryable: 'no', reason: 'it denies access' };

const LOST: Kind = { code: 'mcp.lost', retryable: 'yes', reason: 'the connection was lost' };

/** Codes of the client's package. */
const KINDS: Readonly<Record<string, Kind>> = {
  CONNECTION_CLOSED: LOST,
  NOT_CONNECTED: LOST,
  SEND_FAILED: LOST,
  REQUEST_TIMEOUT: { code: 'mcp.unavailable', retryable: 'yes', reason: 'it does not answer' },
  CLIENT_HTTP_AUTHENTICATION: { code: 'mcp.auth', retryable: 'no', reason: 'it refuses the credentials' },
  CLIENT_HTTP_FORBIDDEN: FORBIDDEN,
};

const UNAVAILABLE: Kind = { code: 'mcp.unavailable', retryable: 'yes', reason: 'it cannot be reached' };
const INVALID: Kind = {
  code: 'mcp.protocol',
  retryable: 'no',
  reason: 'what it sent does not follow the protocol',
};
const REFUSED: Kind = { code: 'tool.failed', retryable: 'maybe', reason: 'the server refused it' };
const UNAUTHORIZED: Kind = { code: 'mcp.auth', retryable: 'no', reason: 'it wants authorization' };

/** HTTP status of servers that may answer later. */
const isPassing = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/**
 * Converts what the client's package threw to an error of troupe; one of troupe's own is returned unchanged.
 *
 * @param doing The end of "Cannot …": `call 'echo' of the MCP server 'files'`.
 * @param account More that is known, such as the end of its error output.
 */
export const mcpError = (thrown: unknown, doing: string, account = ''): TroupeError => {
  const own = ownError(thrown);
  if (own !== undefined) return own;
  const { code, retryable, reason } = kindOf(thrown);
  const status = statusOf(thrown);
  const http = status === undefined ? '' : `HTTP ${status}`;
  // A server that answers says itself what is wrong.
  const more = code === 'tool.failed' ? '' : account;
  const found = [http, oneLine(messageOf(networkFailure(thrown) ?? thrown), 500), more]
    .filter((part) => part !== '')
    .join('; ');
  return new TroupeError(code, `Cannot ${doing} as ${reason}: ${found}`, {
    retryable,
    cause: thrown,
    ...(status === undefined ? {} : { status }),
  });
};

/** An error of troupe, also as the cause of another: the package wraps what a `fetch` throws. */
const ownError = (thrown: unknown): TroupeError | undefined => {
  for (let error = thrown, depth = 0; depth < 5 && error instanceof Error; error = error.cause, depth += 1)
    if (isTroupeError(error)) return error;
  return undefined;
};

const kindOf = (thrown: unknown): Kind => {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (isLostAnswer(thrown)) return LOST;
  if (networkFailure(thrown) !== undefined) return UNAVAILABLE;
  const known = typeof code === 'string' ? KINDS[code] : undefined;
  if (known !== undefined) return known;
  const status = statusOf(thrown);
  if (status === 401) return UNAUTHORIZED;
  if (status === 403) return FORBIDDEN;
  // The server's own answer, which some servers give this status.
  if (status === 404 && isUnknownMethod(thrown)) return REFUSED;
  // A session that the server forgot.
  if (status === 404) return { ...UNAVAILABLE, code: 'mcp.lost' };
  if (status !== undefined && status >= 400)
    return isPassing(status) ? UNAVAILABLE : { ...UNAVAILABLE, retryable: 'no' };
  // Of JSON-RPC: the server's own answer.
  if (typeof code === 'number') return REFUSED;
  if (thrown instanceof Error && thrown.name === 'UnauthorizedError') return UNAUTHORIZED;
  if (typeof code === 'string' && /^[A-Z_]+$/.test(code) && !/^(E[A-Z]+|UND_\w+)$/.test(code)) return INVALID;
  return thrown instanceof Error && (thrown.name === 'ZodError' || thrown instanceof SyntaxError)
    ? INVALID
    : UNAVAILABLE;
};

/** The failure of the network behind the first question, which the package calls one of its protocol: what `fetch` rejects with. */
const networkFailure = (thrown: unknown): Error | undefined => {
  if (!(thrown instanceof Error) || !('code' in thrown) || thrown.code !== 'ERA_NEGOTIATION_FAILED')
    return undefined;
  const { cause } = thrown;
  if (!(cause instanceof TypeError)) return undefined;
  return cause.cause instanceof Error && cause.cause.message !== '' ? cause.cause : cause;
};

/** Of JSON-RPC 2.0, "Error object". */
const METHOD_NOT_FOUND = -32_601;

/** Checks whether a server says that it does not know a method: by an answer, or by an HTTP response that has one as its body. */
export const isUnknownMethod = (thrown: unknown): boolean => {
  if (!(thrown instanceof Error)) return false;
  if ('code' in thrown && thrown.code === METHOD_NOT_FOUND) return true;
  const body: unknown = 'data' in thrown && isJsonObject(thrown.data) ? thrown.data['text'] : undefined;
  return typeof body === 'string' && new RegExp(`"code"\\s*:\\s*${METHOD_NOT_FOUND}\\b`).test(body);
};

const statusOf = (thrown: unknown): number | undefined =>
  thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number'
    ? thrown.status
    : undefined;
