import { type ErrorCode, type ErrorData, type Retryable } from '../../contracts/errors/error-data.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';
import { noteThrown } from '../../contracts/errors/thrown-by.ts';
import { Redactor } from '../../contracts/secrets/redactor.ts';
import { type Json, isJsonObject } from '../../base/json/json.ts';
import { type ThrownFacts, thrownFacts } from './thrown-facts.ts';
import { retryAfterInText, retryAfterMs } from './retry-after.ts';

/** The model that was asked, for the message; and the time, for dates in headers. */
export interface ErrorContext {
  readonly provider: string;
  readonly model: string;
  /** In ms since 1970. Default: the machine's clock. */
  readonly now?: number | undefined;
  /** The provider's own error codes, with the code that each maps to; checked first. Default: none. */
  readonly codes?: Readonly<Record<string, ErrorCode>> | undefined;
}

/**
 * Classifies a thrown SDK, network or parse error: its code, whether a retry can help, and how long to wait.
 *
 * The HTTP status decides first, then the provider's own error code or type, then the system's error code; texts are
 * read last and only to distinguish errors with one status (a full context from a bad request, an exhausted quota from
 * a busy server). So a 429 with `insufficient_quota` is not retried, and "500" in a text means nothing. An unknown
 * error is `model.failed` and is not retried. Never throws.
 *
 * @example
 * classifyError(thrown, { provider: 'openai', model: 'gpt-5.5' }) // => { code: 'model.rate-limited', retryable: 'yes', … }
 */
export const classifyError = (thrown: unknown, context: ErrorContext): ErrorData => {
  if (isTroupeError(thrown)) return thrown.data;
  const facts = thrownFacts(thrown);
  const [code, retryable, reason] = ownVerdict(facts, context) ?? verdict(facts);
  const name = `${context.provider}:${context.model}`;
  return {
    code,
    message: `Cannot get an answer from ${name} as ${reason}: ${toReadable(facts.text)}`,
    retryable,
    ...waitOf(facts, code, context.now ?? Date.now()),
    // That of a response whose connection was lost says nothing of it.
    ...(facts.status === undefined || code === 'model.network' ? {} : { status: facts.status }),
    cause: noteThrown({ name: facts.name, message: toReadable(facts.text) }, thrown),
    ...detailsOf(facts),
  };
};

type Verdict = readonly [code: ErrorCode, retryable: Retryable, reason: string];

const verdict = (facts: ThrownFacts): Verdict => {
  if (facts.isAbort) return ['run.aborted', 'no', 'the call was aborted'];
  if (facts.status !== undefined)
    return (isSuccess(facts.status) ? byConnection(facts) : undefined) ?? byStatus(facts.status, facts);
  const named = byProviderCode(facts);
  if (named !== undefined) return named;
  if (facts.isTimeout) return ['model.timeout', 'yes', 'it did not answer in time'];
  const lost = byConnection(facts);
  if (lost !== undefined) return lost;
  if (facts.isSyntax) return ['model.malformed', 'yes', 'its answer is not JSON'];
  if (MISSING_KEY.test(facts.text)) return NO_KEY;
  return ['model.failed', 'no', 'it failed in an unknown way'];
};

/** The verdict of the provider's own codes, if they are mapped. */
const ownVerdict = ({ codes: found }: ThrownFacts, { codes = {} }: ErrorContext): Verdict | undefined => {
  const own = found.find((code) => Object.hasOwn(codes, code));
  const code = own === undefined ? undefined : codes[own];
  if (code === undefined) return undefined;
  return VERDICTS.find(([each]) => each === code) ?? [code, 'no', 'the provider says so'];
};

const AUTH: Verdict = ['model.auth', 'no', 'the API key was refused'];
const FORBIDDEN: Verdict = ['model.forbidden', 'no', 'access is not allowed'];
const NOT_FOUND: Verdict = ['model.not-found', 'no', 'there is no such model or address'];
const BAD_REQUEST: Verdict = ['model.bad-request', 'no', 'the request was refused'];
const QUOTA: Verdict = ['model.quota', 'no', 'the quota is used up'];
const RATE_LIMITED: Verdict = ['model.rate-limited', 'yes', 'there were too many requests'];
const UNAVAILABLE: Verdict = ['model.unavailable', 'yes', 'the provider is unavailable'];
const OVERFLOW: Verdict = ['model.context-overflow', 'maybe', 'the conversation is too long for it'];
const CONTENT_FILTER: Verdict = ['model.content-filter', 'no', 'a content filter stopped it'];

const MALFORMED: Verdict = ['model.malformed', 'yes', 'its response is not an answer'];
const LOST: Verdict = ['model.network', 'yes', 'the connection failed'];
const GAVE_UP: Verdict = ['model.timeout', 'yes', 'the provider gave up waiting'];
const NO_KEY: Verdict = ['model.auth', 'no', 'no API key is set'];

const VERDICTS: readonly Verdict[] = [
  AUTH,
  FORBIDDEN,
  NOT_FOUND,
  BAD_REQUEST,
  QUOTA,
  RATE_LIMITED,
  UNAVAILABLE,
  OVERFLOW,
  CONTENT_FILTER,
  LOST,
  GAVE_UP,
  ['model.malformed', 'maybe', 'its response is not an answer'],
];

/** The names of the vendors' errors, by what they mean. */
const NAMES: readonly (readonly [Verdict, readonly string[]])[] = [
  [
    QUOTA,
    [
      'insufficient_quota',
      'billing_hard_limit_reached',
      'billing_not_active',
      'billing_error',
      'enforced_spend_limit_reached',
      'quota_exceeded',
    ],
  ],
  [
    OVERFLOW,
    ['context_length_exceeded', 'exceed_context_size_error', 'string_above_max_length', 'request_too_large'],
  ],
  [CONTENT_FILTER, ['content_filter', 'content_policy_violation', 'responsible_ai_policy_violation']],
  [
    UNAVAILABLE,
    [
      'overloaded_error',
      'server_error',
      'api_error',
      'internal_server_error',
      'internal_error',
      'overloaded',
      'service_unavailable',
      'vector_store_timeout',
      'timeout_error',
      'UNAVAILABLE',
      'INTERNAL',
    ],
  ],
  [RATE_LIMITED, ['rate_limit_error', 'rate_limit_exceeded', 'too_many_requests', 'RESOURCE_EXHAUSTED']],
  [AUTH, ['authentication_error', 'invalid_api_key', 'API_KEY_INVALID']],
  [NO_KEY, ['AI_LoadAPIKeyError']],
  [FORBIDDEN, ['permission_error', 'permission_denied']],
  [NOT_FOUND, ['not_found_error', 'model_not_found', 'invalid_model', 'AI_NoSuchModelError']],
  [
    BAD_REQUEST,
    [
      'invalid_request_error',
      'invalid_prompt',
      'bad_request',
      'AI_UnsupportedFunctionalityError',
      'AI_InvalidPromptError',
      'AI_InvalidArgumentError',
    ],
  ],
  [
    MALFORMED,
    [
      'AI_JSONParseError',
      'AI_TypeValidationError',
      'AI_InvalidResponseDataError',
      'AI_EmptyResponseBodyError',
      'AI_NoContentGeneratedError',
    ],
  ],
];

const byName: ReadonlyMap<string, Verdict> = new Map(
  NAMES.flatMap(([verdict, names]) => names.map((name) => [name, verdict] as const)),
);

const isNamed = ({ codes }: ThrownFacts, verdict: Verdict): boolean =>
  codes.some((code) => byName.get(code) === verdict);

const byStatus = (status: number, facts: ThrownFacts): Verdict => {
  switch (status) {
    case 400:
      return badRequest(facts);
    case 401:
      return AUTH;
    case 402:
      return QUOTA;
    case 403:
      return isQuota(facts) ? QUOTA : FORBIDDEN;
    case 404:
      return NOT_FOUND;
    case 408:
      return GAVE_UP;
    case 409:
      return ['model.unavailable', 'yes', 'a resource that it needs is locked'];
    case 413:
      // Too many bytes: repeating them cannot help, only a shorter conversation can.
      return ['model.context-overflow', 'no', 'the request is too large'];
    case 425:
      return UNAVAILABLE;
    case 429:
      // Some providers call a limit per minute a quota too, and then say when to retry.
      return isNamed(facts, QUOTA) || (isQuota(facts) && !asksToWait(facts)) ? QUOTA : RATE_LIMITED;
    case 501:
      return ['model.failed', 'no', 'the provider does not offer this'];
    default:
      if (status >= 500) return UNAVAILABLE;
      if (status >= 400) return BAD_REQUEST;
      return MALFORMED;
  }
};

/** A 400 may also mean an exhausted quota, a full context, a stopped answer, a wrong key or an unknown model. */
const badRequest = (facts: ThrownFacts): Verdict => {
  if (isQuota(facts)) return QUOTA;
  if (isOverflow(facts)) return OVERFLOW;
  if (isNamed(facts, CONTENT_FILTER)) return CONTENT_FILTER;
  if (isNamed(facts, AUTH) || BAD_KEY.test(facts.text)) return AUTH;
  return isNamed(facts, NOT_FOUND) || UNKNOWN_MODEL.test(facts.text) ? NOT_FOUND : BAD_REQUEST;
};

const BAD_KEY = /(incorrect|invalid) api[ _-]?key|api key (is )?(not valid|invalid)/i;

const UNKNOWN_MODEL =
  /model not exist|invalid model\b|not a valid model|model\b.{0,80}\b(does not exist|not found)/i;

/** The names of both vendors' errors, also within a stream, where there is no status. */
const byProviderCode = (facts: ThrownFacts): Verdict | undefined => {
  if (isQuota(facts)) return QUOTA;
  if (facts.codes.length > 0 && isOverflow(facts)) return OVERFLOW;
  for (const code of facts.codes) {
    const status = Number(code);
    // Some relays put the status of the server behind them into the stream.
    if (status >= 400 && status < 600) return byStatus(status, facts);
    const found = byName.get(code);
    if (found !== undefined) return found;
  }
  return undefined;
};

const QUOTA_TEXT =
  /regain access on|credit balance is too low|exceeded your current quota|spend(ing)? limit/i;

const isQuota = (facts: ThrownFacts): boolean => isNamed(facts, QUOTA) || QUOTA_TEXT.test(facts.text);

const asksToWait = ({ headers, text, waitMs }: ThrownFacts): boolean =>
  headers?.get('retry-after') != null || waitMs !== undefined || retryAfterInText(text) !== undefined;

const OVERFLOW_TEXT =
  /prompt is too long|context[ _](length|window|limit)|(exceeds? the )?available context size|input (is|length) too long|too many (input )?tokens|maximum (prompt length|number of tokens)|max_new_tokens\W{0,3} must be <= \d+|exceeded model token limit|exceeds? max length|range of input length/i;

const isOverflow = (facts: ThrownFacts): boolean =>
  isNamed(facts, OVERFLOW) || OVERFLOW_TEXT.test(facts.text);

/** The errors of both SDKs without any credentials; they have no code. */
const MISSING_KEY = /missing credentials|could not resolve authentication/i;

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A body that broke off may be thrown with the status that began it, as the AI SDK does. */
const byConnection = ({ systemCodes, isNetwork }: ThrownFacts): Verdict | undefined =>
  bySystemCode(systemCodes) ?? (isNetwork ? LOST : undefined);

const bySystemCode = (codes: readonly string[]): Verdict | undefined => {
  for (const code of codes) {
    if (LASTING.test(code)) return ['model.network', 'no', 'no safe connection can be made'];
    if (code === 'ENOTFOUND') return ['model.network', 'maybe', 'its host is unknown'];
    if (PASSING.has(code)) return LOST;
  }
  return undefined;
};

/** A wrong certificate or address stays wrong. */
const LASTING = /^(CERT_|ERR_TLS_|ERR_SSL_|ERR_INVALID_URL|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/;

const PASSING: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const waitOf = (facts: ThrownFacts, code: ErrorCode, now: number): Pick<ErrorData, 'retryAfterMs'> => {
  const inHeaders = facts.headers === undefined ? undefined : retryAfterMs(facts.headers, now);
  const found =
    inHeaders ?? facts.waitMs ?? (code === 'model.rate-limited' ? retryAfterInText(facts.text) : undefined);
  const access = code === 'model.quota' ? accessAt(facts.text) : undefined;
  const wait = found ?? (access === undefined ? undefined : Math.max(0, access - now));
  return wait === undefined ? {} : { retryAfterMs: wait };
};

/** "You will regain access on 2026-12-01 at 00:00 UTC." */
const accessAt = (text: string): number | undefined => {
  const [, day, time = '00:00'] = /regain access on (\d{4}-\d\d-\d\d)(?: at (\d\d:\d\d))?/i.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) ? undefined : at;
};

const detailsOf = ({ codes, requestId }: ThrownFacts): { readonly details?: Json } => {
  const details = {
    ...(codes[0] === undefined ? {} : { providerCode: codes[0] }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  return isJsonObject(details) && Object.keys(details).length > 0 ? { details } : {};
};

const LONGEST_TEXT = 500;

/** Redacts recognisable secrets: outside a run no others are known. */
const publicSecrets = new Redactor({});

/**
 * Makes a provider's text readable for a person: a page of HTML is truncated, and keys are redacted, also those that
 * the provider truncated.
 */
const toReadable = (text: string): string => {
  const plain = publicSecrets
    .text(text)
    .replaceAll(/\b(sk|key|gsk|xai)-[\w*-]{6,}/g, '$1-…')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return plain.length > LONGEST_TEXT ? `${plain.slice(0, LONGEST_TEXT)}…` : plain;
};
