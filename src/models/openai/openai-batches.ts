import type OpenAI from 'openai';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { cancelledError, expiredError, neighbourError, surely } from '../batch/batch-errors.ts';
import type { BatchReport, BatchResult, BatchService } from '../batch/batch-service.ts';
import { errorInBody } from '../retry/error-body.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { malformedError, providerError } from '../wire/provider-stream.ts';

/**
 * The Batch API of OpenAI, and of servers that have the same (platform.openai.com/docs/guides/batch and its API reference, "Batch").
 *
 * A batch is a file of requests, one in a line, and its results are two files: of answers, and of errors. It is found by `metadata`.
 */
export const openaiBatches = (
  client: OpenAI,
  who: ErrorContext,
  endpoint: '/v1/responses' | '/v1/chat/completions',
): BatchService => ({
  most: { requests: 50_000, bytes: 200_000_000 },
  submit: async (requests, mark, send) => {
    const lines = requests.map(({ id, body }) =>
      JSON.stringify({ custom_id: id, method: 'POST', url: endpoint, body }),
    );
    const file = new File([lines.join('\n')], `troupe-${mark.slice(0, 16)}.jsonl`, {
      type: 'application/jsonl',
    });
    const uploaded = await client.files.create({ file, purpose: 'batch' }, send);
    const idOfFile = idIn(uploaded, who, 'its upload');
    const created = client.batches.create(
      { input_file_id: idOfFile, endpoint, completion_window: '24h', metadata: { [MARK]: mark } },
      send,
    );
    return surely(
      created.then((batch) => reportOf(batch, who)),
      who,
    );
  },
  find: async (mark, at, send) => {
    const found: string[] = [];
    let seen = 0;
    // The newest first.
    for await (const batch of client.batches.list({ limit: 100 }, send)) {
      if (batch.created_at * 1_000 < at - CLOCKS_DIFFER_MS || ++seen > MOST_LISTED) break;
      if (batch.metadata?.[MARK] === mark) found.push(batch.id);
    }
    return found;
  },
  report: async (id, send) => reportOf(await client.batches.retrieve(id, send), who),
  lines: (file, send) => client.files.content(file, send),
  result: (line, batch) => resultIn(line, batch, who),
  cancel: async (id, send) => {
    await client.batches.cancel(id, send);
  },
});

/** The key of a batch's metadata that holds its mark. */
const MARK = 'troupe';

/** A list that does not end is left. */
const MOST_LISTED = 10_000;

/** In ms. */
const CLOCKS_DIFFER_MS = 3_600_000;

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'expired', 'cancelled']);

const idIn = (given: unknown, who: ErrorContext, what: string): string => {
  const id = isJsonObject(given) ? given['id'] : undefined;
  if (typeof id === 'string' && id !== '') return id;
  const found = JSON.stringify(given) ?? String(given);
  throw malformedError(who, `${what} has no id (${found.slice(0, 200)})`);
};

const reportOf = (given: unknown, who: ErrorContext): BatchReport => {
  const id = idIn(given, who, 'its batch');
  const { status, output_file_id: output, error_file_id: failed, errors } = isJsonObject(given) ? given : {};
  if (typeof status !== 'string') throw malformedError(who, `its batch ${id} has no status`);
  return {
    id,
    hasEnded: ENDED.has(status),
    files: [output, failed].filter((file) => typeof file === 'string' && file !== '').map(String),
    whyWithout: whyWithout(id, status, errors, who),
  };
};

const whyWithout = (
  id: string,
  status: string,
  errors: unknown,
  who: ErrorContext,
): BatchReport['whyWithout'] => {
  switch (status) {
    case 'expired':
      return () => expiredError(who, id);
    case 'cancelled':
      return () => cancelledError(who, id);
    case 'failed':
      return (line) => refusalFor(line, id, refusalsIn(errors), who);
    default:
      return undefined;
  }
};

const refusalsIn = (errors: unknown): readonly JsonObject[] => {
  const data = isJsonObject(errors) ? errors['data'] : undefined;
  return Array.isArray(data) ? data.filter((each) => isJsonObject(each)) : [];
};

/** The error of one request in a file that was refused as a whole: what was found in its own line is its own. */
const refusalFor = (
  line: number | undefined,
  id: string,
  refusals: readonly JsonObject[],
  who: ErrorContext,
): Error => {
  const own = refusals.find((each) => each['line'] === line && line !== undefined);
  const general = refusals.find((each) => typeof each['line'] !== 'number');
  const about = own ?? general;
  if (about === undefined && line !== undefined && refusals.length > 0) return neighbourError(who, id);
  const { code, message } = about ?? refusals[0] ?? {};
  const said = {
    code: code === 'token_limit_exceeded' ? 'rate_limit_exceeded' : code,
    type: 'invalid_request_error',
  };
  return providerError({
    ...said,
    message: `its batch ${id} was refused: ${typeof message === 'string' ? message : 'no reason was given'}`,
  });
};

const resultIn = (
  { custom_id: id, response, error }: JsonObject,
  batch: string,
  who: ErrorContext,
): BatchResult | undefined => {
  if (typeof id !== 'string') return undefined;
  if (isJsonObject(response)) {
    const { status_code: status, request_id: requestID, body } = response;
    if (typeof status === 'number' && status >= 400) {
      const found = errorInBody(body) ?? { message: JSON.stringify(body ?? null).slice(0, 200) };
      return { id, thrown: Object.assign(providerError(found), { status, requestID }) };
    }
    if (isJsonObject(body)) return { id, body };
  }
  if (isJsonObject(error)) {
    if (error['code'] === 'batch_expired') return { id, thrown: expiredError(who, batch) };
    if (error['code'] === 'batch_cancelled') return { id, thrown: cancelledError(who, batch) };
    return { id, thrown: providerError(error) };
  }
  return { id, thrown: malformedError(who, 'its result in the batch has neither an answer nor an error') };
};
