import OpenAI from 'openai';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { classifyError } from '../../src/models/retry/classify-error.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
const who = { provider: 'openai', model: 'gpt-5.5', now };

const openaiError = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  OpenAI.APIError.generate(
    status,
    { error: { message: 'So it is.', ...body } },
    undefined,
    new Headers(headers),
  );

const anthropicError = (status: number, error: object = {}, headers: Record<string, string> = {}) =>
  Anthropic.APIError.generate(
    status,
    { type: 'error', error: { message: 'So it is.', ...error } },
    undefined,
    new Headers(headers),
  );

const system = (code: string, message = 'fetch failed') =>
  new TypeError(message, { cause: Object.assign(new Error('below'), { code }) });

const verdict = (thrown: unknown) => {
  const { code, retryable } = classifyError(thrown, who);
  return `${code} ${retryable}`;
};

describe('[DODO-29] [DODO-31] an HTTP status decides, from either vendor', () => {
  it.each([
    [400, 'model.bad-request no'],
    [401, 'model.auth no'],
    [402, 'model.quota no'],
    [403, 'model.forbidden no'],
    [404, 'model.not-found no'],
    [405, 'model.bad-request no'],
    [408, 'model.timeout yes'],
    [409, 'model.unavailable yes'],
    [410, 'model.bad-request no'],
    [413, 'model.context-overflow no'],
    [422, 'model.bad-request no'],
    [425, 'model.unavailable yes'],
    [429, 'model.rate-limited yes'],
    [500, 'model.unavailable yes'],
    [501, 'model.failed no'],
    [502, 'model.unavailable yes'],
    [503, 'model.unavailable yes'],
    [504, 'model.unavailable yes'],
    [520, 'model.unavailable yes'],
    [524, 'model.unavailable yes'],
    [529, 'model.unavailable yes'],
  ])('%i is %s', (status, expected) => {
    expect(verdict(openaiError(status))).toBe(expected);
    expect(verdict(anthropicError(status))).toBe(expected);
    expect(classifyError(openaiError(status), who).status).toBe(status);
  });
});

describe('[D23] [DODO-32] a status is read before any text', () => {
  it.each([
    [
      '429 with the code of an empty quota',
      openaiError(429, { code: 'insufficient_quota' }),
      'model.quota no',
    ],
    [
      '429 with the type of an empty quota',
      openaiError(429, { type: 'insufficient_quota' }),
      'model.quota no',
    ],
    [
      '429 with the code of an empty quota, and a wait that would not fill it',
      openaiError(429, { code: 'insufficient_quota' }, { 'retry-after': '1' }),
      'model.quota no',
    ],
    ['429 with a hard limit', openaiError(429, { code: 'billing_hard_limit_reached' }), 'model.quota no'],
    [
      '429 with a limit of spending',
      anthropicError(429, {
        type: 'rate_limit_error',
        details: { error_code: 'enforced_spend_limit_reached' },
      }),
      'model.quota no',
    ],
    [
      '400 with a credit that is used up',
      anthropicError(400, { message: 'Your credit balance is too low to access the Anthropic API.' }),
      'model.quota no',
    ],
    [
      '429 that calls a limit by the minute a quota, and says when to come back',
      openaiError(429, { message: 'You exceeded your current quota. Please retry in 36.8s.' }),
      'model.rate-limited yes',
    ],
    [
      'a 400 that speaks of 500',
      openaiError(400, { message: 'max_tokens must be below 500' }),
      'model.bad-request no',
    ],
    ['a text that speaks of 429', new Error('got 429 items, status 503'), 'model.failed no'],
    [
      '400 with too long a context',
      openaiError(400, { code: 'context_length_exceeded' }),
      'model.context-overflow maybe',
    ],
    [
      '400 with too long a prompt',
      anthropicError(400, { message: 'prompt is too long: 214512 tokens > 200000 maximum' }),
      'model.context-overflow maybe',
    ],
    ['400 of a content filter', openaiError(400, { code: 'content_filter' }), 'model.content-filter no'],
  ])('%s', (_, thrown, expected) => {
    expect(verdict(thrown)).toBe(expected);
  });
});

describe('what has no status is known by its code', () => {
  it.each([
    ...['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN', 'UND_ERR_SOCKET'].map((code) => [
      code,
      'yes',
    ]),
    ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].map((code) => [
      code,
      'yes',
    ]),
    ['ENOTFOUND', 'maybe'],
    ...['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_INVALID_URL'].map((code) => [code, 'no']),
    ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'].map((code) => [code, 'no']),
  ])('[F35] %s: %s', (code, retryable) => {
    expect(verdict(system(code))).toBe(`model.network ${retryable}`);
    const wrapped = new OpenAI.APIConnectionError({ message: 'Connection error.', cause: system(code) });
    expect(verdict(wrapped)).toBe(`model.network ${retryable}`);
  });

  it.each([
    ['overloaded_error', 'model.unavailable yes'],
    ['api_error', 'model.unavailable yes'],
    ['rate_limit_error', 'model.rate-limited yes'],
    ['authentication_error', 'model.auth no'],
    ['invalid_request_error', 'model.bad-request no'],
    ['billing_error', 'model.quota no'],
    ['something_new', 'model.failed no'],
  ])('[F6] within a stream of Anthropic: %s', (type, expected) => {
    const body = { type: 'error', error: { type, message: 'So it is.' } };
    expect(verdict(new Anthropic.APIError(undefined, body, undefined, undefined, null))).toBe(expected);
  });

  it.each([
    [{ code: 'server_error' }, 'model.unavailable yes'],
    [{ code: 'rate_limit_exceeded' }, 'model.rate-limited yes'],
    [{ type: 'insufficient_quota', code: 'insufficient_quota' }, 'model.quota no'],
    [{ code: 502 }, 'model.unavailable yes'],
    [{ code: 401 }, 'model.auth no'],
    [{ code: null, type: 'server_error' }, 'model.unavailable yes'],
  ])('[F6] within a stream of OpenAI or a relay: %j', (error, expected) => {
    expect(
      verdict(new OpenAI.APIError(undefined, { message: 'So it is.', ...error }, undefined, undefined)),
    ).toBe(expected);
  });

  it.each([
    ['a time-out of the SDK', new OpenAI.APIConnectionTimeoutError(), 'model.timeout yes'],
    ['a time-out of the platform', new DOMException('late', 'TimeoutError'), 'model.timeout yes'],
    ['a connection that broke in the middle', new TypeError('terminated'), 'model.network yes'],
    ['a fetch that failed in a browser', new TypeError('Failed to fetch'), 'model.network yes'],
    ['JSON that is none', new SyntaxError('Unexpected token <'), 'model.malformed yes'],
    ['an abort by the SDK', new Anthropic.APIUserAbortError(), 'run.aborted no'],
    ['an abort by the platform', new DOMException('stop', 'AbortError'), 'run.aborted no'],
    ['no key', new OpenAI.OpenAIError('Missing credentials. Please pass an `apiKey`'), 'model.auth no'],
    ['a text', 'no idea', 'model.failed no'],
    ['nothing', undefined, 'model.failed no'],
    ['a cause that is its own cause', Object.assign(new Error('round'), { cause: 'x' }), 'model.failed no'],
  ])('%s', (_, thrown, expected) => {
    expect(verdict(thrown)).toBe(expected);
  });

  it('an error that goes round in circles is read all the same', () => {
    const error = new Error('round');
    error.cause = error;
    expect(verdict(error)).toBe('model.failed no');
  });
});

describe('[DODO-35] [P22] the error as data', () => {
  it('keeps status, wait, cause, the provider’s code and the request’s id', () => {
    const thrown = openaiError(
      429,
      { code: 'rate_limit_exceeded' },
      { 'retry-after': '7', 'x-request-id': 'req_1' },
    );
    expect(classifyError(thrown, who)).toEqual({
      code: 'model.rate-limited',
      message: 'Cannot get an answer from openai:gpt-5.5 as there were too many requests: 429 So it is.',
      retryable: 'yes',
      retryAfterMs: 7_000,
      status: 429,
      cause: { name: 'RateLimitError', message: '429 So it is.' },
      details: { providerCode: 'rate_limit_exceeded', requestId: 'req_1' },
    });
  });

  it('reads the wait from the text where no header says it', () => {
    const thrown = openaiError(429, { message: 'Rate limit reached. Please try again in 1.5s.' });
    expect(classifyError(thrown, who).retryAfterMs).toBe(1_500);
  });

  it('says when a quota opens again', () => {
    const thrown = anthropicError(400, { message: 'You will regain access on 2026-12-01 at 00:00 UTC.' });
    expect(classifyError(thrown, who)).toMatchObject({
      code: 'model.quota',
      retryAfterMs: Date.parse('2026-12-01T00:00:00Z') - now,
    });
  });

  it('leaves a TroupeError as it is', () => {
    const error = new TroupeError('model.idle', 'x', { retryable: 'yes' });
    expect(classifyError(error, who)).toBe(error.data);
  });

  it('shows no key, and no whole page', () => {
    const key = openaiError(401, {
      message: `Incorrect API key provided: sk-proj-abcdef1234567890 ${'x'.repeat(9_000)}`,
    });
    const { message } = classifyError(key, who);
    expect(message).toContain('Incorrect API key provided: [redacted key]');
    expect(message).not.toContain('abcdef');
    expect(message.length).toBeLessThan(700);
  });
});
