import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../../src/base/clock.ts';

/** One request of a batch, as the service has it. */
export interface BatchedRequest {
  readonly id: string;
  // The tests look into it as they please: what a body may hold is what they check.
  readonly body: Readonly<Record<string, unknown>>;
}

/** What becomes of one request: the text of its answer, or the line that the results have of it; undefined for no line. */
export type Outcome = string | object | undefined;

/** The service in whose form it speaks. */
export type BatchVendor = 'openai' | 'anthropic' | 'groq' | 'mistral' | 'together';

/** One batch at the service. */
export interface MockBatch {
  readonly id: string;
  readonly vendor: BatchVendor;
  readonly requests: readonly BatchedRequest[];
  readonly headers: IncomingMessage['headers'];
  readonly metadata: unknown;
  readonly endpoint: string;
  readonly createdAt: number;
  status: string;
  /** Lines of its results, and of its errors. */
  output: string[];
  errors: string[];
  refusals: readonly object[];
}

/** A reply in place of the service's own. */
export interface Fault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The request is carried out, but the connection breaks (`lost`), or nothing ever comes (`silent`). */
  readonly ending?: 'lost' | 'silent';
}

export interface MockBatches extends AsyncDisposable {
  readonly url: string;
  readonly batches: readonly MockBatch[];
  /** Method and path of each request, in order. */
  readonly seen: readonly string[];
  /** Ends all batches that are in progress. */
  end(outcomeOf?: (request: BatchedRequest, batch: MockBatch) => Outcome): void;
  /** Adds so many batches of others, which are later than that one. */
  crowd(than: MockBatch, count: number): void;
  /** Resolves when so many requests have come that begin with `prefix`, in all. */
  when(prefix: string, count?: number): Promise<void>;
}

/**
 * The services of batches of the vendors on loopback, as they are documented: platform.openai.com/docs/guides/batch with the API reference
 * of Batch and Files, and platform.claude.com/docs/en/build-with-claude/batch-processing with the API reference of Message Batches. Below
 * `/groq/openai`, `/mistral` and `/together` are those of console.groq.com/docs/batch, docs.mistral.ai/api/endpoint/batch and
 * docs.together.ai/docs/inference/batch, each of which refuses what is of another.
 *
 * `fault` may reply in place of the service, or break its reply. `answers` ends each batch when it is first looked at.
 */
export const mockBatches = async ({
  fault = () => undefined,
  answers,
  clock = systemClock,
}: {
  readonly fault?: (request: string, count: number) => Fault | undefined;
  readonly answers?: (request: BatchedRequest, batch: MockBatch) => Outcome;
  readonly clock?: Pick<Clock, 'now'>;
} = {}): Promise<MockBatches> => {
  const batches: MockBatch[] = [];
  const files = new Map<string, string>();
  const seen: string[] = [];
  const waiting: { readonly isMet: () => boolean; readonly go: () => void }[] = [];
  const countOf = (prefix: string): number => seen.filter((each) => each.startsWith(prefix)).length;

  const endBatch = (
    batch: MockBatch,
    outcomeOf: (request: BatchedRequest, batch: MockBatch) => Outcome,
  ): void => {
    for (const request of batch.requests) {
      const outcome = outcomeOf(request, batch);
      if (outcome === undefined) continue;
      const line = typeof outcome === 'string' ? lineOf(batch, request, outcome) : outcome;
      const isError = 'error' in line && line.error !== null && batch.vendor !== 'anthropic';
      (isError ? batch.errors : batch.output).push(JSON.stringify(line));
    }
    batch.status = WORDS[batch.vendor].done;
  };
  const isOpen = ({ status }: MockBatch): boolean => OPEN.has(status);

  const add = (
    batch: Pick<MockBatch, 'vendor' | 'requests' | 'metadata' | 'endpoint' | 'headers'>,
  ): MockBatch => {
    const id = `${batch.vendor === 'anthropic' ? 'msgbatch_' : 'batch_'}${batches.length + 1}`;
    const status = WORDS[batch.vendor].first;
    const added: MockBatch = {
      ...batch,
      id,
      createdAt: clock.now(),
      status,
      output: [],
      errors: [],
      refusals: [],
    };
    batches.unshift(added);
    return added;
  };

  const reply = (method: string, url: URL, body: string, headers: IncomingMessage['headers']): Fault => {
    const home = Object.values(HOMES).find(({ prefix }) => url.pathname.startsWith(prefix));
    const wanted = home ?? HOMES.openai;
    const [, , room, ...others] = pathIn(url).split('/');
    // Mistral's batches are at `/batch/jobs`.
    const [id, part] = room === 'batch' ? others.slice(1) : others;
    if (room === 'files' && method === 'POST') {
      const { purpose, isUploadedTo, wantsName } = wanted;
      if (id !== isUploadedTo || !body.includes(`\r\n\r\n${purpose}\r\n`))
        return refusal(400, 'Invalid purpose');
      if (wantsName && !body.includes('name="file_name"')) return refusal(400, 'file_name is required');
      // Of the form only the one file is read.
      const lines = body.split('\n').filter((line) => line.startsWith('{'));
      const name = `file-${files.size + 1}`;
      files.set(name, lines.map((line) => line.trim()).join('\n'));
      return json({ id: name, object: 'file', purpose: 'batch', bytes: body.length, status: 'processed' });
    }
    if (room === 'files') {
      const batch = batches.find((each) => id === `${each.id}-output` || id === `${each.id}-errors`);
      if (batch === undefined) return refusal(404, 'No such File object');
      const lines = id?.endsWith('-output') === true ? batch.output : batch.errors;
      return { headers: { 'content-type': 'application/octet-stream' }, body: lines.join('\n') };
    }
    const isAnthropic = room === 'messages';
    const [batchId, verb] = isAnthropic ? [part, url.pathname.split('/')[5]] : [id, part];
    const vendor: BatchVendor = isAnthropic ? 'anthropic' : wanted.vendor;
    const shown = SHOWN[vendor];
    if (!isAnthropic && !pathIn(url).startsWith(wanted.path)) return refusal(404, 'Unknown request URL');
    const mine = batches.filter((each) => each.vendor === vendor);
    if (batchId === undefined && method === 'GET') {
      // Two have no pages, one of which does not say that there are no more, and one numbers them.
      if (vendor === 'together') return json(mine.map(shown).toReversed());
      if (vendor === 'groq') return json({ object: 'list', data: mine.map(shown) });
      if (vendor === 'mistral') {
        const first = Number(url.searchParams.get('page') ?? 0) * PAGE;
        const data = mine.slice(first, first + PAGE).map(shown);
        return json({ object: 'list', data, total: mine.length });
      }
      const after = url.searchParams.get(isAnthropic ? 'after_id' : 'after');
      const from = after === null ? 0 : mine.findIndex((each) => each.id === after) + 1;
      const page = mine.slice(from, from + PAGE);
      const last = page.at(-1)?.id ?? null;
      return json({
        object: 'list',
        data: page.map(shown),
        has_more: mine.length > from + PAGE,
        last_id: last,
      });
    }
    if (batchId === undefined) return create(vendor, JSON.parse(body) as Record<string, unknown>, headers);
    const batch = mine.find((each) => each.id === batchId);
    if (batch === undefined) return refusal(404, 'No such batch');
    if (verb === 'cancel') {
      if (isOpen(batch)) batch.status = WORDS[vendor].cancelled;
      return json(shown(batch));
    }
    if (verb === 'results')
      return batch.status === 'ended'
        ? { headers: { 'content-type': 'application/x-jsonl' }, body: batch.output.join('\n') }
        : refusal(400, 'The batch has not ended');
    if (batch.status === WORDS[vendor].first) batch.status = WORDS[vendor].next;
    if (answers !== undefined && isOpen(batch)) endBatch(batch, answers);
    return json(shown(batch));
  };

  const create = (
    vendor: BatchVendor,
    given: Record<string, unknown>,
    headers: IncomingMessage['headers'],
  ): Fault => {
    if (vendor === 'anthropic') {
      const list = given['requests'] as { custom_id: string; params: Record<string, unknown> }[];
      const requests = list.map(({ custom_id, params }) => ({ id: custom_id, body: params }));
      const wrong = problemOf(requests);
      if (wrong !== undefined) return refusal(400, wrong);
      return json(
        anthropicBatch(
          add({ vendor: 'anthropic', requests, metadata: undefined, endpoint: '/v1/messages', headers }),
        ),
      );
    }
    const { isBare, ...home } = HOMES[vendor];
    const fields: readonly string[] = home.fields;
    const unknown = Object.keys(given).find((field) => !fields.includes(field));
    if (unknown !== undefined) return refusal(422, `Extra inputs are not permitted: ${unknown}`);
    const isJob = vendor === 'mistral';
    const text = files.get(String(isJob ? (given['input_files'] as unknown[])[0] : given['input_file_id']));
    if (text === undefined) return refusal(400, 'Invalid input_file_id');
    if (!isJob && given['completion_window'] !== '24h') return refusal(400, 'Invalid completion_window');
    if (isJob && typeof given['model'] !== 'string') return refusal(422, 'model is required');
    const endpoint = String(given['endpoint']);
    const lines = text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    if (
      lines.some(
        ({ url, method }) => url !== (isBare ? undefined : endpoint) || (method === 'POST') === isBare,
      )
    )
      return refusal(400, 'Mismatched url');
    const requests = lines.map((line) => ({
      id: String(line['custom_id']),
      body: line['body'] as Record<string, unknown>,
    }));
    const wrong = problemOf(requests);
    if (wrong !== undefined) return refusal(400, wrong);
    const added = SHOWN[vendor](add({ vendor, requests, metadata: given['metadata'], endpoint, headers }));
    return json(vendor === 'together' ? { job: added, warning: '' } : added);
  };

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://loopback');
      const name = `${request.method} ${pathIn(url)}`;
      seen.push(name);
      const own = fault(name, countOf(name));
      const isDone = own === undefined || own.ending !== undefined;
      const said = isDone
        ? reply(request.method ?? '', url, Buffer.concat(pieces).toString(), request.headers)
        : own;
      send(response, own?.ending === undefined ? said : own);
      for (const each of waiting.splice(0))
        if (each.isMet()) each.go();
        else waiting.push(each);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    batches,
    seen,
    end: (outcomeOf = () => 'Done.') => {
      for (const batch of batches.filter(isOpen)) endBatch(batch, outcomeOf);
    },
    crowd: (than, count) => {
      for (let index = 0; index < count; index += 1) {
        const other = { id: `other-${index}`, body: {} };
        add({ ...than, requests: [other], metadata: { troupe: `other-${index}` } });
      }
    },
    when: (prefix, count = 1) =>
      new Promise((go) => {
        const isMet = (): boolean => countOf(prefix) >= count;
        if (isMet()) go();
        else waiting.push({ isMet, go });
      }),
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
};

/** The words of each for how far a batch is. */
const WORDS: Readonly<
  Record<
    BatchVendor,
    { readonly first: string; readonly next: string; readonly done: string; readonly cancelled: string }
  >
> = {
  openai: { first: 'validating', next: 'in_progress', done: 'completed', cancelled: 'cancelling' },
  groq: { first: 'validating', next: 'in_progress', done: 'completed', cancelled: 'cancelling' },
  anthropic: { first: 'in_progress', next: 'in_progress', done: 'ended', cancelled: 'canceling' },
  mistral: { first: 'QUEUED', next: 'RUNNING', done: 'SUCCESS', cancelled: 'CANCELLATION_REQUESTED' },
  together: { first: 'VALIDATING', next: 'IN_PROGRESS', done: 'COMPLETED', cancelled: 'CANCELLED' },
};

/** Where each one is, but for Anthropic, and what it takes. */
const HOMES = {
  groq: {
    vendor: 'groq',
    prefix: '/groq/openai/',
    path: '/v1/batches',
    purpose: 'batch',
    isUploadedTo: undefined,
    wantsName: false,
    isBare: false,
    fields: ['input_file_id', 'endpoint', 'completion_window', 'metadata'],
  },
  mistral: {
    vendor: 'mistral',
    prefix: '/mistral/',
    path: '/v1/batch/jobs',
    purpose: 'batch',
    isUploadedTo: undefined,
    wantsName: false,
    isBare: true,
    fields: ['input_files', 'endpoint', 'model', 'timeout_hours', 'metadata'],
  },
  together: {
    vendor: 'together',
    prefix: '/together/',
    path: '/v1/batches',
    purpose: 'batch-api',
    isUploadedTo: 'upload',
    wantsName: true,
    isBare: true,
    fields: ['input_file_id', 'endpoint', 'completion_window', 'model_id', 'priority'],
  },
  openai: {
    vendor: 'openai',
    prefix: '/v1/',
    path: '/v1/batches',
    purpose: 'batch',
    isUploadedTo: undefined,
    wantsName: false,
    isBare: false,
    fields: ['input_file_id', 'endpoint', 'completion_window', 'metadata'],
  },
} as const;

/** The path of a request, below the prefix of a vendor. */
const pathIn = ({ pathname }: URL): string =>
  pathname.replace(/^\/(?:groq\/openai|mistral|together)(?=\/)/, '');

const OPEN: ReadonlySet<string> = new Set([
  'VALIDATING',
  'IN_PROGRESS',
  'QUEUED',
  'RUNNING',
  'CANCELLATION_REQUESTED',
  'validating',
  'in_progress',
  'finalizing',
  'cancelling',
  'canceling',
]);
const PAGE = 20;

const json = (body: object): Fault => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const refusal = (status: number, message: string): Fault => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
});

/** What both services refuse of a list of requests. */
const problemOf = (requests: readonly BatchedRequest[]): string | undefined => {
  if (requests.length === 0) return 'No requests';
  if (requests.some(({ id }) => !/^[\w-]{1,64}$/.test(id))) return 'Invalid custom_id';
  if (new Set(requests.map(({ id }) => id)).size < requests.length) return 'Duplicate custom_id';
  return requests.some(({ body }) => body['stream'] === true) ? 'Streaming is not supported' : undefined;
};

const send = (response: ServerResponse, { status = 200, headers = {}, body = '', ending }: Fault): void => {
  if (ending === 'silent') return;
  if (ending === 'lost') {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(status, headers);
  response.end(body);
};

const openaiBatch = (batch: MockBatch): object => ({
  id: batch.id,
  object: 'batch',
  endpoint: batch.endpoint,
  errors: batch.refusals.length === 0 ? null : { object: 'list', data: batch.refusals },
  input_file_id: 'file-1',
  completion_window: '24h',
  status: batch.status,
  output_file_id: batch.output.length === 0 ? null : `${batch.id}-output`,
  error_file_id: batch.errors.length === 0 ? null : `${batch.id}-errors`,
  created_at: Math.floor(batch.createdAt / 1_000),
  request_counts: {
    total: batch.requests.length,
    completed: batch.output.length,
    failed: batch.errors.length,
  },
  metadata: batch.metadata ?? null,
});

const mistralBatch = (batch: MockBatch): object => ({
  id: batch.id,
  object: 'batch',
  endpoint: batch.endpoint,
  model: 'mistral-small-latest',
  input_files: ['file-1'],
  errors: batch.refusals,
  outputs: null,
  status: batch.status,
  output_file: batch.output.length === 0 ? null : `${batch.id}-output`,
  error_file: batch.errors.length === 0 ? null : `${batch.id}-errors`,
  created_at: Math.floor(batch.createdAt / 1_000),
  total_requests: batch.requests.length,
  metadata: batch.metadata ?? null,
});

const togetherBatch = (batch: MockBatch): object => ({
  id: batch.id,
  endpoint: batch.endpoint,
  model_id: 'Qwen/Qwen2.5-7B-Instruct-Turbo',
  input_file_id: 'file-1',
  status: batch.status,
  progress: 50,
  ...(batch.refusals.length === 0 ? {} : { error: JSON.stringify(batch.refusals) }),
  ...(batch.output.length === 0 ? {} : { output_file_id: `${batch.id}-output` }),
  ...(batch.errors.length === 0 ? {} : { error_file_id: `${batch.id}-errors` }),
  created_at: new Date(batch.createdAt).toISOString(),
});

const anthropicBatch = (batch: MockBatch): object => ({
  id: batch.id,
  type: 'message_batch',
  processing_status: batch.status,
  request_counts: { processing: batch.requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  created_at: new Date(batch.createdAt).toISOString(),
  expires_at: new Date(batch.createdAt + 86_400_000).toISOString(),
  ended_at: batch.status === 'ended' ? new Date(batch.createdAt).toISOString() : null,
  cancel_initiated_at: null,
  archived_at: null,
  results_url: batch.status === 'ended' ? 'http://192.0.2.1/never-asked' : null,
});

const SHOWN: Readonly<Record<BatchVendor, (batch: MockBatch) => object>> = {
  openai: openaiBatch,
  groq: openaiBatch,
  anthropic: anthropicBatch,
  mistral: mistralBatch,
  together: togetherBatch,
};

/** The body of an answer in one piece, by the API that it is of. */
export const wholeAnswer = (endpoint: string, text: string, usage = { input: 100, output: 10 }): object => {
  if (endpoint === '/v1/messages')
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: usage.input, output_tokens: usage.output },
    };
  if (endpoint === '/v1/responses')
    return {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'gpt-4o',
      output: [
        {
          type: 'message',
          id: 'item_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
      ],
      usage: { input_tokens: usage.input, output_tokens: usage.output },
    };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output },
  };
};

/** The line of the results for one request that is answered by `body`. */
export const succeeded = (
  { vendor }: Pick<MockBatch, 'vendor'>,
  { id }: Pick<BatchedRequest, 'id'>,
  body: object,
): object =>
  vendor === 'anthropic'
    ? { custom_id: id, result: { type: 'succeeded', message: body } }
    : {
        id: `batch_req_${id.slice(0, 6)}`,
        custom_id: id,
        response: { status_code: 200, request_id: 'req_1', body },
        error: null,
      };

const lineOf = (batch: MockBatch, request: BatchedRequest, text: string): object =>
  succeeded(batch, request, wholeAnswer(batch.endpoint, text));
