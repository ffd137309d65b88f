import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { ask, question, streamed, transcript, weather } from '../support/ask-model.ts';
import { event, mockProvider } from '../support/mock-provider.ts';

const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);

const usage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 8 },
};

const message = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});

const functionCall = (id: string, args: string, status = 'completed') => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'weather',
  arguments: args,
  status,
});

/** A whole stream around an output. */
const stream = (
  output: readonly object[],
  parts: Record<string, unknown> = {},
  type = 'response.completed',
) => ({
  pieces: [
    named({ type: 'response.created', response: { id: 'resp_1' } }),
    named({ type, response: { id: 'resp_1', model: 'gpt-5.5-2026', output, usage, ...parts } }),
  ],
});

const model = (provider: { url: string }, options = {}) =>
  openai('gpt-5.5', { apiKey: 'sk-test', baseURL: `${provider.url}/v1`, ...options });

const answerTo = async (reply: ReturnType<typeof stream>, request = question()) => {
  await using provider = await mockProvider(reply);
  // Awaited here: the provider is gone when this function is left.
  return await ask(model(provider), request).answer;
};

describe('openai: the answer', () => {
  it('[DODO-13] a text comes with its usage, its reasoning and the model that really answered', async () => {
    await using provider = await mockProvider({
      pieces: [
        named({ type: 'response.created', response: { id: 'resp_1' } }),
        named({ type: 'response.reasoning_summary_text.delta', delta: 'Hm.', output_index: 0 }),
        named({ type: 'response.output_text.delta', delta: 'Hel', output_index: 1 }),
        named({ type: 'keepalive' }),
        named({ type: 'response.output_text.delta', delta: 'lo.', output_index: 1 }),
        named({
          type: 'response.completed',
          response: {
            id: 'resp_1',
            model: 'gpt-5.5-2026',
            output: [
              { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
              message('Hello.'),
            ],
            usage,
          },
        }),
      ],
    });
    const { answer, deltas } = ask(model(provider));
    expect(await answer).toEqual({
      text: 'Hello.',
      reasoning: 'Hm.',
      calls: [],
      finish: 'stop',
      usage: { input: 30, output: 12, cached: 20, stored: 5, reasoning: 8 },
      model: 'gpt-5.5-2026',
      metadata: { responseId: 'resp_1' },
    });
    expect([streamed(deltas, 'text'), streamed(deltas, 'reasoning')]).toEqual(['Hello.', 'Hm.']);
    expect(deltas).toHaveLength(4); // the keep-alive is none of them
  });

  it('parallel calls come in order, with their arguments as they arrive', async () => {
    await using provider = await mockProvider({
      pieces: [
        named({ type: 'response.created', response: {} }),
        named({ type: 'response.output_item.added', output_index: 0, item: functionCall('a', '') }),
        named({ type: 'response.output_item.added', output_index: 1, item: functionCall('b', '') }),
        named({ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"city":"Bonn"}' }),
        named({ type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"city":"Köln"}' }),
        named({
          type: 'response.completed',
          response: {
            output: [functionCall('a', '{"city":"Köln"}'), functionCall('b', '{"city":"Bonn"}')],
            usage,
          },
        }),
      ],
    });
    const { answer, deltas } = ask(model(provider), question({ tools: [weather] }));
    expect(await answer).toMatchObject({
      calls: [
        { id: 'a', name: 'weather', input: { city: 'Köln' } },
        { id: 'b', name: 'weather', input: { city: 'Bonn' } },
      ],
      finish: 'tool-calls',
    });
    expect(deltas.filter(({ type }) => type === 'tool-call')).toEqual([
      { type: 'tool-call', index: 0, name: 'weather', text: '' },
      { type: 'tool-call', index: 1, name: 'weather', text: '' },
      { type: 'tool-call', index: 1, text: '{"city":"Bonn"}' },
      { type: 'tool-call', index: 0, text: '{"city":"Köln"}' },
    ]);
  });

  it.each(['{"city":"K', '', '{"city":'])(
    '[F15] a call that the limit of tokens cut off at %j is a problem',
    async (args) => {
      const cut = stream(
        [functionCall('a', args, 'incomplete')],
        { incomplete_details: { reason: 'max_output_tokens' } },
        'response.incomplete',
      );
      expect(await answerTo(cut)).toMatchObject({
        finish: 'length',
        calls: [{ name: 'weather', input: args, problem: expect.stringContaining('cut off') as string }],
      });
    },
  );

  it('[F24] a refusal is a refusal, and no call counts beside it', async () => {
    const refusal = { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] };
    expect(await answerTo(stream([refusal, functionCall('a', '{}')]))).toMatchObject({
      finish: 'refusal',
      refusal: 'I will not.',
      calls: [],
    });
  });

  it('[F24] what a content filter stopped is no success', async () => {
    const reason = { incomplete_details: { reason: 'content_filter' } };
    const answer = await answerTo(
      stream([message('So'), functionCall('a', '{}')], reason, 'response.incomplete'),
    );
    expect(answer).toMatchObject({
      finish: 'content-filter',
      calls: [{ problem: 'A content filter stopped the answer.' }],
    });
  });

  it('[F23] an empty answer is told as it is', async () => {
    expect(await answerTo(stream([]))).toMatchObject({ text: '', calls: [], finish: 'stop' });
  });

  it.each([undefined, null, { input_tokens: -1, output_tokens: null }, { input_tokens: 'many' }])(
    '[F30] usage that is %j is estimated, never NaN',
    async (bad) => {
      const answer = await answerTo(stream([message('Four words are here.')], { usage: bad }));
      expect(answer.usage).toMatchObject({ output: 6, isEstimate: true });
      expect(answer.usage.input).toBeGreaterThan(5);
    },
  );

  it('[F14] a server that leaves the last output empty is read by its items', async () => {
    await using provider = await mockProvider({
      pieces: [
        named({ type: 'response.created', response: {} }),
        named({ type: 'response.output_item.done', output_index: 0, item: message('Hello.') }),
        named({ type: 'response.completed', response: { output: [], usage } }),
      ],
    });
    expect((await ask(model(provider)).answer).text).toBe('Hello.');
  });
});

describe('openai: the request', () => {
  const requestOf = async (request = question(), options = {}) => {
    await using provider = await mockProvider(stream([message('{"value":42}')]));
    const answer = await ask(model(provider, options), request).answer;
    const [seen] = provider.requests;
    if (seen === undefined) throw new Error('nothing was asked');
    return { answer, ...seen };
  };

  it('is one, streamed, not stored, with the key and without a retry of the SDK', async () => {
    const { path, headers, body } = await requestOf();
    expect(path).toBe('/v1/responses');
    expect(headers).toMatchObject({ authorization: 'Bearer sk-test', 'x-stainless-retry-count': '0' });
    expect(body).toEqual({
      model: 'gpt-5.5',
      stream: true,
      store: false,
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'Hello?' }],
      include: ['reasoning.encrypted_content'],
    });
  });

  it('[P18] carries calls and results under our own ids, results directly after their calls', async () => {
    const calls = [
      { id: 'call_1_0', name: 'weather', input: { city: 'Köln' } },
      { id: 'call_1_1', name: 'weather', input: '{"city":', problem: 'cut off' },
    ];
    const { body } = await requestOf(
      question({
        messages: transcript(
          { role: 'user', text: 'Weather?' },
          { role: 'assistant', text: 'Let me see.', calls },
          { role: 'tool', callId: 'call_1_0', tool: 'weather', text: '12 °C' },
          { role: 'tool', callId: 'call_1_1', tool: 'weather', text: 'cut off', failed: true },
          { role: 'user', text: 'And?', from: 'critic' },
        ),
        tools: [weather],
        toolChoice: { name: 'weather' },
      }),
    );
    expect(body['input']).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: 'Let me see.' },
      { type: 'function_call', call_id: 'call_1_0', name: 'weather', arguments: '{"city":"Köln"}' },
      {
        type: 'function_call',
        call_id: 'call_1_1',
        name: 'weather',
        arguments: '{"invalid":"{\\"city\\":"}',
      },
      { type: 'function_call_output', call_id: 'call_1_0', output: '12 °C' },
      { type: 'function_call_output', call_id: 'call_1_1', output: 'cut off' },
      { role: 'user', content: '[critic] And?' },
    ]);
    expect(body['tools']).toEqual([
      {
        type: 'function',
        name: 'weather',
        description: weather.description,
        parameters: { ...weather.parameters, additionalProperties: false },
        strict: true,
      },
    ]);
    expect(body['tool_choice']).toEqual({ type: 'function', name: 'weather' });
  });

  it('[M16] gives encrypted reasoning back as it came, before its call, under our id; another model gets none', async () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA', status: null };
    const open = { type: 'reasoning', id: 'rs_2', summary: [] };
    const { replay, calls } = await answerTo(
      stream([reasoning, open, functionCall('call_x', '{"city":"Bonn"}')]),
    );
    const turns: Turn[] = [
      { role: 'user', text: 'Weather?' },
      { role: 'assistant', text: '', calls: calls.map((call) => ({ ...call, id: 'call_1_0' })), replay },
      { role: 'tool', callId: 'call_1_0', tool: 'weather', text: '12 °C' },
    ];
    const request = question({ messages: transcript(...turns), tools: [weather] });
    const ours = {
      type: 'function_call',
      call_id: 'call_1_0',
      name: 'weather',
      arguments: '{"city":"Bonn"}',
    };
    const { body } = await requestOf(request);
    expect(body['input']).toEqual([
      { role: 'user', content: 'Weather?' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
      ours,
      { type: 'function_call_output', call_id: 'call_1_0', output: '12 °C' },
    ]);
    await using provider = await mockProvider(stream([message('x')]));
    const other = openai('gpt-4.1', { apiKey: 'sk-test', baseURL: `${provider.url}/v1` });
    await ask(other, request).answer;
    expect(JSON.stringify(provider.requests[0]?.body)).not.toContain('gAAA');
  });

  it('[F17] gives tools legal names and takes the answer by the real ones', async () => {
    const tools = ['fs.read', 'fs_read', 'größe/messen'].map((name) => ({ ...weather, name }));
    await using provider = await mockProvider(
      stream([
        { ...functionCall('a', '{}'), name: 'fs_read' },
        { ...functionCall('b', '{}'), name: 'gr__e_messen' },
        { ...functionCall('c', '{}'), name: 'invented' },
      ]),
    );
    const answer = await ask(model(provider), question({ tools })).answer;
    const sent = provider.requests[0]?.body['tools'] as { name: string }[];
    expect(sent.map(({ name }) => name)).toEqual([
      'fs_read',
      expect.stringMatching(/^fs_read_[0-9a-f]{8}$/),
      'gr__e_messen',
    ]);
    expect(answer.calls.map(({ name }) => name)).toEqual(['fs.read', 'größe/messen', 'invented']);
  });

  it('asks for an output by its schema; what is no object is wrapped on the way out and unwrapped on the way in', async () => {
    const { answer, body } = await requestOf(
      question({ output: { name: 'the answer', schema: { type: 'number' } } }),
    );
    expect(body['text']).toEqual({
      format: {
        type: 'json_schema',
        name: 'the_answer',
        strict: true,
        schema: {
          type: 'object',
          properties: { value: { type: 'number' } },
          required: ['value'],
          additionalProperties: false,
        },
      },
    });
    expect(answer.text).toBe('42');
  });

  it('[DODO-12] carries the settings that the model takes, and the fields of its own', async () => {
    const settings = { maxOutputTokens: 99, temperature: 0.5, reasoning: 'low' as const };
    const { body } = await requestOf(question({ settings }), {
      cacheKey: 'desk',
      extra: { service_tier: 'flex' },
    });
    expect(body).toMatchObject({
      max_output_tokens: 99,
      reasoning: { effort: 'low' },
      prompt_cache_key: 'desk',
      service_tier: 'flex',
    });
    expect(body).not.toHaveProperty('temperature');
    await using provider = await mockProvider(stream([message('x')]));
    await ask(openai('gpt-4.1', { apiKey: 'k', baseURL: provider.url }), question({ settings })).answer;
    expect(provider.requests[0]?.body).toMatchObject({ temperature: 0.5 });
    expect(provider.requests[0]?.body).not.toHaveProperty('reasoning');
  });

  it('without a key, says which variable to set, and sends nothing', async () => {
    const answer = ask(openai('gpt-5.5')).answer;
    await expect(answer).rejects.toMatchObject({
      code: 'model.auth',
      message: 'Cannot ask openai:gpt-5.5 as no API key is set: set OPENAI_API_KEY',
    });
  });
});
