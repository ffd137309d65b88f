import { describe, expect, it, vi } from 'vitest';
import { type ErrorData } from '../../src/contracts/errors/error-data.ts';
import { errorData, isTroupeError } from '../../src/contracts/errors/error.ts';
import type { Model, ModelAnswer, ModelDelta } from '../../src/contracts/models/model.ts';
import { attemptModel } from '../../src/models/retry/attempt.ts';
import { decideModelRetry } from '../../src/models/retry/retry-policy.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { ask, question, weather } from '../support/ask-model.ts';
import { event, type MockProvider, mockProvider, type Reply } from '../support/mock-provider.ts';
import { modelFor, singleBytes, streamFetch, type WireKind } from '../support/provider-streams.ts';
import { sampled } from '../support/thorough.ts';

const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);

/** A long text as a network brings it: the SDKs copy what is left of a piece with each event in it. */
const packets = (text: string): readonly string[] => text.match(/[^]{1,16384}/gu) ?? [];

/** What each provider sends for the text "Grüße, 世界!" and one call; `said` is how much of it is text. */
const wires: Readonly<
  Record<WireKind, { readonly whole: readonly string[]; readonly said: number; readonly error: string }>
> = {
  'openai-chat': {
    whole: [
      event({
        choices: [{ index: 0, delta: { role: 'assistant', content: 'Grüße, ' }, finish_reason: null }],
      }),
      event({ choices: [{ index: 0, delta: { content: '世界!' }, finish_reason: null }] }),
      event({
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, id: 'a', function: { name: 'weather', arguments: '{"city":"K' } }],
            },
          },
        ],
      }),
      event({
        choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'öln"}' } }] } }],
      }),
      event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
      event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
      'data: [DONE]\n\n',
    ],
    said: 2,
    error: event({ error: { message: 'Busy.', type: 'server_error' } }),
  },
  'openai-responses': {
    whole: [
      named({ type: 'response.created', response: {} }),
      named({ type: 'response.output_text.delta', output_index: 0, delta: 'Grüße, ' }),
      named({ type: 'response.output_text.delta', output_index: 0, delta: '世界!' }),
      named({
        type: 'response.completed',
        response: {
          output: [
            { type: 'message', content: [{ type: 'output_text', text: 'Grüße, 世界!' }] },
            {
              type: 'function_call',
              call_id: 'a',
              name: 'weather',
              arguments: '{"city":"Köln"}',
              status: 'completed',
            },
          ],
          usage: { input_tokens: 1, output_tokens: 2 },
        },
      }),
    ],
    said: 3,
    error: named({ type: 'error', code: 'server_error', message: 'Busy.', param: null }),
  },
  anthropic: {
    whole: [
      named({
        type: 'message_start',
        message: { id: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
      }),
      named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße, ' } }),
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '世界!' } }),
      named({ type: 'content_block_stop', index: 0 }),
      named({
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'a', name: 'weather', input: {} },
      }),
      named({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"city":"K' },
      }),
      named({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: 'öln"}' },
      }),
      named({ type: 'content_block_stop', index: 1 }),
      named({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } }),
      named({ type: 'message_stop' }),
    ],
    said: 4,
    error: named({ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }),
  },
};

const expected = {
  text: 'Grüße, 世界!',
  calls: [{ id: 'a', name: 'weather', input: { city: 'Köln' } }],
  finish: 'tool-calls',
  usage: { input: 1, output: 2 },
};

const request = question({ tools: [weather] });

/** What a failed attempt says, as data. */
const failureOf = async (model: Model): Promise<ErrorData> => {
  try {
    return { code: 'internal', message: JSON.stringify(await ask(model, request).answer), retryable: 'no' };
  } catch (error) {
    return errorData(error, 'internal');
  }
};

/** The runtime's loop in its plainest form: attempts and waits as the policy says, on a clock that nobody waits for. */
const askWithRetries = async (
  model: Model,
): Promise<{ outcome: ModelAnswer | ErrorData; waits: number[] }> => {
  const waits: number[] = [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      const options = { key: `run#1.DECIDE.0.${attempt}`, clock: virtualClock() };
      return { outcome: await attemptModel(model, request, options), waits };
    } catch (thrown) {
      const error = errorData(thrown, 'model.failed');
      const waitedMs = waits.reduce((sum, wait) => sum + wait, 0);
      const decision = decideModelRetry(error, { attempt, waitedMs, random: 0.5 });
      if (!decision.retry) return { outcome: error, waits };
      waits.push(decision.waitMs);
    }
  }
};

describe.each(sampled(Object.keys(wires) as WireKind[], 2))('%s over HTTP', (kind) => {
  const { whole, said, error } = wires[kind];
  const ok: Reply = { pieces: whole };
  const failing = (status: number, headers: Record<string, string> = {}, body: object = {}): Reply => ({
    status,
    headers,
    pieces: [JSON.stringify({ type: 'error', error: { message: 'So it is.', ...body } })],
  });
  const model = (provider: MockProvider) => modelFor(kind, provider);

  it('answers', async () => {
    await using provider = await mockProvider(ok);
    expect(await ask(model(provider), request).answer).toMatchObject(expected);
  });

  it.each([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['fractions', { 'retry-after': '0.5' }, 500],
    ['milliseconds, which win', { 'retry-after-ms': '70', 'retry-after': '9' }, 70],
    [
      'a date, by the server’s own clock',
      { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:00:03 GMT' },
      3_000,
    ],
  ])(
    '[F1] 429 with Retry-After in %s: two requests, the second not earlier than asked',
    async (_, headers, asked) => {
      await using provider = await mockProvider(failing(429, headers), ok);
      const { outcome, waits } = await askWithRetries(model(provider));
      expect(outcome).toMatchObject(expected);
      expect(provider.requests).toHaveLength(2);
      expect(waits).toEqual([Math.ceil(asked * 1.05)]);
    },
  );

  it.each(['-5', 'soon'])('[F1] 429 with Retry-After: %s waits as long as we think right', async (value) => {
    await using provider = await mockProvider(failing(429, { 'retry-after': value }), ok);
    expect((await askWithRetries(model(provider))).waits).toEqual([500]);
  });

  it('429 that asks for more than the cap is one request', async () => {
    await using provider = await mockProvider(failing(429, { 'retry-after': '3000000' }), ok);
    const { outcome, waits } = await askWithRetries(model(provider));
    expect(outcome).toMatchObject({ code: 'model.rate-limited', retryAfterMs: 3_000_000_000 });
    expect([provider.requests.length, waits]).toEqual([1, []]);
  });

  it('[F2] [D23] 429 of an empty quota is one request', async () => {
    await using provider = await mockProvider(
      failing(
        429,
        {},
        { code: 'insufficient_quota', details: { error_code: 'enforced_spend_limit_reached' } },
      ),
      ok,
    );
    expect((await askWithRetries(model(provider))).outcome).toMatchObject({
      code: 'model.quota',
      status: 429,
    });
    expect(provider.requests).toHaveLength(1);
  });

  it.each([500, 503, 529])('[F3] %i twice and then an answer: three requests', async (status) => {
    await using provider = await mockProvider(failing(status), failing(status), ok);
    const { outcome, waits } = await askWithRetries(model(provider));
    expect(outcome).toMatchObject(expected);
    expect([provider.requests.length, waits]).toEqual([3, [500, 1_000]]);
  });

  it('[F4] [P19] 529 for ever: three requests', async () => {
    const busy = failing(529, {}, { type: 'overloaded_error' });
    await using provider = await mockProvider(busy, busy, busy, ok);
    expect((await askWithRetries(model(provider))).outcome).toMatchObject({
      code: 'model.unavailable',
      status: 529,
    });
    expect(provider.requests).toHaveLength(3);
  });

  it.each([
    [400, 'model.bad-request'],
    [401, 'model.auth'],
    [402, 'model.quota'],
    [403, 'model.forbidden'],
    [404, 'model.not-found'],
    [413, 'model.context-overflow'],
    [422, 'model.bad-request'],
  ])('[F5] %i is one request: %s', async (status, code) => {
    await using provider = await mockProvider(failing(status, { 'x-should-retry': 'true' }), ok);
    expect((await askWithRetries(model(provider))).outcome).toMatchObject({ code, status });
    expect(provider.requests).toHaveLength(1);
  });

  it('[F6] [D22] an error within the stream is tried again, and no text is doubled', async () => {
    await using provider = await mockProvider({ pieces: [...whole.slice(0, said), error] }, ok);
    const { outcome } = await askWithRetries(model(provider));
    expect(outcome).toMatchObject(expected);
    expect(provider.requests).toHaveLength(2);
  });

  it('[F7] a connection that breaks in the middle is tried again', async () => {
    await using provider = await mockProvider({ pieces: whole.slice(0, said), ending: 'reset' }, ok);
    expect(await failureOf(model(provider))).toMatchObject({ code: 'model.network', retryable: 'yes' });
    expect((await askWithRetries(model(provider))).outcome).toMatchObject(expected);
  });

  it('[F7] a connection that breaks before the first byte is tried again', async () => {
    await using provider = await mockProvider();
    const { url } = provider;
    await provider[Symbol.asyncDispose]();
    expect(await failureOf(modelFor(kind, { url }))).toMatchObject({
      code: 'model.network',
      retryable: 'yes',
    });
  });

  it('[F8] [P22] a stream that ends too early is malformed, whatever it said before', async () => {
    await using provider = await mockProvider({ pieces: whole.slice(0, said) });
    expect(await failureOf(model(provider))).toMatchObject({ code: 'model.malformed', retryable: 'yes' });
  });

  it.each(['stall', 'comments'] as const)(
    '[F9] [F10] silence (%s) ends as idle, and the connection is given up',
    async (ending) => {
      await using provider = await mockProvider({ pieces: whole.slice(0, said), ending });
      const clock = virtualClock();
      const heard: ModelDelta[] = [];
      const answer = Promise.resolve(
        attemptModel(model(provider), request, { key: 'key', clock, onDelta: (delta) => heard.push(delta) }),
      ).catch((thrown: unknown) => thrown);
      await vi.waitFor(() => expect(heard.filter(({ type }) => type === 'text')).toHaveLength(2));
      await clock.advance(89_999);
      const before = heard.length;
      await new Promise((comments) => setTimeout(comments, 20));
      expect(heard).toHaveLength(before);
      await clock.advance(1);
      expect(await answer).toMatchObject({ code: 'model.idle', retryable: 'yes' });
      await vi.waitFor(() => expect(provider.hungUp()).toBe(1));
    },
  );

  it('silence after a whole answer does no harm', async () => {
    await using provider = await mockProvider({ ...ok, ending: 'stall' });
    expect(await ask(model(provider), request).answer).toMatchObject(expected);
  });

  it('a break after a whole answer does no harm', async () => {
    const fetch = streamFetch(whole, 'reset');
    expect(await ask(modelFor(kind, { fetch }), request).answer).toMatchObject(expected);
  });

  it.each([
    ['a line that is no JSON', 'data: {"choices": [{"del\n\n'],
    ['a line of null', 'data: null\n\n'],
  ])('[F11] %s is malformed', async (_, line) => {
    const broken = kind === 'openai-chat' ? line : `event: message_start\n${line}`;
    await using provider = await mockProvider({
      pieces: [...whole.slice(0, said), broken, ...whole.slice(said)],
    });
    expect(await failureOf(model(provider))).toMatchObject({ code: 'model.malformed', retryable: 'yes' });
  });

  it.each([
    ['as it is', (text: string) => text],
    ['with CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text: string) => `\uFEFF${text}`],
    [
      'with data over many lines',
      (text: string) => text.replaceAll(/^data: (\{)(.*)$/gm, 'data: $1\ndata: $2'),
    ],
    ['with comments between', (text: string) => text.replaceAll('\n\n', '\n\n: still here\n\n')],
    ['without a newline at its end', (text: string) => text.trimEnd()],
  ])('[F12] a stream split at every byte, %s, reads the same', async (_, written) => {
    const text = written(whole.join(''));
    expect(
      await ask(modelFor(kind, { fetch: streamFetch(singleBytes(text)) }), request).answer,
    ).toMatchObject(expected);
  });

  it('[F12] over a socket too', async () => {
    await using provider = await mockProvider({ pieces: [...singleBytes(whole.join(''))] });
    expect(await ask(model(provider), request).answer).toMatchObject(expected);
  });

  it.each([
    ['a page of HTML', 'text/html', '<html>Welcome to the hotel’s network</html>'],
    ['JSON that was cut off', 'application/json', '{"id": "x", "choi'],
    ['nothing', 'application/json', ''],
  ])('[F33] 200 with %s is malformed', async (_, type, body) => {
    await using provider = await mockProvider({ headers: { 'content-type': type }, pieces: [body] });
    expect(await failureOf(model(provider))).toMatchObject({ code: 'model.malformed', retryable: 'yes' });
  });

  it('[F33] 200 with an error in JSON is that error', async () => {
    const body = JSON.stringify({ error: { type: 'invalid_request_error', message: 'Bad.' } });
    await using provider = await mockProvider({
      headers: { 'content-type': 'application/json' },
      pieces: [body],
    });
    expect(await failureOf(model(provider))).toMatchObject({ code: 'model.bad-request' });
  });

  it('[F33] 502 with HTML is an outage, and the page is not shown whole', async () => {
    const page = `<html>${'x'.repeat(5_000)}</html>`;
    await using provider = await mockProvider({
      status: 502,
      headers: { 'content-type': 'text/html' },
      pieces: [page],
    });
    const failure = await failureOf(model(provider));
    expect(failure).toMatchObject({ code: 'model.unavailable', status: 502 });
    expect(failure.message.length).toBeLessThan(700);
  });

  it('[P8] [S1] an abort ends the wait at once, mid-stream too, and nothing is reported afterwards', async () => {
    await using provider = await mockProvider({ pieces: whole.slice(0, said), ending: 'comments' });
    const abort = new AbortController();
    const { answer, deltas } = ask(model(provider), request, abort.signal);
    const settled = answer.catch((thrown: unknown) => thrown);
    await vi.waitFor(() => expect(deltas.some(({ type }) => type === 'text')).toBe(true));
    let isSettled = false;
    void settled.then(() => (isSettled = true));
    abort.abort();
    // In turns of the event loop: a timer of 250 ms would take hundreds of them, on a busy machine, too.
    let turns = 0;
    for (; !isSettled && turns < 100; turns += 1) await new Promise((next) => setImmediate(next));
    const thrown = await settled;
    expect(turns).toBeLessThan(100);
    expect(isTroupeError(thrown, 'run.aborted')).toBe(true);
    const count = deltas.length;
    await vi.waitFor(() => expect(provider.hungUp()).toBe(1));
    expect(deltas).toHaveLength(count);
  });

  it('[P8] an abort ends the wait also where the network does not listen', async () => {
    const deaf: typeof fetch = () => new Promise(() => undefined);
    const silent: typeof fetch = () =>
      Promise.resolve(
        new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } }),
      );
    for (const fetch of [deaf, silent]) {
      const abort = new AbortController();
      const { answer } = ask(modelFor(kind, { fetch }), request, abort.signal);
      setTimeout(() => abort.abort(), 5);
      await expect(answer).rejects.toMatchObject({ code: 'run.aborted' });
    }
  });

  it('[P8] [F38] whoever aborts while a delta is told hears no other, though all has arrived', async () => {
    const abort = new AbortController();
    const heard: ModelDelta[] = [];
    const model = modelFor(kind, { fetch: streamFetch([whole.join('')]) });
    const call = {
      key: 'key',
      isWatched: true,
      signal: abort.signal,
      delta: (delta: ModelDelta) => {
        heard.push(delta);
        if (delta.type === 'text') abort.abort();
      },
    };
    await expect(model.answer(request, call)).rejects.toMatchObject({ code: 'run.aborted' });
    expect(heard.filter(({ type }) => type === 'text')).toHaveLength(1);
  });

  it('[P8] an abort before the first byte sends nothing, or gives the request up', async () => {
    await using provider = await mockProvider({ ending: 'stall' });
    const answer = ask(model(provider), request, AbortSignal.abort()).answer;
    await expect(answer).rejects.toMatchObject({ code: 'run.aborted' });
    expect(provider.requests).toHaveLength(0);
  });

  it('[F37] 10 MB in one delta, and many tiny ones, are read', async () => {
    const big = 'x'.repeat(10_000_000);
    const at = whole.findIndex((each) => each.includes('世界!'));
    const grown = whole.map((each, index) =>
      index === at || each.includes('Grüße, 世界!') ? each.replaceAll('世界!', big) : each,
    );
    const text = (await ask(modelFor(kind, { fetch: streamFetch(grown) }), request).answer).text;
    expect(text.length).toBe('Grüße, '.length + big.length);
    const one = whole[at] ?? '';
    const tiny = [
      ...whole.slice(0, at),
      ...Array<string>(20_000).fill(one.replace('世界!', '.')),
      ...whole.slice(at + 1),
    ];
    const { answer, deltas } = ask(modelFor(kind, { fetch: streamFetch(packets(tiny.join(''))) }), request);
    await answer;
    expect(deltas.filter((delta) => delta.type === 'text' && delta.text === '.')).toHaveLength(20_000);
  });

  it('[F32] the model that really answered is told', async () => {
    const other = whole.map((each) =>
      each
        .replaceAll('"choices":', '"model":"other","choices":')
        .replaceAll('"output":', '"model":"other","output":')
        .replaceAll('"content":[],', '"model":"other","content":[],'),
    );
    expect(await ask(modelFor(kind, { fetch: streamFetch(other) }), request).answer).toMatchObject({
      model: 'other',
    });
  });

  it('[F39] two answers at once do not mix', async () => {
    const other = whole.map((each) => each.replaceAll('Grüße', 'Adieu'));
    await using provider = await mockProvider(ok, { pieces: other });
    const shared = model(provider);
    const answers = await Promise.all([ask(shared, request).answer, ask(shared, request).answer]);
    expect(answers.map(({ text }) => text).toSorted()).toEqual(['Adieu, 世界!', 'Grüße, 世界!']);
  });
});
