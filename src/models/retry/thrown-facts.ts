import { messageOf } from '../../contracts/errors/error.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { errorInBody } from './error-body.ts';
import type { HeaderSource } from './retry-after.ts';

/** Facts about a thrown value, independent of the SDK, fetch or version that threw it. */
export interface ThrownFacts {
  readonly name: string;
  readonly text: string;
  readonly status?: number | undefined;
  readonly headers?: HeaderSource | undefined;
  readonly requestId?: string | undefined;
  /** The provider's own codes and types, most specific first. */
  readonly codes: readonly string[];
  /** In ms: how long the body asks to wait, in its own fields. */
  readonly waitMs?: number | undefined;
  /** Codes of the operating system or of fetch, found anywhere down the causes. */
  readonly systemCodes: readonly string[];
  readonly isAbort: boolean;
  readonly isTimeout: boolean;
  readonly isNetwork: boolean;
  readonly isSyntax: boolean;
}

/**
 * Reads a thrown value by its shape: two copies or versions of an SDK share no classes, but they share shapes.
 *
 * @example
 * thrownFacts(new TypeError('terminated', { cause: { code: 'UND_ERR_SOCKET' } })).systemCodes // => ['UND_ERR_SOCKET']
 */
export const thrownFacts = (thrown: unknown): ThrownFacts => {
  const chain = causes(thrown);
  const bodies = chain.flatMap((each) => errorBodies(each));
  const status = first(chain, statusOf);
  const names = chain.flatMap((each) => [text(field(each, 'name')), constructorName(each)]);
  const words = textOf(thrown, bodies);
  /** By the name of its class, or, where a bundler has shortened that, by the default message of both SDKs. */
  const isSdkError = (name: string, message: string): boolean =>
    names.includes(name) || chain.some((each) => field(each, 'message') === message);
  return {
    name: thrown instanceof Error ? (constructorName(thrown) ?? thrown.name) : typeof thrown,
    text: words,
    status,
    headers: first(chain, (each) => headerSource(field(each, 'headers')) ?? plainHeaders(each)),
    requestId: first(chain, (each) => text(field(each, 'requestID')) ?? undefined),
    codes: unique([
      ...chain.map((each) => word(field(each, 'errorCode'))),
      ...bodies.map((each) => word(field(field(each, 'details'), 'error_code'))),
      ...bodies.flatMap((each) => [word(field(each, 'code')), word(field(each, 'type'))]),
      ...bodies.flatMap((each) => [text(field(each, 'status')), ...details(each).map(reasonOf)]),
      ...(status === undefined ? [] : chain.map((each) => word(field(each, 'code')))),
      // Errors of the AI SDK have names in place of codes; that of a refused request says nothing.
      ...names.filter((name) => name?.startsWith('AI_') && name !== 'AI_APICallError'),
    ]).filter((code) => code !== 'error'),
    waitMs: first(bodies.flatMap(details), retryDelayMs),
    systemCodes: unique(chain.map((each) => word(field(each, 'code')))),
    isAbort: names.includes('AbortError') || isSdkError('APIUserAbortError', 'Request was aborted.'),
    isTimeout:
      names.includes('TimeoutError') || isSdkError('APIConnectionTimeoutError', 'Request timed out.'),
    isNetwork: isSdkError('APIConnectionError', 'Connection error.') || chain.some(isFetchFailure),
    isSyntax: chain.some((each) => each instanceof SyntaxError),
  };
};

const MAX_CAUSES = 5;

const causes = (thrown: unknown): unknown[] => {
  const chain: unknown[] = [];
  for (let each = thrown; each != null && chain.length < MAX_CAUSES; each = field(each, 'cause'))
    chain.push(each);
  return chain;
};

/**
 * The error objects of a response's body. The OpenAI SDK keeps the inner one (`{ code, type, message }`), the Anthropic
 * SDK the whole body (`{ type: 'error', error: { type, message, details } }`), and a stream may contain either.
 */
const errorBodies = (thrown: unknown): unknown[] => {
  const body = field(thrown, 'error') ?? bodyInText(text(field(thrown, 'responseBody')));
  const inner = field(body, 'error');
  return [inner, body].filter(isJsonObject);
};

/** The AI SDK keeps the body as text. */
const bodyInText = (body = ''): unknown => {
  try {
    return errorInBody(JSON.parse(body));
  } catch {
    return undefined;
  }
};

/** The status of a response; the AI SDK has another name for it. */
const statusOf = (thrown: unknown): number | undefined =>
  httpStatus(field(thrown, 'status')) ?? httpStatus(field(thrown, 'statusCode'));

/** The AI SDK keeps headers as an object, with their names in lower case. */
const plainHeaders = (thrown: unknown): HeaderSource | undefined => {
  const headers = field(thrown, 'responseHeaders');
  return isJsonObject(headers) ? { get: (name) => text(headers[name]) ?? null } : undefined;
};

/** Google lists details, each of its own type, that its status and message omit. */
const details = (body: unknown): readonly unknown[] => {
  const found = field(body, 'details');
  return Array.isArray(found) ? found : [];
};

const reasonOf = (detail: unknown): string | undefined => text(field(detail, 'reason'));

const retryDelayMs = (detail: unknown): number | undefined => {
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(text(field(detail, 'retryDelay')) ?? '') ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
};

const textOf = (thrown: unknown, bodies: readonly unknown[]): string => {
  const said = first(bodies, (each) => text(field(each, 'message')) ?? undefined);
  const status = statusOf(thrown);
  if (said !== undefined) return status === undefined ? said : `${status} ${said}`;
  const deeper = causes(thrown).slice(1).map(messageOf);
  return unique([messageOf(thrown), ...deeper]).join(': ');
};

/** Messages of each platform's fetch for a failed or lost connection: undici, Chrome, Safari, Firefox. */
const isFetchFailure = (thrown: unknown): boolean =>
  thrown instanceof TypeError &&
  /^(terminated|fetch failed|failed to fetch|load failed|network ?error.*)$/i.test(thrown.message);

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const word = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : text(value);

const httpStatus = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 100 && value < 600 ? value : undefined;

const headerSource = (value: unknown): HeaderSource | undefined => {
  if (typeof value !== 'object' || value === null || !('get' in value) || typeof value.get !== 'function') {
    return undefined;
  }
  const { get } = value;
  return {
    get: (name) => {
      const found: unknown = get.call(value, name);
      return typeof found === 'string' ? found : null;
    },
  };
};

const constructorName = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? text(value.constructor?.name) : undefined;

const first = <T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined => {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
};

const unique = (items: readonly (string | undefined)[]): string[] => [
  ...new Set(items.filter((item) => item !== undefined)),
];
