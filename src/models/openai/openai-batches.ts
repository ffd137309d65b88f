import type OpenAI from 'openai';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { cancelledError, expiredError, neighbourError, surely } from '../batch/batch-errors.ts';
import type { BatchReport, BatchResult, BatchSend, BatchService } from '../batch/batch-service.ts';
import { errorInBody } from '../retry/error-body.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { malformedError, providerError } from '../wire/provider-stream.ts';
import type { ChatBatches } from './chat-batches.ts';

/**
 * The Batch API of OpenAI (platform.openai.com/docs/guides/batch and its API reference, "Batch"), and of servers that have nearly the same.
 *
 * A batch is a file of requests, one in a line, and its results are two files: of answers, and of errors. It is found by `metadata`, where
 * those are kept. What a server sends is read in the forms of all of them.
 */
export const openaiBatches = (
  client: OpenAI,
  who: ErrorContext,
  endpoint: '/v1/responses' | '/v1/chat/completions',
  ways: ChatBatches = {},
): BatchService => {
  const { path = '/batches', form, uploads = FILES, purpose = 'batch', bareLines, marks = true } = ways;
  const { mostRequests = 50_000, mostBytes = 200_000_000 } = ways;
  const pathOf = (id: string): `/${string}` => `/${path.slice(1)}/${encodeURIComponent(id)}`;
  return {
    most: { requests: mostRequests, bytes: mostBytes },
    submit: async (requests, mark, send) => {
      const target = bareLines === true ? {} : { method: 'POST', url: endpoint };
      const lines = requests.map(({ id, body }) => JSON.stringify({ custom_id: id, ...target, body }));
      const name = `troupe-${mark.slice(0, 16)}.jsonl`;
      const upload = new FormData();
      upload.append('purpose', purpose);
      if (uploads !== FILES) upload.append('file_name', name);
      upload.append('file', new File([lines.join('\n')], name, { type: 'application/jsonl' }));
      const uploaded = await client.post<unknown>(uploads, { body: upload, ...send });
      const file = idIn(uploaded, who, 'its upload');
      const input =
        form === 'jobs'
          ? { input_files: [file], model: requests[0]?.body['model'], timeout_hours: 24 }
          : { input_file_id: file, completion_window: '24h' };
      const body = { endpoint, ...input, ...(marks ? { metadata: { [MARK]: mark } } : {}) };
      const created = client.post<unknown>(path, { body, ...send });
      return surely(
        created.then((batch) => reportOf(batch, who)),
        who,
      );
    },
    find: async (mark, at, send) => {
      const found: { readonly id: string; readonly awayMs: number }[] = [];
      for await (const { id, created_at: created, metadata } of listBatches(client, ways, at, send)) {
        const awayMs = Math.abs(timeOf(created) - at);
        const isIt = marks ? isJsonObject(metadata) && metadata[MARK] === mark : awayMs <= CLOCKS_DIFFER_MS;
        if (isIt && typeof id === 'string') found.push({ id, awayMs });
      }
      return found.toSorted((one, other) => one.awayMs - other.awayMs).map(({ id }) => id);
    },
    report: async (id, send) => reportOf(await client.get<unknown>(pathOf(id), send), who),
    lines: (file, send) => client.files.content(file, send),
    result: (line, batch) => resultIn(line, batch, who),
    cancel: async (id, send) => {
      await client.post<unknown>(`${pathOf(id)}/cancel`, send);
    },
  };
};

const FILES = '/files';

/** The key of a batch's metadata that holds its mark. */
const MARK = 'troupe';

/** A list that does not end is left. */
const MOST_LISTED = 10_000;

const PAGE = 100;

/** In ms. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** The batches of about that time and later, the newest first, or all where the list is not by pages. */
async function* listBatches(
  client: OpenAI,
  { path = '/batches', form }: ChatBatches,
  at: number,
  send: BatchSend,
): AsyncGenerator<JsonObject> {
  const since = at - CLOCKS_DIFFER_MS;
  const seen = new Set<unknown>();
  let query: Record<string, unknown> =
    form === 'jobs'
      ? { page: 0, page_size: PAGE, created_after: new Date(since).toISOString() }
      : { limit: PAGE };
  for (let page = 1; seen.size < MOST_LISTED; page += 1) {
    const given: unknown = await client.get<unknown>(path, { query, ...send });
    const {
      data = given,
      has_more: hasMore,
      total,
    }: Record<string, unknown> = isJsonObject(given) ? given : {};
    const all = Array.isArray(data) ? data.filter((each) => isJsonObject(each)) : [];
    // A server that does not know of pages lists the same ones again.
    const batches = all.filter(({ id }) => !seen.has(id));
    for (const { id } of batches) seen.add(id);
    yield* batches;
    const last = batches.at(-1);
    if (last === undefined || hasMore === false || Array.isArray(given)) return;
    if (timeOf(last['created_at']) < since || (typeof total === 'number' && seen.size >= total)) return;
    query = form === 'jobs' ? { ...query, page } : { ...query, after: last['id'] };
  }
}

/** A time in ms since 1970, of one in seconds or as a text. */
const timeOf = (given: unknown): number =>
  typeof given === 'number' ? given * 1_000 : Date.parse(String(given));

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** Other words for how a batch ended, in small letters. */
const ENDS: Readonly<Record<string, string>> = { success: 'completed', timeout_exceeded: 'expired' };

const idIn = (given: unknown, who: ErrorContext, what: string): string => {
  const id = isJsonObject(given) ? given['id'] : undefined;
  if (typeof id === 'string' && id !== '') return id;
  const found = JSON.stringify(given) ?? String(given);
  throw malformedError(who, `${what} has no id (${found.slice(0, 200)})`);
};

const reportOf = (given: unknown, who: ErrorContext): BatchReport => {
  // Together wraps what it creates.
  const batch = isJsonObject(given) && isJsonObject(given['job']) ? given['job'] : given;
  const id = idIn(batch, who, 'its batch');
  const facts = isJsonObject(batch) ? batch : {};
  if (typeof facts['status'] !== 'string') throw malformedError(who, `its batch ${id} has no status`);
  const word = facts['status'].toLowerCase();
  const status = ENDS[word] ?? word;
  const files = ['output_file_id', 'output_file', 'error_file_id', 'error_file'].map((name) => facts[name]);
  return {
    id,
    hasEnded: ENDED.has(status),
    files: files.filter((file) => typeof file === 'string' && file !== '').map(String),
    whyWithout: whyWithout(id, status, facts['errors'] ?? facts['error'], who),
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
  if (typeof errors === 'string') return errors === '' ? [] : [{ message: errors }];
  const data = isJsonObject(errors) ? errors['data'] : errors;
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
  if (typeof error === 'string' && error !== '') return { id, thrown: providerError({ message: error }) };
  if (isJsonObject(error)) {
    if (error['code'] === 'batch_expired') return { id, thrown: expiredError(who, batch) };
    if (error['code'] === 'batch_cancelled') return { id, thrown: cancelledError(who, batch) };
    return { id, thrown: providerError(error) };
  }
  return { id, thrown: malformedError(who, 'its result in the batch has neither an answer nor an error') };
};
