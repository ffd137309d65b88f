import type Anthropic from '@anthropic-ai/sdk';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { cancelledError, expiredError, surely } from '../batch/batch-errors.ts';
import type { BatchReport, BatchResult, BatchService } from '../batch/batch-service.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { malformedError, providerError } from '../wire/provider-stream.ts';

/**
 * The Message Batches API of Anthropic (platform.claude.com/docs/en/build-with-claude/batch-processing and its API reference, "Message
 * Batches").
 *
 * A batch bears no mark, and only its results name its requests: a batch whose id is not known may be any that was created at the time.
 */
export const anthropicBatches = (client: Anthropic, who: ErrorContext): BatchService => ({
  most: { requests: 100_000, bytes: 256_000_000 },
  // By `post` and `get`: the SDK's methods demand types that a body of ours need not have, and results are read here.
  submit: (requests, _mark, send) => {
    const body = { requests: requests.map(({ id, body: params }) => ({ custom_id: id, params })) };
    const created = client.post<unknown>(PATH, { body, ...send });
    return surely(
      created.then((batch) => reportOf(batch, who)),
      who,
    );
  },
  find: async (_mark, at, send) => {
    const found: string[] = [];
    let seen = 0;
    // The newest first.
    for await (const { id, created_at: created } of client.messages.batches.list({ limit: 100 }, send)) {
      const createdAt = Date.parse(created);
      if (createdAt < at - CLOCKS_DIFFER_MS || ++seen > MOST_LISTED) break;
      if (createdAt <= at + CLOCKS_DIFFER_MS) found.unshift(id);
    }
    return found;
  },
  report: async (id, send) =>
    reportOf(await client.get<unknown>(`${PATH}/${encodeURIComponent(id)}`, send), who),
  // Not by `results_url`: the key is sent to no address that a response names.
  lines: (id, send) => client.get(`${PATH}/${encodeURIComponent(id)}/results`, send).asResponse(),
  result: (line, batch) => resultIn(line, batch, who),
  cancel: async (id, send) => {
    await client.post(`${PATH}/${encodeURIComponent(id)}/cancel`, send);
  },
});

const PATH = '/v1/messages/batches';

/** A list that does not end is left. */
const MOST_LISTED = 10_000;

/** In ms: how far the clocks may be apart, and a request may be under way. */
const CLOCKS_DIFFER_MS = 300_000;

const reportOf = (given: unknown, who: ErrorContext): BatchReport => {
  const { id, processing_status: status } = isJsonObject(given) ? given : {};
  if (typeof id !== 'string' || typeof status !== 'string') {
    const found = JSON.stringify(given) ?? String(given);
    throw malformedError(who, `its batch has no id, or no status (${found.slice(0, 200)})`);
  }
  return { id, hasEnded: status === 'ended', files: [id] };
};

const resultIn = (
  { custom_id: id, result }: JsonObject,
  batch: string,
  who: ErrorContext,
): BatchResult | undefined => {
  if (typeof id !== 'string') return undefined;
  const { type, message, error } = isJsonObject(result) ? result : {};
  switch (type) {
    case 'succeeded':
      if (isJsonObject(message)) return { id, body: message };
      break;
    case 'errored':
      return { id, thrown: providerError(error) };
    case 'expired':
      return { id, thrown: expiredError(who, batch) };
    case 'canceled':
      return { id, thrown: cancelledError(who, batch) };
    default:
  }
  return { id, thrown: malformedError(who, 'its result in the batch is neither an answer nor an error') };
};
