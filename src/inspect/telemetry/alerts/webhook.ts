import type { Clock } from '../../../base/clock.ts';
import { systemClock } from '../../../base/clock.ts';
import { timeLimit } from '../../../base/promises/time-limit.ts';
import {
  aSecret,
  aTime,
  fulfilling,
  objectWith,
  optional,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import type { HttpOps, HttpResponse } from '../../../contracts/environments/operations.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import { isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import { publicHttp } from '../../../tools/built-in/http/http-environment.ts';
import type { Alert } from './alert.ts';

/** Options of {@link webhook}. */
export interface WebhookOptions {
  /** `https:` or `http:`, on the public internet unless `http` allows more. */
  readonly url: string;
  /** Shared with the receiver, at least 16 characters: it signs each request. */
  readonly secret: string;
  /** Attempts for one alert. Default 3. */
  readonly attempts?: number | undefined;
  /** The wait after the first attempt, in ms; it doubles from there. Default 1,000. */
  readonly retryMs?: number | undefined;
  /** Time for one attempt, in ms. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Sends the requests. Default: `publicHttp` of `troupe/tools`, for POST without redirects; give it `trusted` for hosts of an intranet. */
  readonly http?: HttpOps | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

const SHORTEST_SECRET = 16;
const MAX_ANSWER_BYTES = 10_000;

const check = optionsCheck<WebhookOptions>({ code: 'input.invalid', owner: 'a webhook' }, () => ({
  url: fulfilling(isWebAddress, "not an address: write 'https://…', without user name and password"),
  secret: aSecret(),
  attempts: optional(wholeNumber(1)),
  retryMs: optional(wholeNumber(0)),
  timeoutMs: optional(aTime()),
  http: optional(objectWith(['request'], "not for HTTP: write publicHttp({ methods: ['POST'] })")),
  clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
}));

function isWebAddress(given: unknown): boolean {
  if (typeof given !== 'string' || !URL.canParse(given)) return false;
  const { protocol, username, password } = new URL(given);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

/**
 * A channel of {@link alerts} that posts each alert as JSON, signed, and only to the public internet.
 *
 * The header `x-troupe-signature` is `t=SECONDS,v1=HEX`: the HMAC-SHA256 of `SECONDS.BODY` with the secret. A receiver computes it from the
 * body as it came, and refuses times that are not of the last minutes; `x-troupe-alert` identifies the alert, and is equal in each attempt. Answers
 * of 429 and from 500 on, and connections that fail, are tried again.
 *
 * @example
 * const page = webhook({ url: 'https://ops.example/alerts', secret: process.env['ALERT_SECRET'] ?? '' });
 * const watching = alerts({ channels: ['log', page] });
 *
 * @throws {TroupeError} `input.invalid` for an address or a secret that does not fit.
 */
export const webhook = (options: WebhookOptions): ((alert: Alert, signal?: AbortSignal) => Promise<void>) => {
  const {
    url,
    secret,
    attempts = 3,
    retryMs = 1_000,
    clock = systemClock,
    timeoutMs = 5_000,
  } = check(options);
  if (secret.length < SHORTEST_SECRET)
    throw new TroupeError(
      'input.invalid',
      `Cannot define a webhook as its secret has fewer than ${SHORTEST_SECRET} characters: found ${secret.length}`,
    );
  const { http = publicHttp({ methods: ['POST'], maxRedirects: 0, maxBytes: MAX_ANSWER_BYTES, timeoutMs }) } =
    options;
  const { host } = new URL(url);

  const attempt = async (alert: Alert, body: string, signal: AbortSignal | undefined): Promise<void> => {
    const seconds = Math.floor(clock.now() / 1_000);
    const timeout = timeLimit(timeoutMs);
    const answer = await http.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-troupe-alert': await digestOf(alert.id),
        'x-troupe-signature': `t=${seconds},v1=${await signatureOf(secret, `${seconds}.${body}`)}`,
      },
      body,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    if (answer.status < 200 || answer.status > 299) throw refusalBy(host, answer);
  };

  const send = async (alert: Alert, signal?: AbortSignal): Promise<void> => {
    const body = JSON.stringify(alert);
    for (let number = 1; ; number += 1)
      try {
        await attempt(alert, body, signal);
        return;
      } catch (thrown) {
        if (isFinal(thrown) || number >= attempts || isAborted(signal)) throw thrown;
        await pause(clock, retryMs * 2 ** (number - 1), signal);
        if (isAborted(signal)) throw thrown;
      }
  };
  // Failures name their channel.
  return Object.defineProperty(send, 'name', { value: `webhook ${host}` });
};

/** A host that is not found now may be found soon; one that may not be reached stays so. */
const isFinal = (thrown: unknown): boolean =>
  isTroupeError(thrown, 'tool.denied') ||
  (isTroupeError(thrown, 'publishing.failed') && thrown.retryable === 'no');

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

const refusalBy = (host: string, { status }: HttpResponse): TroupeError =>
  new TroupeError('publishing.failed', `Cannot send an alert to ${host} as it answered ${status}`, {
    status,
    retryable: status === 429 || status >= 500 ? 'yes' : 'no',
  });

/** Ends early when it is aborted. */
const pause = (clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = clock.setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    function end(): void {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    }
  });

const encoder = new TextEncoder();

const signatureOf = async (secret: string, text: string): Promise<string> => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return hexOf(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
};

/** An id may have characters that no header may. */
const digestOf = async (id: string): Promise<string> =>
  hexOf(await crypto.subtle.digest('SHA-256', encoder.encode(id))).slice(0, 32);

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
