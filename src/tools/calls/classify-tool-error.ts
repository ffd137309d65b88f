import type { Retryable } from '../../contracts/errors/error-data.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';

/** Codes of Node, undici, SQLite, PostgreSQL and MySQL that pass by themselves: networks, locks, deadlocks. */
const PASSING_CODES =
  /^(E(CONNRESET|CONNREFUSED|CONNABORTED|TIMEDOUT|PIPE|AI_AGAIN|BUSY|AGAIN|NETUNREACH|NETDOWN|HOSTUNREACH|MFILE|NFILE)|UND_ERR_(SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT)|(ERR_)?SQLITE_(BUSY|LOCKED)\w*|40001|40P01|55P03|57P0[123]|08\w{3}|ER_LOCK_\w+|ER_CON_COUNT_ERROR|P2034)$/;

/** Codes that recur on every attempt. */
const LASTING_CODES =
  /^(E(NOENT|ACCES|PERM|EXIST|NOTDIR|ISDIR|INVAL|NOTEMPTY|ROFS|NAMETOOLONG|LOOP|XDEV)|ERR_(INVALID|MISSING|UNKNOWN|FS|METHOD_NOT_IMPLEMENTED)\w*)$/;

const PASSING_STATUS: ReadonlySet<number> = new Set([408, 409, 423, 425, 429]);
const LASTING_SERVER_STATUS: ReadonlySet<number> = new Set([501, 505, 506, 508, 510, 511]);

/** Programming errors: a retry runs into the same bug. */
const BUGS: ReadonlySet<string> = new Set([
  'TypeError',
  'ReferenceError',
  'SyntaxError',
  'RangeError',
  'AssertionError',
  'ZodError',
]);

const PASSING_WORDS =
  /\b(deadlock|(database|file|table|resource) is (locked|busy)|locked by|lock wait|timed? ?out|too many requests|rate.?limit|temporar(y|ily)|try again|unavailable|overloaded|socket hang up|fetch failed|network error|connection (was )?(reset|refused|closed|lost)|bad gateway|5\d\d (internal|bad|service|gateway))\b/i;

const LASTING_WORDS =
  /\b(not found|no such|does not exist|doesn't exist|invalid|malformed|permission|forbidden|unauthori[sz]ed|(access|not) (is )?(denied|allowed)|not (supported|implemented)|already exists|out of range)\b/i;

/** Maximum number of causes examined: an error may be its own cause. */
const MAX_CAUSES = 5;

/**
 * Classifies a tool's error: whether a retry can help.
 *
 * Networks, 5xx, 429, locks and deadlocks are transient (`yes`); missing, invalid or forbidden resources are not, nor
 * are bugs (`no`); all others are unknown (`maybe`). A known code or status takes precedence over the message, and an
 * error's own `retryable` over both. Causes are searched too: `fetch` hides its reason in one.
 *
 * @example
 * classifyToolError(Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' })) // => 'yes'
 */
export const classifyToolError = (thrown: unknown): Retryable => {
  try {
    return classifyChain(thrown);
  } catch {
    // An error that throws when it is read would do so again.
    return 'no';
  }
};

const classifyChain = (thrown: unknown): Retryable => {
  let isBug = false;
  let current: unknown = thrown;
  const messages: string[] = [];
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined && current !== null; depth += 1) {
    if (isTroupeError(current)) return current.retryable;
    if (typeof current === 'string') messages.push(current);
    if (typeof current !== 'object') break;
    const found = byRetryable(current) ?? byCode(current) ?? byStatus(current) ?? byName(current);
    if (found !== undefined) return found;
    if ('message' in current && typeof current.message === 'string') messages.push(current.message);
    if (current instanceof Error && BUGS.has(current.name)) isBug = true;
    current = 'cause' in current ? current.cause : undefined;
  }
  // A message may be as long as a page; the start matters.
  const words = messages.map((message) => message.slice(0, 500)).join('\n');
  if (PASSING_WORDS.test(words)) return 'yes';
  return isBug || LASTING_WORDS.test(words) ? 'no' : 'maybe';
};

const byRetryable = (error: object): Retryable | undefined => {
  const found = 'retryable' in error ? error.retryable : undefined;
  if (found === 'yes' || found === 'no' || found === 'maybe') return found;
  return typeof found === 'boolean' ? (found ? 'yes' : 'no') : undefined;
};

const byCode = (error: object): Retryable | undefined => {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return undefined;
  if (PASSING_CODES.test(code)) return 'yes';
  return LASTING_CODES.test(code) ? 'no' : undefined;
};

/** Returns the HTTP status of an error, wherever the usual clients put it. */
export const statusOf = (error: unknown): number | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  for (const status of [
    'status' in error ? error.status : undefined,
    'statusCode' in error ? error.statusCode : undefined,
  ])
    if (typeof status === 'number' && status >= 100 && status < 600) return status;
  return 'response' in error ? statusOf(error.response) : undefined;
};

const byStatus = (error: object): Retryable | undefined => {
  const status = statusOf(error);
  if (status === undefined || status < 400) return undefined;
  if (status >= 500) return LASTING_SERVER_STATUS.has(status) ? 'no' : 'yes';
  return PASSING_STATUS.has(status) ? 'yes' : 'no';
};

const byName = (error: object): Retryable | undefined =>
  'name' in error && error.name === 'TimeoutError' ? 'yes' : undefined;
