import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { ask, question, streamed, transcript, weather } from '../support/ask-model.ts';
import { event, mockProvider } from '../support/mock-provider.ts';

const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);

const start = named({
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'claude-sonnet-5-5-2026',
    content: [],
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 5,
      output_tokens: 1,
    },
  },
});

const block = (index: number, content: object, ...deltas: readonly object[]): string[] => [
  named({ type: 'content_block_start', index, content_block: content }),
  ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
  named({ type: 'content_block_stop', index }),
];

const text = (index: number, words: string): string[] =>
  block(index, { type: 'text', text: '' }, { type: 'text_delta', text: words });

const toolUse = (index: number, id: string, ...pieces: readonly string[]): string[] =>
  block(
    index,
    { type: 'tool_use', id, name: 'weather', input: {} },
    ...pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  );

const end = (reason: string, usage: object = { output_tokens: 12 }, more: object = {}): string[] => [
  named({ type: 'message_delta', delta: { stop_reason: reason, ...more }, usage }),
  named({ type: 'message_stop' }),
];

const model = (provider: { url: string }, id = 'claude-sonnet-5-5') =>
  anthropic(id, { apiKey: 'sk-test', baseURL: provider.url });

const answerTo = async (pieces: readonly string[], request = question()) => {
  await using provider = await mockProvider({ pieces });
  // Awaited here: the provider is gone when this function is left.
  return await ask(model(provider), request).answer;
};

const requestOf = async (request = question(), id?: string) => {
  await using provider = await mockProvider({
    pieces: [start, ...text(0, '{"value":42}'), ...end('end_turn')],
  });
  const answer = await ask(model(provider, id), request).answer;
  const [seen] = provider.requests;
  if (seen === undefined) throw new Error('nothing was asked');
  return { answer, ...seen };
};

describe('anthropic: the answer', () => {
  it('[DODO-13] a text comes with its thinking, its whole usage and the model that really answered', async () => {
    await using provider = await mockProvider({
      pieces: [
        start,
        ...block(
          0,
          { type: 'thinking', thinking: '' },
          { type: 'thinking_delta', thinking: 'Hm.' },
          { type: 'signature_delta', signature: 'sig' },
        ),
        named({ type: 'ping' }),
        ...text(1, 'Hello.'),
        ...end('end_turn', {
          output_tokens: 12,
          input_tokens: null,
          output_tokens_details: { thinking_tokens: 3 },
        }),
      ],
    });
    const { answer, deltas } = ask(model(provider));
    expect(await answer).toEqual({
      text: 'Hello.',
      reasoning: 'Hm.',
      calls: [],
      finish: 'stop',
      usage: { input: 35, output: 12, cached: 20, stored: 5, reasoning: 3 },
      model: 'claude-sonnet-5-5-2026',
      replay: {
        provider: 'anthropic',
        content: {
          model: 'claude-sonnet-5-5',
          blocks: [
            { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
            { type: 'text', text: 'Hello.' },
          ],
        },
      },
      metadata: { responseId: 'msg_1' },
    });
    expect([streamed(deltas, 'text'), streamed(deltas, 'reasoning')]).toEqual(['Hello.', 'Hm.']);
  });

  it('[F21] text and parallel calls come in order, with their arguments as they arrive', async () => {
    const pieces = [
      start,
      ...text(0, 'See.'),
      ...toolUse(1, 'a', '{"city":', '"Köln"}'),
      ...toolUse(2, 'b', '{"city":"Bonn"}'),
    ];
    await using provider = await mockProvider({ pieces: [...pieces, ...end('tool_use')] });
    const { answer, deltas } = ask(model(provider), question({ tools: [weather] }));
    expect(await answer).toMatchObject({
      text: 'See.',
      calls: [
        { id: 'a', name: 'weather', input: { city: 'Köln' } },
        { id: 'b', name: 'weather', input: { city: 'Bonn' } },
      ],
      finish: 'tool-calls',
    });
    expect((await answer).replay).toBeUndefined();
    expect(deltas.filter(({ type }) => type === 'tool-call')).toHaveLength(5);
  });

  it('a call without arguments has none', async () => {
    const answer = await answerTo([start, ...toolUse(0, 'a', ''), ...end('tool_use')]);
    expect(answer.calls).toEqual([{ id: 'a', name: 'weather', input: {} }]);
  });

  it.each(['{"city":"K', ''])(
    '[F15] a call that the limit of tokens cut off at %j is a problem, not {}',
    async (args) => {
      const answer = await answerTo([start, ...toolUse(0, 'a', args), ...end('max_tokens')]);
      expect(answer).toMatchObject({
        finish: 'length',
        calls: [{ input: args, problem: expect.stringContaining('cut off') as string }],
      });
    },
  );

  it('[F24] a refusal says why, and no call counts beside it', async () => {
    const pieces = [
      start,
      ...toolUse(0, 'a', '{}'),
      ...end('refusal', {}, { stop_details: { explanation: 'Too hot.' } }),
    ];
    expect(await answerTo(pieces)).toMatchObject({ finish: 'refusal', refusal: 'Too hot.', calls: [] });
    expect(await answerTo([start, ...end('refusal')])).toMatchObject({
      finish: 'refusal',
      refusal: 'The model refused to answer.',
    });
  });

  it('[F25] a full context is an error that compaction may help', async () => {
    const answer = answerTo([start, ...text(0, 'x'), ...end('model_context_window_exceeded')]);
    await expect(answer).rejects.toMatchObject({ code: 'model.context-overflow', retryable: 'maybe' });
  });

  it('[F26] a turn that pauses goes back as it is, and nothing is put behind it', async () => {
    const pieces = [
      start,
      ...block(
        0,
        { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} },
        { type: 'input_json_delta', partial_json: '{"query":"x"}' },
      ),
    ];
    const { finish, replay, text: said } = await answerTo([...pieces, ...end('pause_turn')]);
    expect(finish).toBe('pause');
    const { body } = await requestOf(
      question({
        messages: transcript({ role: 'user', text: 'Find x.' }, { role: 'assistant', text: said, replay }),
      }),
    );
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Find x.' }] },
      {
        role: 'assistant',
        content: [{ type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'x' } }],
      },
    ]);
  });

  it('[F23] an empty answer is told as it is', async () => {
    expect(await answerTo([start, ...end('end_turn')])).toMatchObject({
      text: '',
      calls: [],
      finish: 'stop',
    });
  });

  it('[F30] usage that is null or negative is estimated', async () => {
    const bad = named({
      type: 'message_start',
      message: { id: 'm', content: [], usage: { input_tokens: -3, output_tokens: null } },
    });
    const { usage } = await answerTo([bad, ...text(0, 'Hello.'), ...end('end_turn', {})]);
    expect(usage).toMatchObject({ output: 2, isEstimate: true });
    expect(usage.input).toBeGreaterThan(5);
  });

  it.each([
    ['a second message within one', [start, ...text(0, 'x'), start.replace('msg_1', 'msg_2')]],
    ['the same message again, after words', [start, ...text(0, 'x'), start]],
    ['a second block in one place', [start, ...text(0, 'x'), ...text(0, 'y')]],
    [
      'a piece before its block',
      [start, named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } })],
    ],
    ['a block before its message', text(0, 'x')],
    [
      'a piece after the end of its block',
      [start, ...text(0, 'x'), named({ type: 'content_block_delta', index: 0, delta: {} })],
    ],
    ['an event without what its type promises', [start, named({ type: 'content_block_delta', index: 0 })]],
    ['words after the end', [start, ...end('end_turn'), ...text(0, 'x')]],
  ])('[F13] [F14] %s is malformed: texts are never mixed', async (_, pieces) => {
    const answer = answerTo([...pieces, ...end('end_turn')]);
    await expect(answer).rejects.toMatchObject({ code: 'model.malformed', retryable: 'yes' });
  });

  it('[F14] unknown events, blocks and deltas are passed over', async () => {
    const unknown = [
      named({ type: 'weather_report', index: 7 }),
      ...block(0, { type: 'hologram' }, { type: 'light_delta', light: 1 }),
      ...block(1, { type: 'text', text: '' }, { type: 'smell_delta' }, { type: 'text_delta', text: 'x' }),
    ];
    expect((await answerTo([start, ...unknown, ...end('end_turn')])).text).toBe('x');
  });
});

describe('anthropic: the request', () => {
  it('is one, streamed, with the key, without temperature, and with marks for the cache', async () => {
    const { path, headers, body } = await requestOf(
      question({ tools: [weather, { ...weather, name: 'tide' }], settings: { temperature: 0.7 } }),
    );
    const cache_control = { type: 'ephemeral' };
    expect(path).toBe('/v1/messages');
    expect(headers).toMatchObject({ authorization: 'Bearer sk-test', 'x-stainless-retry-count': '0' });
    expect(body).toEqual({
      model: 'claude-sonnet-5-5',
      stream: true,
      max_tokens: 8_192,
      system: [{ type: 'text', text: 'Be brief.', cache_control }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?', cache_control }] }],
      tools: [
        { name: 'weather', description: weather.description, input_schema: weather.parameters },
        { name: 'tide', description: weather.description, input_schema: weather.parameters, cache_control },
      ],
    });
  });

  it('does not pay for keeping a question that is not sent again', async () => {
    const { body } = await requestOf(question());
    expect(body).toMatchObject({ messages: [{ content: [{ text: 'Hello?' }] }] });
    expect(JSON.stringify(body).split('cache_control')).toHaveLength(2);
  });

  it('marks nothing where that is asked for', async () => {
    const { body } = await requestOf(question({ tools: [weather], settings: { cache: false } }));
    expect(JSON.stringify(body)).not.toContain('cache_control');
  });

  it('[P18] carries calls and results under our own ids; failures are marked, nothing is empty, roles alternate', async () => {
    const calls = [
      { id: 'call_1_0', name: 'weather', input: { city: 'Köln' } },
      { id: 'call_1_1', name: 'weather', input: 'no object', problem: 'x' },
    ];
    const { body } = await requestOf(
      question({
        instructions: ' ',
        messages: transcript(
          { role: 'assistant', text: 'I begin.' },
          { role: 'assistant', text: ' ', calls },
          { role: 'tool', callId: 'call_1_1', tool: 'weather', text: 'no', failed: true },
          { role: 'tool', callId: 'gone', tool: 'tide', text: 'low' },
          { role: 'user', text: '' },
          { role: 'assistant', text: 'So.' },
        ),
        tools: [weather],
        settings: { cache: false },
      }),
    );
    expect(body).not.toHaveProperty('system');
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I begin.' },
          { type: 'tool_use', id: 'call_1_0', name: 'weather', input: { city: 'Köln' } },
          { type: 'tool_use', id: 'call_1_1', name: 'weather', input: { invalid: 'no object' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1_0', content: '{"error":"aborted"}', is_error: true },
          { type: 'tool_result', tool_use_id: 'call_1_1', content: 'no', is_error: true },
          { type: 'text', text: '[result of tide] low' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'So.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
    ]);
  });

  it('[M16] gives thinking back as it came, with its signature, before its call, under our id; another model gets none', async () => {
    const thinking = block(
      0,
      { type: 'thinking', thinking: '' },
      { type: 'thinking_delta', thinking: 'Hm.' },
      { type: 'signature_delta', signature: 'sig' },
    );
    const redacted = block(1, { type: 'redacted_thinking', data: 'xyz' });
    const { replay, calls } = await answerTo([
      start,
      ...thinking,
      ...redacted,
      ...toolUse(2, 'toolu_1', '{"city":"Bonn"}'),
      ...end('tool_use'),
    ]);
    const turns: Turn[] = [
      { role: 'user', text: 'Weather?' },
      { role: 'assistant', text: '', calls: calls.map((call) => ({ ...call, id: 'call_1_0' })), replay },
      { role: 'tool', callId: 'call_1_0', tool: 'weather', text: '12 °C' },
    ];
    const request = question({ messages: transcript(...turns), tools: [weather] });
    const assistant = (body: Readonly<Record<string, unknown>>) =>
      (body['messages'] as { content: unknown }[])[1]?.content;
    const ours = { type: 'tool_use', id: 'call_1_0', name: 'weather', input: { city: 'Bonn' } };
    expect(assistant((await requestOf(request)).body)).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      ours,
    ]);
    expect(assistant((await requestOf(request, 'claude-opus-5-5')).body)).toEqual([ours]);
  });

  it.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [{ name: 'weather' }, { type: 'tool', name: 'weather' }],
  ] as const)('the choice of tools %j is said as %j', async (toolChoice, said) => {
    expect((await requestOf(question({ tools: [weather], toolChoice }))).body['tool_choice']).toEqual(said);
  });

  it('[P18] a conversation with calls names their tools also when there are none any more', async () => {
    const { body } = await requestOf(
      question({
        messages: transcript(
          { role: 'user', text: 'x' },
          { role: 'assistant', text: '', calls: [{ id: 'call_1_0', name: 'fs.read', input: {} }] },
          { role: 'tool', callId: 'call_1_0', tool: 'fs.read', text: 'y' },
        ),
      }),
    );
    expect(body['tools']).toEqual([
      { name: 'fs_read', description: 'No longer available.', input_schema: { type: 'object' } },
    ]);
    expect(body['tool_choice']).toEqual({ type: 'none' });
  });

  it.each([
    [
      'claude-sonnet-5-5',
      'minimal',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' }, max_tokens: 8_192 },
    ],
    ['claude-sonnet-5-5', 'none', { thinking: { type: 'disabled' }, max_tokens: 8_192 }],
    ['claude-haiku-4-5', 'low', { thinking: { type: 'enabled', budget_tokens: 2_048 }, max_tokens: 10_240 }],
  ] as const)('%s thinks with an effort of %s', async (id, reasoning, said) => {
    expect((await requestOf(question({ settings: { reasoning } }), id)).body).toMatchObject(said);
  });

  it('asks for an output by its schema, in the words that the API knows', async () => {
    const schema = { type: 'integer', minimum: 1, description: 'How many.' };
    const { answer, body } = await requestOf(question({ output: { name: 'n', schema } }));
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { value: { type: 'integer', description: 'How many. (minimum: 1)' } },
          required: ['value'],
          additionalProperties: false,
        },
      },
    });
    expect(answer.text).toBe('42');
  });

  it('asks in words for an output whose keys are free', async () => {
    const schema = { type: 'object', additionalProperties: { type: 'number' } };
    const { body } = await requestOf(question({ output: { name: 'n', schema } }));
    expect(body).not.toHaveProperty('output_config');
    expect(JSON.stringify(body['system'])).toContain('valid by this JSON Schema');
  });

  it('without a key, says which variable to set', async () => {
    await expect(ask(anthropic('claude-sonnet-5-5')).answer).rejects.toMatchObject({
      code: 'model.auth',
      message: 'Cannot ask anthropic:claude-sonnet-5-5 as no API key is set: set ANTHROPIC_API_KEY',
    });
  });
});

it('[QITOS-97] the SDK makes no spans of its own: a call has one, where somebody traces the run', async () => {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  try {
    await answerTo([start, ...text(0, 'Hello.'), ...end('end_turn')]);
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([]);
  } finally {
    trace.disable();
  }
});
