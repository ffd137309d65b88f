import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import { isTooDeep, toJson } from '../../base/json/json.ts';
import { readText, TooLate, TooLong } from '../../base/text/read-text.ts';
import type { QueuedMessage, WebhookInOptions } from './schedule.ts';
import { checkWebhook } from './schedule-schema.ts';
import { readSignedHeaders, WebhookKeys } from './webhook-signature.ts';

/** Longest body by default, in bytes. */
const MAX_BYTES = 262_144;
/** Time that a body may take, in ms. */
const BODY_MS = 10_000;

/** The queue that a handler of webhooks fills. */
export interface WebhookQueue {
  readonly clock: Clock;
  /** True if the message is new. */
  readonly send: (message: QueuedMessage) => Promise<boolean>;
}

/** Makes a web handler that checks webhooks and passes them on to a queue. */
export const handleWebhooks = (
  { clock, send }: WebhookQueue,
  options: WebhookInOptions,
): ((request: Request) => Promise<Response>) => {
  const { keys: given, maxBytes = MAX_BYTES } = checkWebhook(options);
  const keys = new WebhookKeys(given);
  return async (request) => {
    if (request.method !== 'POST') return reply(405, { allow: 'POST' });
    if (!isJsonType(request.headers.get('content-type'))) return reply(415);
    if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return reply(413);
    // Before its body is read: one that nobody signed is not waited for.
    const signed = readSignedHeaders(request.headers, clock.now());
    if (signed === undefined) return reply(401);
    let body: string;
    try {
      body = await readText(request.body, maxBytes, { withinMs: BODY_MS, clock });
    } catch (thrown) {
      if (thrown instanceof TooLate) return reply(408);
      return reply(thrown instanceof TooLong ? 413 : 400);
    }
    if (!(await keys.haveSigned(signed, body))) return reply(401);
    const message = parseMessage(body);
    if (message === undefined) return reply(400);
    try {
      return reply((await send({ id: signed.id, message })) ? 202 : 200);
    } catch {
      // Reported where it is known; the sender learns only that it has to try again.
      return reply(503, { 'retry-after': '30' });
    }
  };
};

const isJsonType = (type: string | null): boolean =>
  /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type ?? '');

const parseMessage = (body: string): Json | undefined => {
  try {
    const message: unknown = JSON.parse(body);
    return isTooDeep(message) ? undefined : toJson(message);
  } catch {
    return undefined;
  }
};

const reply = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status, headers: { 'cache-control': 'no-store', ...headers } });
