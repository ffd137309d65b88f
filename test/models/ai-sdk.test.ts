import { describe, expect, it } from 'vitest';
import type { AssistantTurn, Turn } from '../../src/contracts/conversations/transcript.ts';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import { aiSdk, type AiSdkOptions } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkLanguageModel, CallOptions } from '../../src/models/ai-sdk/language-model.ts';
import { ask, question, streamed, transcript, weather } from '../support/ask-model.ts';

type Part = Readonly<Record<string, unknown>>;

const nested = {
  inputTokens: { total: 30, noCache: 10, cacheRead: 20, cacheWrite: 0 },
  outputTokens: { total: 12, text: 4, reasoning: 8 },
};
const plain = {
  inputTokens: 30,
  outputTokens: 12,
  totalTokens: 42,
  reasoningTokens: 8,
  cachedInputTokens: 20,
};

const usageIn = (version: string): object => (version === 'v2' ? plain : nested);

const finish = (version = 'v3', reason = 'stop', raw: string = reason): Part => ({
  type: 'finish',
  usage: usageIn(version),
  finishReason: version === 'v2' ? reason : { unified: reason, raw },
});

/** A model by hand that streams these parts, and keeps what it was asked. */
const handWritten = (
  parts: readonly Part[],
  {
    version = 'v3',
    provider = 'acme.chat',
    ...rest
  }: Partial<AiSdkLanguageModel> & { version?: string } = {},
) => {
  const asked: CallOptions[] = [];
  const model: AiSdkLanguageModel = {
    specificationVersion: version,
    provider,
    modelId: 'm-1',
    doStream: (options) => {
      asked.push(options as CallOptions);
      const stream = new ReadableStream<Part>({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return Promise.resolve({ stream });
    },
    doGenerate: () => Promise.reject(new Error('not asked')),
    ...rest,
  };
  return { model, asked };
};

const answerOf = (
  parts: readonly Part[],
  options?: Parameters<typeof handWritten>[1],
): Promise<ModelAnswer> =>
  ask(aiSdk(handWritten(parts, options).model), question({ tools: [weather] })).answer;

/** What the model is asked when these turns, settings and tools go before. */
const askedWith = async (
  request: Parameters<typeof question>[0],
  given: Parameters<typeof handWritten>[1] = {},
  options: AiSdkOptions = {},
): Promise<CallOptions> => {
  const { model, asked } = handWritten([finish(given.version)], given);
  await ask(aiSdk(model, options), question(request)).answer;
  const [first] = asked;
  if (first === undefined) throw new Error('it was not asked');
  return first;
};

const call = (id: string, input: unknown, more: Part = {}): Part => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'weather',
  input,
  ...more,
});

describe('aiSdk: the answer', () => {
  it.each(['v2', 'v3', 'v4'])(
    'of version %s comes whole, with its usage, reasoning and calls',
    async (version) => {
      const { model } = handWritten(
        [
          { type: 'stream-start', warnings: [] },
          { type: 'response-metadata', id: 'resp_1', modelId: 'm-1-2026' },
          { type: 'reasoning-start', id: 'r' },
          { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
          { type: 'reasoning-end', id: 'r' },
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Let ' },
          { type: 'ping' },
          { type: 'text-delta', id: 't', delta: 'me see.' },
          { type: 'text-end', id: 't' },
          { type: 'tool-input-start', id: 'a', toolName: 'weather' },
          { type: 'tool-input-start', id: 'b', toolName: 'weather' },
          { type: 'tool-input-delta', id: 'b', delta: '{"city":"Bonn"}' },
          { type: 'tool-input-delta', id: 'a', delta: '{"city":"Köln"}' },
          call('a', '{"city":"Köln"}'),
          call('b', '{"city":"Bonn"}'),
          finish(version, 'tool-calls'),
        ],
        { version },
      );
      const { answer, deltas } = ask(aiSdk(model), question({ tools: [weather] }));
      const origin = (id: string) => ({ provider: 'acme', id });
      expect(await answer).toMatchObject({
        text: 'Let me see.',
        reasoning: 'Hm.',
        calls: [
          { id: 'a', name: 'weather', input: { city: 'Köln' }, origin: origin('a') },
          { id: 'b', name: 'weather', input: { city: 'Bonn' }, origin: origin('b') },
        ],
        finish: 'tool-calls',
        usage: { input: 30, output: 12, cached: 20, reasoning: 8 },
        model: 'm-1-2026',
        metadata: { responseId: 'resp_1' },
      });
      expect([streamed(deltas, 'text'), streamed(deltas, 'reasoning')]).toEqual(['Let me see.', 'Hm.']);
      expect(deltas.filter(({ type }) => type === 'tool-call')).toEqual([
        { type: 'tool-call', index: 0, name: 'weather', text: '' },
        { type: 'tool-call', index: 1, name: 'weather', text: '' },
        { type: 'tool-call', index: 1, text: '{"city":"Bonn"}' },
        { type: 'tool-call', index: 0, text: '{"city":"Köln"}' },
      ]);
    },
  );

  it('in one piece is the same as in a stream', async () => {
    const content = [
      { type: 'reasoning', text: 'Hm.', providerMetadata: { acme: { signature: 's' } } },
      { type: 'text', text: 'Sunny.' },
    ];
    const whole = {
      content,
      finishReason: { unified: 'stop' },
      usage: nested,
      response: { id: 'r', modelId: 'm' },
    };
    const { model } = handWritten([], { doGenerate: () => Promise.resolve({ ...whole, warnings: [] }) });
    const found = await ask(aiSdk(model, { stream: false })).answer;
    const parts = [
      { type: 'response-metadata', id: 'r', modelId: 'm' },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'Hm.' },
      { type: 'reasoning-delta', id: '1', delta: '', providerMetadata: { acme: { signature: 's' } } },
      { type: 'text-delta', id: '1', delta: 'Sunny.' },
      finish(),
    ];
    expect(found).toEqual(await answerOf(parts));
    expect(found).toMatchObject({ text: 'Sunny.', reasoning: 'Hm.' });
  });

  it('counts what Anthropic read from its cache and wrote to it as input, in every version', async () => {
    const metadata = { providerMetadata: { anthropic: { cacheCreationInputTokens: 5 } } };
    const ended = { ...finish('v2'), ...metadata };
    const { usage } = await answerOf([ended], { version: 'v2', provider: 'anthropic.messages' });
    expect(usage).toMatchObject({ input: 55, cached: 20, stored: 5 });
  });

  it('has no summary that the provider made for itself: it is only sent back', async () => {
    const parts = [
      { type: 'text-start', id: '0', providerMetadata: { anthropic: { type: 'compaction' } } },
      { type: 'text-delta', id: '0', delta: 'So far …' },
      { type: 'text-end', id: '0' },
      { type: 'text-delta', id: '1', delta: 'Sunny.' },
      finish(),
    ];
    const { answer, deltas } = ask(aiSdk(handWritten(parts, { provider: 'anthropic.messages' }).model));
    const { text, replay } = await answer;
    expect([text, streamed(deltas, 'text')]).toEqual(['Sunny.', 'Sunny.']);
    expect(JSON.stringify(replay)).toContain('So far …');
  });

  it('arguments that are no JSON are a problem of the call, and so are those that were cut off', async () => {
    const bad = await answerOf([call('a', '{"city":'), finish('v3', 'tool-calls')]);
    expect(bad.calls).toMatchObject([
      { input: '{"city":', problem: expect.stringContaining('not valid JSON') as string },
    ]);
    const open = [
      { type: 'tool-input-start', id: 'a', toolName: 'weather' },
      { type: 'tool-input-delta', id: 'a', delta: '{"ci' },
      finish('v3', 'length'),
    ];
    expect(await answerOf(open)).toMatchObject({
      finish: 'length',
      calls: [{ input: '{"ci', problem: expect.stringContaining('cut off') as string }],
    });
  });

  it.each([
    ['stop', 'stop', 'stop'],
    ['length', 'max_tokens', 'length'],
    ['content-filter', 'content_filter', 'content-filter'],
    ['content-filter', 'refusal', 'refusal'],
    ['stop', 'pause_turn', 'pause'],
    ['unknown', 'unknown', 'other'],
  ])('that ended with %s (%s) has finished with %s', async (unified, raw, expected) => {
    const text = { type: 'text-delta', id: 't', delta: 'Well.' };
    expect((await answerOf([text, finish('v3', unified, raw)])).finish).toBe(expected);
  });

  const text = { type: 'text-delta', id: 't', delta: 'Well.' };
  const uncounted = { usage: { inputTokens: undefined, outputTokens: undefined } };

  it.each(['v3', 'v4'])('of version %s that ended without a reason was cut off', async (version) => {
    const end = { ...finish(version), finishReason: { unified: 'other', raw: undefined } };
    await expect(answerOf([text, end], { version })).rejects.toMatchObject({
      data: { code: 'model.malformed', retryable: 'yes' },
    });
  });

  it('of version 2 that ended for an unknown reason was cut off if nothing was counted, or its vendor counts as it goes', async () => {
    const end = finish('v2', 'unknown');
    const cut = { data: { code: 'model.malformed', retryable: 'yes' } };
    await expect(answerOf([text, { ...end, ...uncounted }], { version: 'v2' })).rejects.toMatchObject(cut);
    await expect(
      answerOf([text, end], { version: 'v2', provider: 'google.generative-ai' }),
    ).rejects.toMatchObject(cut);
    expect((await answerOf([text, end], { version: 'v2' })).finish).toBe('other');
  });

  it('is without the texts that an agent as its model has taken back', async () => {
    const block = (id: string, words: string, more: Part = {}) => [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: words },
      { type: 'text-end', id, ...more },
    ];
    const discarded = { providerMetadata: { troupe: { discarded: true } } };
    const parts = [...block('1', 'Half an ', discarded), ...block('2', 'Half an answer.'), finish()];
    expect((await answerOf(parts)).text).toBe('Half an answer.');
  });

  it('has the media that the model made, but for those of its thoughts', async () => {
    const file = (mediaType: string, data: unknown, more: Part = {}) => ({
      type: 'file',
      mediaType,
      data,
      ...more,
    });
    const { media, replay } = await answerOf([
      file('image/png', 'AQID', { providerMetadata: { google: { thought: true } } }),
      file('image/png', new Uint8Array([1, 2, 3])),
      file('audio/wav', { type: 'data', data: 'BAUG' }),
      file('application/pdf', 'BwgJ'),
      file('text/plain', { type: 'url', url: 'https://example.com' }),
      finish(),
    ]);
    expect(media).toEqual([
      { type: 'image', mediaType: 'image/png', data: 'AQID' },
      { type: 'audio', mediaType: 'audio/wav', data: 'BAUG' },
      { type: 'file', mediaType: 'application/pdf', data: 'BwgJ' },
    ]);
    expect(JSON.stringify(replay).split('"file"')).toHaveLength(6);
  });

  it('is a problem of the model where Gemini could not read its call', async () => {
    const text = { type: 'text-delta', id: 't', delta: 'print(weather' };
    const answer = await answerOf([text, call('a', '{}'), finish('v3', 'error', 'MALFORMED_FUNCTION_CALL')]);
    expect(answer).toMatchObject({ text: 'print(weather', calls: [], finish: 'other' });
    expect(answer.problem).toContain('MALFORMED_FUNCTION_CALL');
    await expect(answerOf([text, finish('v3', 'error', 'x')])).rejects.toMatchObject({
      data: { code: 'model.failed' },
    });
  });

  it('keeps warnings, sources and what the provider said of it as metadata', async () => {
    const warning = { type: 'unsupported', feature: 'seed' };
    const source = { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' };
    const said = { providerMetadata: { acme: { tier: 'flex' } } };
    const parts = [{ type: 'stream-start', warnings: [warning] }, source, { ...finish(), ...said }];
    expect((await answerOf(parts)).metadata).toEqual({
      providerMetadata: { acme: { tier: 'flex' } },
      warnings: [warning],
      sources: [source],
    });
  });
});

it('a request for approval is a call for a person, and its answer goes back to the model that asked', async () => {
  const asking = [
    call('dummy', '{"name":"old"}', { toolName: 'mcp.delete_repo', providerExecuted: true }),
    { type: 'tool-approval-request', approvalId: 'mcpr_1', toolCallId: 'dummy' },
    finish(),
  ];
  const { calls, providerCalls, replay } = await answerOf(asking);
  expect(providerCalls).toBeUndefined();
  expect(calls).toMatchObject([
    { name: 'approve_provider_call', input: { tool: 'delete_repo', input: { name: 'old' } } },
  ]);
  const turn = (failed: boolean): readonly Turn[] => [
    { role: 'assistant', text: '', calls: calls.map((each) => ({ ...each, id: 'call_1_0' })), replay },
    {
      role: 'tool',
      callId: 'call_1_0',
      tool: 'approve_provider_call',
      text: failed ? "Cannot run 'approve_provider_call' as a person denied it: in use" : 'approved',
      failed,
    },
  ];
  const answered = async (failed: boolean) =>
    (await askedWith({ messages: transcript(...turn(failed)) })).prompt;
  const request = {
    role: 'assistant',
    content: [expect.objectContaining({ type: 'tool-call', toolCallId: 'dummy', providerExecuted: true })],
  };
  const response = { type: 'tool-approval-response', approvalId: 'mcpr_1' };
  expect(await answered(false)).toEqual(
    expect.arrayContaining([request, { role: 'tool', content: [{ ...response, approved: true }] }]),
  );
  expect(await answered(true)).toContainEqual({
    role: 'tool',
    content: [{ ...response, approved: false, reason: 'in use' }],
  });
});

describe('aiSdk: what fails', () => {
  const refused = (status: number, body: object, headers = {}) =>
    Object.assign(new Error('Refused'), {
      name: 'AI_APICallError',
      statusCode: status,
      isRetryable: status === 429,
      responseHeaders: headers,
      responseBody: JSON.stringify(body),
    });

  const failing = (error: unknown) =>
    ask(aiSdk(handWritten([], { doStream: () => Promise.reject(error as Error) }).model)).answer;

  it.each([
    [
      429,
      { error: { message: 'Slow down' } },
      { code: 'model.rate-limited', retryable: 'yes', retryAfterMs: 2_000 },
    ],
    [
      429,
      { error: { code: 'insufficient_quota', message: 'Pay' } },
      { code: 'model.quota', retryable: 'no' },
    ],
    [401, { error: { message: 'Who?' } }, { code: 'model.auth' }],
    [
      400,
      { error: { message: 'prompt is too long' } },
      { code: 'model.context-overflow', retryable: 'maybe' },
    ],
    [529, { error: { message: 'Busy' } }, { code: 'model.unavailable', retryable: 'yes' }],
  ])('a refusal with status %i and %j is classified as with any provider', async (status, body, expected) => {
    await expect(failing(refused(status, body, { 'retry-after': '2' }))).rejects.toMatchObject({
      data: expected,
    });
  });

  it('a connection that broke off is one that failed, though its package throws it with the status that began it', async () => {
    const cause = Object.assign(new TypeError('terminated'), { cause: { code: 'ECONNRESET' } });
    const broken = Object.assign(new Error('Failed to process successful response', { cause }), {
      name: 'AI_APICallError',
      statusCode: 200,
    });
    const thrown: unknown = await failing(broken).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ data: { code: 'model.network', retryable: 'yes' } });
    expect(thrown).not.toHaveProperty('data.status');
  });

  it.each([
    ['AI_LoadAPIKeyError', 'model.auth'],
    ['AI_UnsupportedFunctionalityError', 'model.bad-request'],
    ['AI_TypeValidationError', 'model.malformed'],
  ])('%s is %s', async (name, code) => {
    await expect(failing(Object.assign(new Error('No'), { name }))).rejects.toMatchObject({ data: { code } });
  });

  it('an error within a stream fails the attempt, whatever follows it', async () => {
    const said = { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } };
    await expect(answerOf([said, finish()])).rejects.toMatchObject({ data: { code: 'model.unavailable' } });
    const thrown = { type: 'error', error: refused(429, {}) };
    await expect(answerOf([thrown])).rejects.toMatchObject({ data: { code: 'model.rate-limited' } });
  });

  it('a stream that ends before `finish` is no answer', async () => {
    const text = { type: 'text-delta', id: 't', delta: 'Well' };
    await expect(answerOf([text])).rejects.toMatchObject({
      data: {
        code: 'model.malformed',
        retryable: 'yes',
        message: expect.stringContaining('text-delta') as string,
      },
    });
  });

  it('an abort ends the attempt at once, and cancels the stream', async () => {
    let cancelled = 0;
    const stream = new ReadableStream({ cancel: () => void (cancelled += 1) });
    const { model } = handWritten([], { doStream: () => Promise.resolve({ stream }) });
    const controller = new AbortController();
    const { answer } = ask(aiSdk(model), question(), controller.signal);
    setImmediate(() => controller.abort());
    await expect(answer).rejects.toMatchObject({ data: { code: 'run.aborted' } });
    expect(cancelled).toBe(1);
  });

  it.each([
    ['gpt-5.5', "it is 'gpt-5.5'"],
    [undefined, 'it is nothing'],
    [{}, 'its specification is nothing'],
    [{ ...handWritten([]).model, specificationVersion: 'v1' }, "its specification is 'v1'"],
    [{ specificationVersion: 'v3', doEmbed: () => 1 }, 'it makes embeddings'],
    [{ specificationVersion: 'v3', doGenerate: () => 1 }, "it has no 'doStream'"],
  ])('%o is refused when the model is made', (given, found) => {
    expect(() => aiSdk(given as AiSdkLanguageModel)).toThrow(found);
  });
});

describe('aiSdk: the request', () => {
  it('says instructions, turns, results and tools in the words of the specification', async () => {
    const turns: Turn[] = [
      { role: 'user', text: 'Weather?' },
      {
        role: 'assistant',
        text: 'I look.',
        calls: [{ id: 'call_1_0', name: 'weather', input: { city: 'Bonn' } }],
      },
      { role: 'tool', callId: 'call_1_0', tool: 'weather', text: 'No such city', failed: true },
      { role: 'user', text: 'And?' },
    ];
    const { prompt, tools, toolChoice } = await askedWith({
      messages: transcript(...turns),
      tools: [weather],
      toolChoice: { name: 'weather' },
    });
    const place = { toolCallId: 'call_1_0', toolName: 'weather' };
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', ...place, input: { city: 'Bonn' } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', ...place, output: { type: 'error-text', value: 'No such city' } }],
      },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ]);
    expect(tools).toEqual([
      {
        type: 'function',
        name: 'weather',
        description: weather.description,
        inputSchema: weather.parameters,
      },
    ]);
    expect(toolChoice).toEqual({ type: 'tool', toolName: 'weather' });
  });

  it.each(['v2', 'v3', 'v4'])(
    'takes media and links as files, those of results after them (%s)',
    async (version) => {
      const image = { type: 'image', mediaType: 'image/png', size: 3, hash: 'h' } as const;
      const paper = { type: 'file', url: 'https://example.org/a.pdf', mediaType: 'application/pdf' } as const;
      const { model, asked } = handWritten([finish(version)], { version, provider: 'openai.responses' });
      const turns: readonly Turn[] = [
        { role: 'user', text: 'Look.', parts: [{ type: 'text', text: 'Look.' }, image, paper] },
        { role: 'assistant', text: '', calls: [{ id: 'c', name: 'weather', input: {} }] },
        { role: 'tool', callId: 'c', tool: 'weather', text: 'A picture.', parts: [image] },
      ];
      const request = question({ messages: transcript(...turns), tools: [weather] });
      await ask(aiSdk(model), request, undefined, async () => new Uint8Array([1, 2, 3])).answer;
      const [bytes, link] =
        version === 'v4'
          ? [
              { type: 'data', data: 'AQID' },
              { type: 'url', url: new URL(paper.url) },
            ]
          : ['AQID', new URL(paper.url)];
      expect(asked[0]?.prompt.slice(1).map(({ role, content }) => [role, content])).toMatchObject([
        [
          'user',
          [
            { type: 'text', text: 'Look.' },
            { type: 'file', mediaType: 'image/png', data: bytes },
            { type: 'file', mediaType: 'application/pdf', data: link },
          ],
        ],
        ['assistant', [{ type: 'tool-call', toolCallId: 'c' }]],
        ['tool', [{ type: 'tool-result', toolCallId: 'c', output: { type: 'text', value: 'A picture.' } }]],
        [
          'user',
          [
            { type: 'text', text: '[result of weather, call c]' },
            { type: 'file', mediaType: 'image/png', data: bytes },
          ],
        ],
      ]);
    },
  );

  it('gives reasoning, signatures, files and calls of the provider back to the model that made them', async () => {
    const tag = (value: string) => ({ providerMetadata: { acme: { signature: value } } });
    const { replay, calls } = await answerOf([
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r', ...tag('one') },
      call('s', '{"q":1}', { providerExecuted: true }),
      { type: 'tool-result', toolCallId: 's', toolName: 'weather', result: { hits: 1 } },
      { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
      call('a', '{"city":"Bonn"}', tag('two')),
      finish('v3', 'tool-calls'),
    ]);
    const turn: AssistantTurn = { role: 'assistant', text: '', calls, replay };
    const { prompt } = await askedWith({ messages: transcript({ role: 'user', text: '?' }, turn) });
    const said = (value: string) => ({ providerOptions: { acme: { signature: value } } });
    expect(prompt[2]?.content).toEqual([
      { type: 'reasoning', text: 'Hm.', ...said('one') },
      { type: 'tool-call', toolCallId: 's', toolName: 'weather', input: { q: 1 }, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: 's',
        toolName: 'weather',
        output: { type: 'json', value: { hits: 1 } },
      },
      { type: 'file', mediaType: 'image/png', data: 'AQID' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: { city: 'Bonn' }, ...said('two') },
    ]);
    const other = await askedWith(
      { messages: transcript({ role: 'user', text: '?' }, turn) },
      { modelId: 'm-2' },
    );
    expect(other.prompt[2]?.content).toEqual([
      { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: { city: 'Bonn' } },
    ]);
  });

  it('asks for an output by its schema', async () => {
    const output = { name: 'answer', schema: { type: 'number' } } as const;
    const { responseFormat } = await askedWith({ output });
    expect(responseFormat).toMatchObject({ type: 'json', name: 'answer', schema: { type: 'object' } });
  });

  it('passes options of vendors and headers on, and those of the app win', async () => {
    const { providerOptions, headers } = await askedWith(
      {},
      { provider: 'openai.responses' },
      { providerOptions: { openai: { store: true, user: 'u' } }, headers: { 'x-team': 'a' } },
    );
    expect([providerOptions, headers]).toEqual([{ openai: { store: true, user: 'u' } }, { 'x-team': 'a' }]);
  });

  it.each([
    ['v3', 'openai.responses', { providerOptions: { openai: { store: false, reasoningEffort: 'low' } } }],
    ['v3', 'anthropic.messages', { providerOptions: { anthropic: { effort: 'low' } } }],
    [
      'v2',
      'google.generative-ai',
      { providerOptions: { google: { thinkingConfig: { thinkingLevel: 'low' } } } },
    ],
    ['v4', 'acme.chat', { reasoning: 'low' }],
  ])('of version %s to %s says an effort as it is understood there', async (version, provider, expected) => {
    const asked = await askedWith({ settings: { reasoning: 'low' } }, { version, provider });
    expect(asked).toMatchObject(expected);
  });

  it('marks what Anthropic is to keep, unless it is not to', async () => {
    const mark = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
    const request = { tools: [weather] };
    const { prompt, tools } = await askedWith(request, { provider: 'anthropic.messages' });
    expect([prompt[0], prompt[1], tools?.[0]]).toMatchObject([mark, mark, mark]);
    const once = await askedWith({}, { provider: 'anthropic.messages' });
    expect(JSON.stringify(once).split('cacheControl')).toHaveLength(2);
    const bare = await askedWith(
      { ...request, settings: { cache: false } },
      { provider: 'anthropic.messages' },
    );
    expect(JSON.stringify(bare)).not.toContain('cacheControl');
  });
});
