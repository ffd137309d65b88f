import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ErrorCode } from '../../src/contracts/errors/error-data.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { type Model, modelAnswer } from '../../src/contracts/models/model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openaiChat, type OpenAIChatOptions } from '../../src/models/openai/openai-chat.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { ask, question, streamed } from '../support/ask-model.ts';
import { event, mockProvider, type Reply } from '../support/mock-provider.ts';
import { modelFor, type WireKind } from '../support/provider-streams.ts';
import { weatherTool } from '../support/weather-clerk.ts';
import { says } from '../support/wire-answers.ts';
import { isThorough } from '../support/thorough.ts';

const usage = { prompt_tokens: 30, completion_tokens: 12 };
const DONE = 'data: [DONE]\n\n';

const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  event({ id: 'c1', choices: [{ index: 0, delta, finish_reason: finish }], ...more });

const call = (id: string, city: string): object => ({
  index: 0,
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});

const model = ({ url }: { readonly url: string }, options: OpenAIChatOptions = {}): Model =>
  openaiChat('m', { baseURL: `${url}/v1`, apiKey: 'key', ...options });

/** What a run comes to whose model says that. */
const outcome = async (replies: readonly Reply[], options: OpenAIChatOptions = {}, attempts = 1) => {
  await using provider = await mockProvider(...replies);
  const retry = { attempts, initialWaitMs: 1, maxWaitMs: 2 };
  const clerk = agent({
    name: 'clerk',
    model: model(provider, options),
    tools: [weatherTool()],
    failures: { retry },
  });
  const result = await clerk.run('Weather?').catch((error: unknown) => error);
  return { result, requests: provider.requests };
};

const expectError = (found: unknown, code: ErrorCode): void => {
  if (!isTroupeError(found)) throw new Error(`no error: ${JSON.stringify(found)}`);
  expect(found.code).toBe(code);
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe('[FIND-20] content in parts', () => {
  const parts = [
    chunk({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: '!' }] }] }),
    chunk({
      content: [
        { type: 'text', text: 'Sun' },
        { type: 'reference', reference_ids: [1] },
        { type: 'text', text: 'ny' },
      ],
    }),
    chunk({ content: '.' }),
    chunk({}, 'stop', { usage }),
    DONE,
  ];

  test('[FIND-20] is text and thinking, in the answer and as it streams', async () => {
    await using provider = await mockProvider({ pieces: parts });
    const { answer, deltas } = ask(model(provider));
    expect(await answer).toMatchObject({ text: 'Sunny.', reasoning: 'Hm!', finish: 'stop' });
    expect([streamed(deltas, 'text'), streamed(deltas, 'reasoning')]).toEqual(['Sunny.', 'Hm!']);
    expect((await outcome([{ pieces: parts }])).result).toMatchObject({ output: 'Sunny.' });
  });

  test('[FIND-20] goes back in parts beside its calls, to a server that wants it back', async () => {
    const calling = [
      ...parts.slice(0, 3),
      chunk({ tool_calls: [call('abcdefghi', 'Bonn')] }, 'tool_calls', { usage }),
    ];
    const { result, requests } = await outcome([{ pieces: calling }, { pieces: parts }], {
      profile: 'mistral',
    });
    expect(result).toMatchObject({ status: 'completed' });
    expect(requests[1]?.body['messages']).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm!' }] },
          { type: 'text', text: 'Sun' },
          { type: 'reference', reference_ids: [1] },
          { type: 'text', text: 'ny' },
        ],
        tool_calls: [{ id: 'abcdefghi' }],
      },
      { tool_call_id: 'abcdefghi' },
    ]);
  });

  test('[FIND-20] that is neither text nor parts is malformed', async () => {
    const { result } = await outcome([
      { pieces: [chunk({ content: { text: 'x' } }), chunk({}, 'stop'), DONE] },
    ]);
    expectError(result, 'model.malformed');
  });
});

describe('[FIND-21] only a known good end is an answer', () => {
  test.each<[word: string, code: ErrorCode]>([
    ['insufficient_system_resource', 'model.unavailable'],
    ['error', 'model.unavailable'],
    ['network_error', 'model.unavailable'],
    ['abort', 'model.unavailable'],
    ['model_length', 'model.context-overflow'],
    ['anything_else', 'model.malformed'],
    ['toString', 'model.malformed'],
  ])('[FIND-21] %s is %s', async (word, code) => {
    for (const said of [{ content: 'Half' }, { tool_calls: [call('a', 'Bonn')] }]) {
      const { result } = await outcome([{ pieces: [chunk(said), chunk({}, word, { usage }), DONE] }]);
      expectError(result, code);
      expect(result).toMatchObject({ message: expect.stringContaining(`'${word}'`) as string });
    }
  });

  test('[FIND-21] a word that says nothing yet is no end', async () => {
    const pieces = [
      chunk({ content: 'Sun' }, 'null'),
      chunk({ content: 'ny.' }, ''),
      chunk({}, 'stop', { usage }),
      DONE,
    ];
    expect((await outcome([{ pieces }])).result).toMatchObject({ output: 'Sunny.' });
    expectError((await outcome([{ pieces: pieces.slice(0, 2) }])).result, 'model.malformed');
  });

  test('[FIND-21] sensitive is a filter, and refuses the answer', async () => {
    const { result } = await outcome([{ pieces: [chunk({ content: 'x' }), chunk({}, 'sensitive'), DONE] }]);
    expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'refused' } });
  });

  test('[FIND-21] an end that may pass is asked again', async () => {
    const busy = {
      pieces: [chunk({ content: 'Ha' }), chunk({}, 'insufficient_system_resource', { usage }), DONE],
    };
    const { result, requests } = await outcome([busy, busy, says('openai-chat', 'Sunny.')], {}, 3);
    expect(result).toMatchObject({ status: 'completed', output: 'Sunny.' });
    expect(requests).toHaveLength(3);
  });

  const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);
  const said = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Half' }] }];
  const ended = (type: string, response: object): readonly string[] => [
    named({ type: 'response.created', response: {} }),
    named({ type, response: { output: said, ...response } }),
  ];

  test.each<[what: string, kind: WireKind, pieces: readonly string[], code: ErrorCode]>([
    ['incomplete without details', 'openai-responses', ended('response.incomplete', {}), 'model.malformed'],
    [
      'incomplete for an unknown reason',
      'openai-responses',
      ended('response.incomplete', { incomplete_details: { reason: 'tired' } }),
      'model.malformed',
    ],
    [
      'completed, with a status that is in progress',
      'openai-responses',
      ended('response.completed', { status: 'in_progress' }),
      'model.malformed',
    ],
    [
      'completed, with a status that is incomplete and no reason',
      'openai-responses',
      ended('response.completed', { status: 'incomplete' }),
      'model.malformed',
    ],
    [
      'completed, with a status that failed',
      'openai-responses',
      ended('response.completed', { status: 'failed', error: { code: 'server_error', message: 'x' } }),
      'model.unavailable',
    ],
    [
      'a message without a stop_reason',
      'anthropic',
      [
        named({ type: 'message_start', message: { id: 'm', content: [], usage: {} } }),
        named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } }),
        named({ type: 'content_block_stop', index: 0 }),
        named({ type: 'message_stop' }),
      ],
      'model.malformed',
    ],
    [
      'a stop_reason that is not known',
      'anthropic',
      [
        named({ type: 'message_start', message: { id: 'm', content: [{ type: 'text', text: 'Half' }] } }),
        named({ type: 'message_delta', delta: { stop_reason: 'tired' } }),
        named({ type: 'message_stop' }),
      ],
      'model.malformed',
    ],
  ])('[FIND-21] %s is no answer', async (_, kind, pieces, code) => {
    await using provider = await mockProvider({ pieces });
    const clerk = agent({
      name: 'clerk',
      model: modelFor(kind, provider),
      failures: { retry: { attempts: 1 } },
    });
    expectError(await clerk.run('x').catch((error: unknown) => error), code);
  });

  test('[FIND-21] a model of your own that stopped for another reason is asked once more, and no third time', async () => {
    for (const finish of ['other', 'banana' as 'other'] as const) {
      let asked = 0;
      const half: Model = {
        provider: 'ours',
        id: 'm',
        answer: () => {
          asked += 1;
          return modelAnswer({ text: 'Half', finish });
        },
      };
      const clerk = agent({
        name: 'clerk',
        model: half,
        failures: { retry: { initialWaitMs: 1, maxWaitMs: 2 } },
      });
      const thrown = await clerk.run('x').catch((error: unknown) => error);
      expectError(thrown, 'model.malformed');
      expect(thrown).toMatchObject({ message: expect.stringContaining(`'${finish}'`) as string });
      expect(asked).toBe(2);
    }
  });
});

describe('[FIND-25] an error is read, however its body says it', () => {
  const words = 'This model has a maximum context length of 8192 tokens';
  test.each<[body: unknown]>([
    [{ error: { message: words, type: 'invalid_request_error' } }],
    [{ object: 'error', message: words, type: 'invalid_request_error', code: 3000 }],
    [{ object: 'error', message: { detail: [{ loc: ['body', 'messages'], msg: words }] } }],
    [{ detail: words }],
    [{ detail: [{ type: 'value_error', loc: ['body', 'messages'], msg: words }] }],
    [{ message: words }],
    [{ error: words }],
    [{ code: 'Client specified an invalid argument', error: words }],
    [[{ error: { code: 400, message: words, status: 'INVALID_ARGUMENT' } }]],
    [{ errors: [{ message: words }] }],
    [
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw: JSON.stringify({ object: 'error', message: words }) },
        },
      },
    ],
  ])('[FIND-25] %j', async (body) => {
    for (const kind of ['openai-chat', 'openai-responses', 'anthropic'] as const) {
      const reply = { status: 400, pieces: [JSON.stringify(body)] };
      await using provider = await mockProvider(reply);
      const thrown: unknown = await ask(modelFor(kind, provider)).answer.catch((error: unknown) => error);
      expectError(thrown, 'model.context-overflow');
      expect(thrown).toMatchObject({ message: expect.stringContaining(words) as string });
    }
  });

  test.each<[body: unknown]>([
    [{ object: 'error', message: words, code: 400 }],
    [{ detail: words }],
    [{ message: words, type: 'error' }],
  ])('[FIND-25] in a stream, and beside a status that speaks of success: %j', async (body) => {
    const replies: Reply[] = [
      { pieces: [chunk({ content: 'Ha' }), event(body as object)] },
      { headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(body)] },
    ];
    for (const reply of replies) {
      const { result } = await outcome([reply]);
      expect(isTroupeError(result) && result.message).toContain(words);
    }
  });

  test('[FIND-25] an error beside a choice ends the answer', async () => {
    const failed = event({
      choices: [{ index: 0, delta: {}, error: { code: 502, message: 'gone' }, finish_reason: 'stop' }],
    });
    const { result } = await outcome([{ pieces: [chunk({ content: 'Ha' }), failed, DONE] }]);
    expectError(result, 'model.unavailable');
  });

  test('[FIND-25] what is no JSON is shown as it is', async () => {
    const { result } = await outcome([{ status: 400, pieces: ['<p>No.</p>'] }]);
    expect(isTroupeError(result) && result.message).toContain('<p>No.</p>');
  });
});

describe('[FIND-26] a call that the provider could not read', () => {
  const written = '<function=weather{"city": "Bonn"}</function>';
  const error = {
    message: "Failed to call a function. Please adjust your prompt. See 'failed_generation'.",
    type: 'invalid_request_error',
    code: 'tool_use_failed',
    failed_generation: written,
  };

  test.each<[how: string, reply: Reply]>([
    ['as a refusal', { status: 400, pieces: [JSON.stringify({ error })] }],
    ['within the stream', { pieces: [chunk({ role: 'assistant' }), event({ error })] }],
  ])('[FIND-26] is shown to the model, with what it wrote: %s', async (_, reply) => {
    const { result, requests } = await outcome([reply, says('openai-chat', 'Sunny.')], { profile: 'groq' });
    expect(result).toMatchObject({ status: 'completed', output: 'Sunny.' });
    expect(requests[1]?.body['messages']).toMatchObject([
      {},
      { role: 'assistant', content: written },
      { role: 'user', content: expect.stringContaining('Failed to call a function') as string },
    ]);
  });

  test('[FIND-26] again and again ends the run with what was wrong', async () => {
    const reply: Reply = { status: 400, pieces: [JSON.stringify({ error })] };
    const { result } = await outcome(Array<Reply>(30).fill(reply), { profile: 'groq' });
    expectError(result, 'model.malformed');
    expect(result).toMatchObject({ message: expect.stringContaining('Failed to call a function') as string });
  });

  test('[FIND-26] of which nothing is left but the word for it is shown too', async () => {
    const word = 'function_call_filter: MALFORMED_FUNCTION_CALL';
    const reply = { pieces: [chunk({ role: 'assistant' }), chunk({}, word, { usage }), DONE] };
    const { result, requests } = await outcome([reply, says('openai-chat', 'Sunny.')], { profile: 'gemini' });
    expect(result).toMatchObject({ status: 'completed', output: 'Sunny.' });
    expect(JSON.stringify(requests[1]?.body)).toContain('MALFORMED_FUNCTION_CALL');
  });
});

describe('[FIND-27] an end that only [DONE] names', () => {
  const counted = event({ id: 'c1', choices: [], usage });

  test('[FIND-27] is an end behind an answer and its usage', async () => {
    const words = await outcome([{ pieces: [chunk({ content: 'Sunny.' }), counted, DONE] }]);
    expect(words.result).toMatchObject({ status: 'completed', output: 'Sunny.' });
    expect(words.requests).toHaveLength(1);
    const calling = { pieces: [chunk({ tool_calls: [call('a', 'Bonn')] }), counted, DONE] };
    const { result } = await outcome([calling, says('openai-chat', 'Sunny.')]);
    expect(result).toMatchObject({ status: 'completed', output: 'Sunny.' });
  });

  test.each<[what: string, pieces: readonly string[]]>([
    ['without [DONE]', [chunk({ content: 'Sunny.' }), counted]],
    ['without usage', [chunk({ content: 'Sunny.' }), DONE]],
    ['without an answer', [chunk({ role: 'assistant' }), counted, DONE]],
    ['with [DONE] in its words alone', [chunk({ content: '\ndata: [DONE]\n\n' }), counted]],
  ])('[FIND-27] is none %s', async (_, pieces) => {
    expectError((await outcome([{ pieces }])).result, 'model.malformed');
  });

  test('[FIND-27] is an end also where the line stays open, byte by byte', async () => {
    const text = [chunk({ content: 'Sunny.' }), counted, DONE].join('');
    const { result } = await outcome([{ pieces: text.split(''), ending: 'stall' }]);
    expect(result).toMatchObject({ status: 'completed', output: 'Sunny.' });
  });
});

describe('[FIND-28] the list', () => {
  const refusedBy = async (kind: WireKind, status: number, body: unknown) => {
    await using provider = await mockProvider({ status, pieces: [JSON.stringify(body)] });
    const thrown: unknown = await ask(modelFor(kind, provider)).answer.catch((error: unknown) => error);
    if (!isTroupeError(thrown)) throw new Error('not refused');
    return thrown;
  };

  test.each<[kind: WireKind, status: number, body: unknown, code: ErrorCode]>([
    ['openai-responses', 400, { error: { code: 'model_not_found', message: 'x' } }, 'model.not-found'],
    [
      'openai-chat',
      400,
      { object: 'error', message: 'Invalid model: x', type: 'invalid_model' },
      'model.not-found',
    ],
    [
      'openai-chat',
      400,
      { error: { message: 'Model Not Exist', code: 'invalid_request_error' } },
      'model.not-found',
    ],
    ['openai-chat', 400, { code: 'x', error: 'Incorrect API key provided: xa***9.' }, 'model.auth'],
    [
      'openai-chat',
      400,
      [{ error: { message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] } }],
      'model.auth',
    ],
    ['openai-chat', 422, { detail: 'Extra inputs are not permitted' }, 'model.bad-request'],
    [
      'openai-chat',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
      'model.context-overflow',
    ],
    [
      'anthropic',
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
        },
      },
      'model.context-overflow',
    ],
    ['openai-chat', 400, { error: { message: 'max_tokens must be <= 8192' } }, 'model.bad-request'],
  ])('[FIND-28] %s %i %j is %s', async (kind, status, body, code) => {
    expect((await refusedBy(kind, status, body)).code).toBe(code);
  });

  test('[FIND-28] a 429 of Google that says when to come back is a rate limit, with that wait', async () => {
    const error = {
      code: 429,
      message: 'You exceeded your current quota, please check your plan and billing details.',
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
      ],
    };
    const thrown = await refusedBy('openai-chat', 429, [{ error }]);
    expect(thrown).toMatchObject({ code: 'model.rate-limited', retryable: 'yes', retryAfterMs: 34_500 });
    const { details: _, ...silent } = error;
    expect((await refusedBy('openai-chat', 429, [{ error: silent }])).code).toBe('model.quota');
  });

  test('[FIND-28] usage is found where Groq and Moonshot put it', async () => {
    for (const last of [
      chunk({}, 'stop', { x_groq: { usage } }),
      event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }),
    ]) {
      await using provider = await mockProvider({ pieces: [chunk({ content: 'x' }), last, DONE] });
      expect((await ask(model(provider)).answer).usage).toEqual({ input: 30, output: 12 });
    }
  });

  const counted = async (counts: object) => {
    const last = chunk({}, 'stop', { usage: { ...usage, ...counts } });
    await using provider = await mockProvider({ pieces: [chunk({ content: 'x' }), last, DONE] });
    return (await ask(model(provider)).answer).usage;
  };

  test('[FIND-28] thoughts that are counted beside the completion, by xAI as such and by Google in the total alone, are output', async () => {
    const said = { completion_tokens_details: { reasoning_tokens: 7 } };
    const output = { input: 30, output: 19, reasoning: 7 };
    expect(await counted({ total_tokens: 49 })).toEqual(output);
    expect(await counted({ total_tokens: 49, ...said })).toEqual(output);
    // All others count them within it, and a total that cannot be is none.
    expect(await counted({ total_tokens: 42, ...said })).toEqual({ input: 30, output: 12, reasoning: 7 });
    expect(await counted({ total_tokens: 60, ...said })).toEqual({ input: 30, output: 12, reasoning: 7 });
    for (const total_tokens of [42, 41, -1, null, '49'])
      expect(await counted({ total_tokens })).toEqual({ input: 30, output: 12 });
  });

  test('[FIND-28] tokens of the cache are found beside the details of the prompt, where Together and Moonshot count them', async () => {
    expect(await counted({ cached_tokens: 20 })).toEqual({ input: 30, output: 12, cached: 20 });
    const details = { prompt_tokens_details: { cached_tokens: 10 } };
    expect(await counted({ cached_tokens: 20, ...details })).toEqual({ input: 30, output: 12, cached: 10 });
  });

  test('[FIND-28] a thought that is written in the text goes back in it, where calls follow, to whom takes thoughts back', async () => {
    const thinks = '<think>\nBonn, then.\n</think>\n\nI look.';
    const calls = chunk({ tool_calls: [call('x', 'Bonn')] }, 'tool_calls', { usage });
    const asks: Reply = { pieces: [chunk({ content: thinks }), calls, DONE] };
    for (const [profile, content] of [
      ['fireworks', thinks],
      ['groq', '\n\nI look.'],
    ] as const) {
      const { requests } = await outcome([asks, says('openai-chat', { text: ['Sun.'] })], { profile });
      expect(requests[1]?.body['messages']).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content, tool_calls: [{ id: 'x' }] },
        { role: 'tool' },
      ]);
    }
  });

  test('[FIND-28] a tuple as output is no schema of strict mode, and keeps its meaning', async () => {
    const pieces = [chunk({ content: '{"value":["a",1]}' }), chunk({}, 'stop', { usage }), DONE];
    await using provider = await mockProvider({ pieces });
    const output = z.tuple([z.string(), z.number()]);
    const result = await agent({ name: 'pair', model: model(provider), output }).run('x');
    expect(result.output).toEqual(['a', 1]);
    expect(JSON.stringify(provider.requests[0]?.body)).not.toContain('prefixItems');
  });

  test.each<[output: unknown]>([
    [[null]],
    [[{ type: 'function_call', call_id: 'a', name: 'weather', arguments: null }]],
    [[{ type: 'message', content: null }]],
  ])('[FIND-28] a last event that holds %j is malformed, and may be asked again', async (output) => {
    const pieces = [
      event({ type: 'response.completed', response: { id: 'r', output } }, 'response.completed'),
    ];
    await using provider = await mockProvider({ pieces });
    const thrown: unknown = await ask(modelFor('openai-responses', provider)).answer.catch(
      (error: unknown) => error,
    );
    expectError(thrown, 'model.malformed');
    expect(thrown).toMatchObject({ retryable: 'yes' });
  });

  if (isThorough)
    test('[FIND-28] an answer whose usage never comes, on a line left open, is taken before the idle limit', async () => {
      const pieces = [chunk({ content: 'Sunny.' }), chunk({}, 'stop')];
      const { result } = await outcome([{ pieces, ending: 'stall' }]);
      expect(result).toMatchObject({ status: 'completed', output: 'Sunny.' });
    });

  test('[FIND-28] nothing is printed about models that will go', async () => {
    const printed = (['warn', 'error', 'log', 'info'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => undefined),
    );
    await using provider = await mockProvider(says('anthropic', 'x'));
    const old = anthropic('claude-sonnet-4-5', { apiKey: 'k', baseURL: provider.url });
    expect((await ask(old).answer).text).toBe('x');
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  });
});

describe('[FIND-30] a completion that does not stream', () => {
  const completion = (message: object, finish: string): Reply => ({
    headers: { 'content-type': 'application/json' },
    pieces: [
      JSON.stringify({
        id: 'c1',
        object: 'chat.completion',
        model: 'm-1',
        choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
        usage,
      }),
    ],
  });
  const calls = ['Bonn', 'Celle'].map((city, index) => ({ ...call(`id${index}`, city), index: undefined }));

  test.each([{}, { stream: false }])('[FIND-30] is an answer (%j)', async (options) => {
    const { result, requests } = await outcome(
      [
        completion({ content: null, tool_calls: calls }, 'tool_calls'),
        completion({ content: 'Sunny.' }, 'stop'),
      ],
      options,
    );
    expect(result).toMatchObject({
      status: 'completed',
      output: 'Sunny.',
      totals: { inputTokens: 60, outputTokens: 24 },
    });
    expect(JSON.stringify(requests[1]?.body)).toContain('Sunny in Celle');
    for (const { body } of requests) {
      expect(body['stream']).toBe(options.stream ?? true);
      expect('stream_options' in body).toBe(options.stream ?? true);
    }
  });

  test('[FIND-30] is an answer whatever its type is called, where none was asked to stream', async () => {
    const reply = { ...completion({ content: 'Sunny.' }, 'stop'), headers: { 'content-type': 'text/plain' } };
    expect((await outcome([reply], { stream: false })).result).toMatchObject({ output: 'Sunny.' });
  });

  test('[FIND-30] is held to the same: its end, its shape, its errors', async () => {
    const half = await outcome([completion({ content: 'Ha' }, 'insufficient_system_resource')], {
      stream: false,
    });
    expectError(half.result, 'model.unavailable');
    const json = { 'content-type': 'application/json' };
    for (const body of ['{"choices":[]}', '{}', '[]', '5', '{"choi']) {
      const { result } = await outcome([{ headers: json, pieces: [body] }], { stream: false });
      expectError(result, 'model.malformed');
    }
    const { result } = await outcome([{ status: 401, pieces: ['{"detail":"Unauthorized"}'] }], {
      stream: false,
    });
    expectError(result, 'model.auth');
  });

  test('[FIND-30] of the other two forms is an answer too', async () => {
    const headers = { 'content-type': 'application/json' };
    const bodies: Readonly<Record<'anthropic' | 'openai-responses', object>> = {
      anthropic: {
        type: 'message',
        id: 'm',
        content: [{ type: 'text', text: 'Sunny.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 3, output_tokens: 4 },
      },
      'openai-responses': {
        object: 'response',
        id: 'r',
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'Sunny.' }] }],
        usage: { input_tokens: 3, output_tokens: 4 },
      },
    };
    for (const kind of ['anthropic', 'openai-responses'] as const) {
      await using provider = await mockProvider({ headers, pieces: [JSON.stringify(bodies[kind])] });
      expect(await ask(modelFor(kind, provider), question()).answer).toMatchObject({
        text: 'Sunny.',
        usage: { input: 3, output: 4 },
      });
    }
  });

  test('[FIND-30] that is cancelled is left alone', async () => {
    await using provider = await mockProvider({ pieces: [], ending: 'stall' });
    const controller = new AbortController();
    const { answer } = ask(model(provider, { stream: false }), question(), controller.signal);
    while (provider.requests.length === 0) await new Promise((next) => setImmediate(next));
    controller.abort(new Error('enough'));
    expectError(await answer.catch((error: unknown) => error), 'run.aborted');
  });
});
