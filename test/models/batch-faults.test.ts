// Loaded before time moves: a virtual minute is no time to load a package in.
import '@anthropic-ai/sdk';
import 'openai';
import '../../src/models/anthropic/anthropic-batches.ts';
import '../../src/models/batch/ask-by-batch.ts';
import '../../src/models/openai/openai-batches.ts';
import { describe, expect, it, test } from 'vitest';
import { agent, type Agent } from '../../src/index.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { chatProfiles } from '../../src/models/openai/chat-profiles.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import {
  mockBatches,
  succeeded,
  wholeAnswer,
  type BatchedRequest,
  type Fault,
  type MockBatch,
  type MockBatches,
  type Outcome,
} from '../support/mock-batches.ts';
import { mortalStore } from '../support/mortal-store.ts';
import { letTimePass, quiet, settled, start } from '../support/runs.ts';
import { isThorough, sampled } from '../support/thorough.ts';
import './load-models.ts';

const ofOpenAI = ({ url }: { url: string }): Model =>
  openai('gpt-4o', { apiKey: 'sk-test', baseURL: `${url}/v1`, batch: true });
const ofAnthropic = ({ url }: { url: string }): Model =>
  anthropic('claude-sonnet-4-5', { apiKey: 'sk-test', baseURL: url, batch: true });
const ofServer =
  (profile: 'groq' | 'mistral' | 'together', home: string) =>
  ({ url }: { url: string }): Model =>
    openaiChat('m', { apiKey: 'sk-test', baseURL: `${url}/${home}/v1`, profile, batch: true });
const vendors = [
  { vendor: 'openai', model: ofOpenAI, list: 'GET /v1/batches', post: 'POST /v1/batches' },
  {
    vendor: 'anthropic',
    model: ofAnthropic,
    list: 'GET /v1/messages/batches',
    post: 'POST /v1/messages/batches',
  },
  {
    vendor: 'groq',
    model: ofServer('groq', 'groq/openai'),
    list: 'GET /v1/batches',
    post: 'POST /v1/batches',
  },
  {
    vendor: 'mistral',
    model: ofServer('mistral', 'mistral'),
    list: 'GET /v1/batch/jobs',
    post: 'POST /v1/batch/jobs',
  },
  {
    vendor: 'together',
    model: ofServer('together', 'together'),
    list: 'GET /v1/batches',
    post: 'POST /v1/batches',
  },
];

const clerkOf = (model: Model, attempts = 1): Agent<string, string> =>
  agent({ name: 'clerk', model, failures: { retry: { attempts } } });

const submissions = ({ seen }: MockBatches): number =>
  seen.filter((each) => /^POST .*\/(?:batches|jobs)$/.test(each)).length;

const cancels = ({ seen }: MockBatches): number => seen.filter((each) => each.endsWith('/cancel')).length;

/** What a run comes to whose one call has this outcome. */
const runWith = async (
  vendor: (typeof vendors)[number],
  answers: (request: BatchedRequest, batch: MockBatch) => Outcome,
  attempts = 1,
) => {
  const clock = virtualClock();
  await using service = await mockBatches({ answers, clock });
  const result = await letTimePass(
    clock,
    settled(start(clerkOf(vendor.model(service), attempts), 'Hello?', { clock })),
  );
  expect(clock.pending).toBe(0);
  return { ...result, batches: service.batches };
};

type Vendor = (typeof vendors)[number];
const [openaiVendor, anthropicVendor, groqVendor, mistralVendor, togetherVendor] = vendors as [
  Vendor,
  Vendor,
  Vendor,
  Vendor,
  Vendor,
];

const errored = ({ id }: BatchedRequest, type: string, message: string): object => ({
  custom_id: id,
  result: { type: 'errored', error: { type: 'error', error: { type, message } } },
});
const failed = ({ id }: BatchedRequest, status: number, error: object): object => ({
  custom_id: id,
  response: { status_code: status, request_id: 'req_1', body: { error } },
  error: null,
});
const unanswered = ({ id }: BatchedRequest, code: string): object => ({
  custom_id: id,
  response: null,
  error: { code, message: 'This request could not be executed.' },
});

describe('[BATCH] a request that has no answer fails as a plain one does', () => {
  const cases: readonly {
    readonly name: string;
    readonly vendor: (typeof vendors)[number];
    readonly code: string;
    readonly retryable: string;
    readonly outcome: (request: BatchedRequest, batch: MockBatch) => Outcome;
  }[] = [
    {
      name: 'Anthropic: an invalid request',
      vendor: anthropicVendor,
      code: 'model.bad-request',
      retryable: 'no',
      outcome: (request) => errored(request, 'invalid_request_error', 'max_tokens: too large'),
    },
    {
      name: 'Anthropic: overloaded',
      vendor: anthropicVendor,
      code: 'model.unavailable',
      retryable: 'yes',
      outcome: (request) => errored(request, 'overloaded_error', 'Overloaded'),
    },
    {
      name: 'Anthropic: too long a prompt',
      vendor: anthropicVendor,
      code: 'model.context-overflow',
      retryable: 'maybe',
      outcome: (request) => errored(request, 'invalid_request_error', 'prompt is too long: 300000 tokens'),
    },
    {
      name: 'Anthropic: expired',
      vendor: anthropicVendor,
      code: 'model.timeout',
      retryable: 'yes',
      outcome: ({ id }) => ({ custom_id: id, result: { type: 'expired' } }),
    },
    {
      name: 'Anthropic: cancelled by somebody else',
      vendor: anthropicVendor,
      code: 'model.failed',
      retryable: 'no',
      outcome: ({ id }) => ({ custom_id: id, result: { type: 'canceled' } }),
    },
    {
      name: 'Anthropic: a result of no known type',
      vendor: anthropicVendor,
      code: 'model.malformed',
      retryable: 'yes',
      outcome: ({ id }) => ({ custom_id: id, result: { type: 'pending' } }),
    },
    {
      name: 'Anthropic: no line',
      vendor: anthropicVendor,
      code: 'model.malformed',
      retryable: 'yes',
      outcome: () => undefined,
    },
    {
      name: 'OpenAI: a bad request',
      vendor: openaiVendor,
      code: 'model.bad-request',
      retryable: 'no',
      outcome: (request) =>
        failed(request, 400, { message: 'Unknown parameter', type: 'invalid_request_error' }),
    },
    {
      name: 'OpenAI: a server error',
      vendor: openaiVendor,
      code: 'model.unavailable',
      retryable: 'yes',
      outcome: (request) =>
        failed(request, 500, { message: 'The server had an error', type: 'server_error' }),
    },
    {
      name: 'OpenAI: expired',
      vendor: openaiVendor,
      code: 'model.timeout',
      retryable: 'yes',
      outcome: (request) => unanswered(request, 'batch_expired'),
    },
    {
      name: 'OpenAI: cancelled',
      vendor: openaiVendor,
      code: 'model.failed',
      retryable: 'no',
      outcome: (request) => unanswered(request, 'batch_cancelled'),
    },
    {
      name: 'OpenAI: no line in either file',
      vendor: openaiVendor,
      code: 'model.malformed',
      retryable: 'yes',
      outcome: () => undefined,
    },
    {
      name: 'OpenAI: neither an answer nor an error',
      vendor: openaiVendor,
      code: 'model.malformed',
      retryable: 'yes',
      outcome: ({ id }) => ({ custom_id: id, response: null, error: null }),
    },
    {
      name: 'Mistral: an invalid request',
      vendor: mistralVendor,
      code: 'model.bad-request',
      retryable: 'no',
      // The error stands in the body as it is, not below `error`.
      outcome: ({ id }) => ({
        custom_id: id,
        response: {
          status_code: 422,
          body: { object: 'error', message: 'Extra inputs', type: 'invalid_request_error' },
        },
        error: null,
      }),
    },
    {
      name: 'Mistral: an error in words',
      vendor: mistralVendor,
      code: 'model.failed',
      retryable: 'no',
      outcome: ({ id }) => ({ custom_id: id, response: null, error: 'Something broke.' }),
    },
    {
      name: 'Together: a line of its file of errors',
      vendor: togetherVendor,
      code: 'model.failed',
      retryable: 'no',
      outcome: ({ id }) => ({
        custom_id: id,
        error: { message: 'Invalid model specified', code: 'invalid_model' },
      }),
    },
    {
      name: 'Groq: expired',
      vendor: groqVendor,
      code: 'model.timeout',
      retryable: 'yes',
      outcome: (request) => unanswered(request, 'batch_expired'),
    },
    {
      name: 'OpenAI: an answer that is none',
      vendor: openaiVendor,
      code: 'model.malformed',
      retryable: 'yes',
      outcome: (request, batch) => succeeded(batch, request, { object: 'list', data: [] }),
    },
    {
      name: 'OpenAI: two results for one request',
      vendor: openaiVendor,
      code: 'model.malformed',
      retryable: 'yes',
      outcome: (request, batch) => {
        const line = succeeded(batch, request, wholeAnswer(batch.endpoint, 'One.'));
        batch.output.push(JSON.stringify(line));
        return 'Two.';
      },
    },
  ];
  test.each(sampled(cases, 4))('$name: $code, $retryable', async ({ vendor, outcome, code, retryable }) => {
    const { status, error } = await runWith(vendor, outcome);
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code, retryable });
  });

  it('repeats in a new batch what passes, and nothing else', async () => {
    const passing = await runWith(
      anthropicVendor,
      (request, { id }) =>
        id === 'msgbatch_1' ? errored(request, 'overloaded_error', 'Overloaded') : 'Hello.',
      3,
    );
    expect([passing.output, passing.batches.length]).toEqual(['Hello.', 2]);
    const lasting = await runWith(openaiVendor, (request) => failed(request, 400, { message: 'No.' }), 3);
    expect([lasting.status, lasting.batches.length]).toEqual(['failed', 1]);
  });

  it('reads past lines that are of others, or of nobody', async () => {
    const { output } = await runWith(openaiVendor, (_request, batch) => {
      batch.output.push('<html>', '{"custom_id":7}', '[]', '', JSON.stringify({ custom_id: 'other' }));
      return 'Mine.';
    });
    expect(output).toBe('Mine.');
  });

  it('tells a refused line from its neighbours, which are asked again', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const model = ofOpenAI(service);
    const runs = ['one', 'two'].map((runId) => settled(start(clerkOf(model), 'Hello?', { clock, runId })));
    await letTimePass(clock, service.when('POST /v1/batches'));
    await quiet();
    const [batch] = service.batches;
    if (batch === undefined) throw new Error('no batch');
    batch.refusals = [{ code: 'invalid_json_line', line: 2, message: 'This line is not parseable.' }];
    batch.status = 'failed';
    const results = await letTimePass(clock, Promise.all(runs));
    expect(results.map(({ error }) => error?.code)).toEqual(['model.unavailable', 'model.bad-request']);
    expect(results[1]?.error?.message).toContain('not parseable');
  });

  // Some requests are answered, and the rest are not, when a batch ends in this way.
  const ends = [
    { vendor: mistralVendor, word: 'TIMEOUT_EXCEEDED', code: 'model.timeout', retryable: 'yes' },
    { vendor: togetherVendor, word: 'EXPIRED', code: 'model.timeout', retryable: 'yes' },
    { vendor: groqVendor, word: 'expired', code: 'model.timeout', retryable: 'yes' },
    { vendor: mistralVendor, word: 'CANCELLED', code: 'model.failed', retryable: 'no' },
    { vendor: togetherVendor, word: 'CANCELLED', code: 'model.failed', retryable: 'no' },
    { vendor: mistralVendor, word: 'FAILED', code: 'model.bad-request', retryable: 'no' },
    { vendor: togetherVendor, word: 'FAILED', code: 'model.bad-request', retryable: 'no' },
  ];
  test.each(sampled(ends, 3))(
    'keeps the answers of a batch that ended as $word, and fails the rest: $vendor.vendor',
    async ({ vendor: { model: of, post }, word, code, retryable }) => {
      const clock = virtualClock();
      await using service = await mockBatches({ clock });
      const model = of(service);
      const runs = ['one', 'two'].map((runId) => settled(start(clerkOf(model), 'Hello?', { clock, runId })));
      await letTimePass(clock, service.when(post));
      await quiet();
      const [batch] = service.batches;
      service.end((request) => (request === batch?.requests[0] ? 'Done.' : undefined));
      if (batch === undefined) throw new Error('no batch');
      if (word === 'FAILED') batch.refusals = [{ message: 'Too many errors.', count: 1 }];
      batch.status = word;
      const results = await letTimePass(clock, Promise.all(runs));
      expect(results.map(({ output }) => output)).toEqual(['Done.', undefined]);
      const message = expect.stringContaining(word === 'FAILED' ? 'Too many errors.' : 'batch');
      expect(results[1]?.error).toMatchObject({ code, retryable, message });
    },
  );

  it('takes a limit of enqueued tokens for a rate limit', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const run = settled(start(clerkOf(ofOpenAI(service)), 'Hello?', { clock }));
    await letTimePass(clock, service.when('POST /v1/batches'));
    await quiet();
    const [batch] = service.batches;
    if (batch === undefined) throw new Error('no batch');
    batch.refusals = [{ code: 'token_limit_exceeded', line: null, message: 'Enqueued token limit reached.' }];
    batch.status = 'failed';
    const { error } = await letTimePass(clock, run);
    expect(error).toMatchObject({ code: 'model.rate-limited', retryable: 'yes' });
  });
});

describe.each(isThorough ? vendors : vendors.slice(0, 1))(
  '[BATCH] a service that fails: $vendor',
  ({ model, list }) => {
    const html: Fault = { headers: { 'content-type': 'text/html' }, body: '<html>Gateway</html>' };
    const faults: readonly { readonly name: string; readonly fault: Fault }[] = [
      { name: 'a page of HTML', fault: html },
      {
        name: '429',
        fault: { status: 429, headers: { 'retry-after': '90' }, body: '{"error":{"message":"slow"}}' },
      },
      { name: '503', fault: { status: 503, body: 'down' } },
      { name: 'an empty object', fault: { headers: { 'content-type': 'application/json' }, body: '{}' } },
      { name: 'a broken connection', fault: { ending: 'lost' } },
    ];
    test.each(sampled(faults, 2))(
      'is looked at again after $name, and what was submitted is not lost',
      async ({ fault }) => {
        const clock = virtualClock();
        await using service = await mockBatches({
          fault: (request, count) => (request.startsWith(`${list}/`) && count <= 2 ? fault : undefined),
          clock,
        });
        const run = settled(start(clerkOf(model(service)), 'Hello?', { clock }));
        await letTimePass(clock, service.when(`${list}/`, 2));
        service.end();
        const result = await letTimePass(clock, run);
        expect(result.output).toBe('Done.');
        expect(submissions(service)).toBe(1);
      },
    );

    it('fails every call of the batch where a look is refused for good', async () => {
      const clock = virtualClock();
      await using service = await mockBatches({
        fault: (request) =>
          request.startsWith(`${list}/`) ? { status: 401, body: '{"error":{"message":"key"}}' } : undefined,
        clock,
      });
      const { error } = await letTimePass(
        clock,
        settled(start(clerkOf(model(service), 3), 'Hello?', { clock })),
      );
      expect(error?.code).toBe('model.auth');
      expect(submissions(service)).toBe(1);
    });

    if (isThorough)
      it('is not looked at for ever: twenty failures in a row end the wait', async () => {
        const clock = virtualClock();
        await using service = await mockBatches({
          fault: (request) => (request.startsWith(`${list}/`) ? { status: 500, body: 'down' } : undefined),
          clock,
        });
        const run = settled(start(clerkOf(model(service)), 'Hello?', { clock }));
        const { error } = await letTimePass(clock, run, 30_000);
        expect(error?.code).toBe('model.unavailable');
        expect(service.seen.filter((each) => each.startsWith(`${list}/`))).toHaveLength(20);
      });
  },
);

describe.each(sampled(vendors, 4))('[BATCH] a submission that fails: $vendor', ({ model, list, post }) => {
  it('is refused: typed, and repeated by the policy of the run', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({
      fault: (request, count) =>
        request === post && count === 1
          ? { status: 429, body: '{"error":{"message":"slow down"}}' }
          : undefined,
      answers: () => 'Hello.',
      clock,
    });
    const result = await letTimePass(clock, settled(start(clerkOf(model(service), 2), 'Hello?', { clock })));
    expect(result.output).toBe('Hello.');
    expect(result.events.filter(({ type }) => type === 'model.retrying')).toHaveLength(1);
  });

  it('is found if it was not confirmed, and made only once', async () => {
    const clock = virtualClock(1e12);
    await using service = await mockBatches({
      fault: (request, count) => (request === post && count === 1 ? { ending: 'lost' } : undefined),
      answers: () => 'Hello.',
      clock,
    });
    const result = await letTimePass(clock, settled(start(clerkOf(model(service), 3), 'Hello?', { clock })));
    expect(result.output).toBe('Hello.');
    expect([submissions(service), service.batches.length]).toEqual([1, 1]);
  });

  it('is repeated if it came to nothing', async () => {
    const clock = virtualClock(1e12);
    await using service = await mockBatches({
      fault: (request, count) =>
        request === post && count === 1 ? { status: 503, body: 'down' } : undefined,
      answers: () => 'Hello.',
      clock,
    });
    const result = await letTimePass(clock, settled(start(clerkOf(model(service), 3), 'Hello?', { clock })));
    expect(result.output).toBe('Hello.');
    expect([submissions(service), service.batches.length]).toEqual([2, 1]);
    expect(result.events.filter(({ type }) => type === 'model.retrying')).toHaveLength(1);
  });

  it('is found after its process died before it knew the id of the batch', async () => {
    const clock = virtualClock(1e12);
    await using service = await mockBatches({
      fault: (request, count) => (request === post && count === 1 ? { ending: 'silent' } : undefined),
      clock,
    });
    const store = memoryStore();
    start(clerkOf(model(service)), 'Hello?', { clock, store: mortalStore(store).store, runId: 'run-1' });
    await letTimePass(clock, service.when(post));
    const handle = await resume(clerkOf(model(service)), 'run-1', { store: mortalStore(store).store, clock });
    await letTimePass(clock, service.when(`${list}/`));
    service.end(() => 'Found.');
    const result = await letTimePass(clock, settled(handle));
    expect(result.output).toBe('Found.');
    expect([submissions(service), service.batches.length]).toEqual([1, 1]);
  });

  it('is found among the batches of others, once they tell whose results they have', async () => {
    const clock = virtualClock(1e12);
    await using service = await mockBatches({
      fault: (request, count) => (request === post && count === 2 ? { ending: 'lost' } : undefined),
      clock,
    });
    const other = settled(start(clerkOf(model(service)), 'Hello?', { clock, runId: 'other' }));
    await letTimePass(clock, service.when(post));
    const mine = settled(start(clerkOf(model(service), 3), 'Hello?', { clock, runId: 'mine' }));
    await letTimePass(clock, service.when(post, 2));
    await clock.advance(60_000);
    service.end((_request, { id }) => `Of ${id.split('_')[1]}`);
    const results = await letTimePass(clock, Promise.all([other, mine]));
    expect(results.map(({ output }) => output)).toEqual(['Of 1', 'Of 2']);
    expect(submissions(service)).toBe(2);
  });

  it('is found behind the pages of what came later', async () => {
    const clock = virtualClock(1e12);
    await using service = await mockBatches({
      fault: (request, count) => (request === post && count === 1 ? { ending: 'silent' } : undefined),
      answers: (_request, { id }) => `Of ${id.split('_')[1]}`,
      clock,
    });
    const store = memoryStore();
    start(clerkOf(model(service)), 'Hello?', { clock, store: mortalStore(store).store, runId: 'run-1' });
    await letTimePass(clock, service.when(post));
    const [lost] = service.batches;
    if (lost === undefined) throw new Error('no batch');
    service.crowd(lost, 150);
    const handle = await resume(clerkOf(model(service)), 'run-1', { store: mortalStore(store).store, clock });
    const result = await letTimePass(clock, settled(handle));
    expect(result.output).toBe('Of 1');
    expect(submissions(service)).toBe(1);
  });

  it('may be listed late: it is waited for before the request is taken for lost', async () => {
    const clock = virtualClock(1e12);
    const none = JSON.stringify({ object: 'list', data: [], has_more: false });
    await using service = await mockBatches({
      fault: (request, count) => {
        if (request === post && count === 1) return { ending: 'lost' };
        const isEarly = request === list && count === 1;
        return isEarly ? { headers: { 'content-type': 'application/json' }, body: none } : undefined;
      },
      answers: () => 'Hello.',
      clock,
    });
    const result = await letTimePass(clock, settled(start(clerkOf(model(service), 3), 'Hello?', { clock })));
    expect(result.output).toBe('Hello.');
    expect(submissions(service)).toBe(1);
  });

  it('has its results read again where some are missing, before they are missed', async () => {
    const clock = virtualClock();
    const isResults = (request: string): boolean => /\/(results|content)$/.test(request);
    await using service = await mockBatches({
      fault: (request, count) => (isResults(request) && count <= 2 ? { body: '{"custom_id":"' } : undefined),
      answers: () => 'Whole.',
      clock,
    });
    const result = await letTimePass(clock, settled(start(clerkOf(model(service)), 'Hello?', { clock })));
    expect(result.output).toBe('Whole.');
    expect(service.seen.filter(isResults)).toHaveLength(3);
  });

  it('is made, once, for a process that died before it did', async () => {
    const clock = virtualClock(1e12);
    await using service = await mockBatches({
      fault: (request, count) => (request === post && count === 1 ? { status: 503 } : undefined),
      answers: () => 'Now.',
      clock,
    });
    const store = memoryStore();
    start(clerkOf(model(service)), 'Hello?', { clock, store: mortalStore(store).store, runId: 'run-1' });
    await letTimePass(clock, service.when(post));
    expect(service.batches).toHaveLength(0);
    const handle = await resume(clerkOf(model(service)), 'run-1', { store: mortalStore(store).store, clock });
    const result = await letTimePass(clock, settled(handle));
    expect(result.output).toBe('Now.');
    expect(service.batches).toHaveLength(1);
  });
});

describe.each(sampled(vendors, 4, 1))('[BATCH] a call that nobody waits for: $vendor', ({ model, post }) => {
  const begin = async (runs: number) => {
    const clock = virtualClock();
    const service = await mockBatches({ clock });
    const asked = model(service);
    const handles = Array.from({ length: runs }, (_, index) =>
      start(clerkOf(asked), 'Hello?', { clock, runId: `run-${index}` }),
    );
    await letTimePass(clock, service.when(post));
    await quiet();
    await clock.advance(1_000);
    return { clock, service, handles };
  };

  it('cancels its batch if it is alone in it', async () => {
    const { clock, service, handles } = await begin(1);
    await using _service = service;
    handles[0]?.abort('enough');
    await letTimePass(clock, service.when(`POST ${post.slice(5)}/`));
    expect(cancels(service)).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('leaves the batch to the others in it, and cancels it with the last of them', async () => {
    const { clock, service, handles } = await begin(3);
    await using _service = service;
    handles[0]?.abort('enough');
    handles[1]?.abort('enough');
    await quiet();
    expect(cancels(service)).toBe(0);
    handles[2]?.abort('enough');
    await letTimePass(clock, service.when(`POST ${post.slice(5)}/`));
    expect(cancels(service)).toBe(1);
  });

  it('lets the others have their answers', async () => {
    const { clock, service, handles } = await begin(2);
    await using _service = service;
    handles[0]?.abort('enough');
    service.end();
    const results = await letTimePass(clock, Promise.all(handles.map((handle) => settled(handle))));
    expect(results.map(({ status }) => status)).toEqual(['aborted', 'completed']);
  });

  it('is never submitted if it is aborted before', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const handle = start(clerkOf(model(service)), 'Hello?', { clock });
    await quiet();
    handle.abort('enough');
    await settled(handle);
    await clock.advance(60_000);
    expect(service.seen).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is cancelled when the time of its run is up', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const clerk = agent({ name: 'clerk', model: model(service), limits: { budget: { timeMs: 3_600_000 } } });
    const result = await letTimePass(clock, settled(start(clerk, 'Hello?', { clock })), 30_000);
    expect(result.status).not.toBe('completed');
    await letTimePass(clock, service.when(`POST ${post.slice(5)}/`));
    expect(cancels(service)).toBe(1);
  });

  it('leaves a batch that holds calls of runs which are not in this process', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const store = memoryStore();
    const asked = model(service);
    const kept = mortalStore(store).store;
    for (const runId of ['one', 'two']) start(clerkOf(asked), 'Hello?', { clock, store: kept, runId });
    await letTimePass(clock, service.when(post));
    await clock.advance(30_000);
    const handle = await resume(clerkOf(model(service)), 'one', { store: mortalStore(store).store, clock });
    await clock.advance(30_000);
    handle.abort('enough');
    await letTimePass(clock, settled(handle));
    await clock.advance(30_000);
    expect([submissions(service), cancels(service)]).toEqual([1, 0]);
  });

  it('is not cancelled where its run is suspended, to be continued elsewhere', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ clock });
    const store = memoryStore();
    const handle = start(clerkOf(model(service)), 'Hello?', { clock, store, runId: 'run-1' });
    handle.result.catch(() => undefined);
    await letTimePass(clock, service.when(post));
    await quiet();
    await letTimePass(clock, handle.suspend());
    await quiet();
    const again = await resume(clerkOf(model(service)), 'run-1', { store, clock });
    service.end();
    expect((await letTimePass(clock, settled(again))).output).toBe('Done.');
    expect([submissions(service), cancels(service)]).toEqual([1, 0]);
  });
});

describe('[BATCH] the option', () => {
  if (isThorough)
    it('cancels and fails what has waited for `timeoutMs`', async () => {
      const clock = virtualClock();
      await using service = await mockBatches({ clock });
      const model = anthropic('claude-sonnet-4-5', {
        apiKey: 'sk-test',
        baseURL: service.url,
        batch: { timeoutMs: 7_200_000 },
      });
      const { error } = await letTimePass(clock, settled(start(clerkOf(model), 'Hello?', { clock })), 10_000);
      expect(error).toMatchObject({ code: 'model.timeout', retryable: 'yes' });
      await letTimePass(clock, service.when('POST /v1/messages/batches/'));
      expect(clock.pending).toBe(0);
    });

  it('submits a batch of `size` at once, and the rest after `windowMs`', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ answers: () => 'Hello.', clock });
    const model = openai('gpt-4o', {
      apiKey: 'sk-test',
      baseURL: `${service.url}/v1`,
      batch: { size: 4, windowMs: 20_000 },
    });
    const runs = Array.from({ length: 10 }, (_, index) =>
      settled(start(clerkOf(model), 'Hello?', { clock, runId: `run-${index}` })),
    );
    await letTimePass(clock, Promise.all(runs));
    expect(service.batches.map(({ requests }) => requests.length).toSorted((a, b) => a - b)).toEqual([
      2, 4, 4,
    ]);
  });

  it('keeps calls with other headers apart, as headers are of a whole batch', async () => {
    const clock = virtualClock();
    await using service = await mockBatches({ answers: () => 'Hello.', clock });
    const model = ofAnthropic(service);
    const runs = ['a', 'b', 'a'].map((team, index) => {
      const clerk = agent({ name: 'clerk', model, settings: { headers: { 'x-team': team } } });
      return settled(start(clerk, 'Hello?', { clock, runId: `run-${index}` }));
    });
    await letTimePass(clock, Promise.all(runs));
    const sent = service.batches.map(
      ({ requests, headers }) => `${String(headers['x-team'])}: ${requests.length}`,
    );
    expect(sent).toHaveLength(2);
    expect(sent).toEqual(expect.arrayContaining(['a: 2', 'b: 1']));
  });

  const batch = true;
  const refused: readonly (readonly [string, () => unknown, RegExp])[] = [
    [
      'a server that has no batches',
      () => openaiChat('m', { profile: 'deepseek', batch }),
      /'deepseek' is not known to take them, as do OpenAI, mistral, groq, together: leave `batch` out/,
    ],
    [
      'a server that is not known',
      () => openaiChat('m', { baseURL: 'http://127.0.0.1:9/v1', batch }),
      /leave `batch` out/,
    ],
    [
      'a stream of a batch',
      () => openaiChat('m', { profile: 'groq', batch, stream: true }),
      /exclude each other/,
    ],
    // A caller without types.
    ['an unknown option', () => openai('m', { batch: { windowMS: 5 } as never }), /did you mean `windowMs`/],
    [
      'a size of none',
      () => anthropic('m', { batch: { size: 0 } }),
      /`?batch.size`? is not a whole number from 1/,
    ],
    [
      'a way of a profile that there is not',
      () => openaiChat('m', { profile: { name: 'ours', batches: { paths: '/b' } as never }, batch }),
      /its 'batches' is {"paths":"\/b"}: it must be true or false, or an object of paths \(path, uploads\)/,
    ],
    [
      'a share of more than the price',
      () => openaiChat('m', { profile: { name: 'ours', batches: { priceShare: 50 } }, batch }),
      /a priceShare from 0 to 1/,
    ],
    ['a word', () => anthropic('m', { batch: 'yes' as never }), /batch is not a boolean/],
  ];
  test.each(refused)('is refused at the definition: %s', (_name, define, words) => {
    expect(define).toThrow(words);
    expect(define).toThrow(expect.objectContaining({ code: 'input.invalid' }));
  });

  it('is taken of servers that have them', () => {
    expect(openaiChat('m', { profile: 'groq', batch }).priceShare).toBe(0.5);
    expect(openaiChat('m', { profile: { name: 'ours', batches: true }, batch }).priceShare).toBe(0.5);
    expect(openaiChat('m', { baseURL: 'https://eu.api.openai.com/v1', batch }).priceShare).toBe(0.5);
    const { together } = chatProfiles;
    const batches = { ...together.batches, priceShare: 0.4 };
    expect(openaiChat('m', { profile: { ...together, batches }, batch }).priceShare).toBe(0.4);
    expect(openaiChat('openai/gpt-oss-20b', { profile: 'together', batch }).priceShare).toBe(1);
    expect(openai('m', { batch: false }).priceShare).toBeUndefined();
  });
});
