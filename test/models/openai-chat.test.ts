import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { ask, question, streamed, transcript, weather } from '../support/ask-model.ts';
import { event, mockProvider } from '../support/mock-provider.ts';

const usage = {
  prompt_tokens: 30,
  completion_tokens: 12,
  prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 },
};

const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  event({ id: 'c1', model: 'llama3.2:3b', choices: [{ index: 0, delta, finish_reason: finish }], ...more });

const end = [event({ id: 'c1', choices: [], usage }), 'data: [DONE]\n\n'];

const callPiece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args: string,
) => ({
  tool_calls: [{ ...(index === undefined ? {} : { index }), id, function: { name, arguments: args } }],
});

const model = (provider: { url: string }, options = {}) =>
  openaiChat('llama3.2', { baseURL: `${provider.url}/v1`, ...options });

const answerTo = async (pieces: readonly string[], request = question()) => {
  await using provider = await mockProvider({ pieces });
  // Awaited here: the provider is gone when this function is left.
  return await ask(model(provider), request).answer;
};

describe('openaiChat: the answer', () => {
  it('[DODO-13] a text comes with usage and model; no key is needed', async () => {
    await using provider = await mockProvider({
      pieces: [
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo.' }),
        chunk({}, 'stop'),
        ...end,
      ],
    });
    const { answer, deltas } = ask(model(provider));
    expect(await answer).toEqual({
      text: 'Hello.',
      calls: [],
      finish: 'stop',
      usage: { input: 30, output: 12, cached: 20, stored: 5 },
      model: 'llama3.2:3b',
      metadata: { responseId: 'c1' },
    });
    expect(streamed(deltas, 'text')).toBe('Hello.');
    expect(provider.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it.each([
    [
      'by index, interleaved',
      [
        [0, 'a', 'weather', '{"city":'],
        [1, 'b', 'weather', '{"city":"B"}'],
        [0, undefined, undefined, '"A"}'],
      ],
    ],
    [
      'without an index, as Mistral sends them',
      [
        [undefined, 'a', 'weather', '{"city":"A"}'],
        [undefined, 'b', 'weather', '{"city":"B"}'],
      ],
    ],
    [
      'with one index for all, as Gemini sends them',
      [
        [0, 'a', 'weather', '{"city":"A"}'],
        [0, 'b', 'weather', '{"city":"B"}'],
      ],
    ],
    [
      'with the id and the name in every piece',
      [
        [0, 'a', 'weather', '{"city":'],
        [0, 'a', 'weather', '"A"}'],
        [1, 'b', 'weather', '{"city":"B"}'],
      ],
    ],
    [
      'with indexes that begin at 1',
      [
        [1, 'a', 'weather', '{"city":"A"}'],
        [2, 'b', 'weather', '{"city":"B"}'],
      ],
    ],
  ] as [string, [number | undefined, string | undefined, string | undefined, string][]][])(
    '[F18] parallel calls %s stay apart',
    async (_, pieces) => {
      const answer = await answerTo([
        ...pieces.map((piece) => chunk(callPiece(...piece))),
        chunk({}, 'tool_calls'),
        ...end,
      ]);
      expect(answer).toMatchObject({
        calls: [
          { id: 'a', name: 'weather', input: { city: 'A' } },
          { id: 'b', name: 'weather', input: { city: 'B' } },
        ],
        finish: 'tool-calls',
      });
    },
  );

  it('[F20] calls without ids get some', async () => {
    const pieces = [
      chunk(callPiece(0, undefined, 'weather', '{}')),
      chunk(callPiece(1, undefined, 'weather', '{}')),
    ];
    const { calls } = await answerTo([...pieces, chunk({}, 'tool_calls'), ...end]);
    expect(calls.map(({ id }) => id)).toEqual(['call_0', 'call_1']);
  });

  it('[F21] [F22] text and a call come together, also if the finish says stop', async () => {
    const pieces = [
      chunk({ content: 'See.' }),
      chunk(callPiece(0, 'a', 'weather', '{}')),
      chunk({}, 'stop'),
      ...end,
    ];
    expect(await answerTo(pieces)).toMatchObject({
      text: 'See.',
      calls: [{ id: 'a' }],
      finish: 'tool-calls',
    });
  });

  it('[F22] a finish that speaks of calls where there are none is not believed', async () => {
    expect(await answerTo([chunk({ content: 'x' }), chunk({}, 'tool_calls'), ...end])).toMatchObject({
      finish: 'stop',
      calls: [],
    });
  });

  it.each(['{"city":"K', '', '5'])(
    '[F15] a call that the limit of tokens cut off at %j is a problem',
    async (args) => {
      const answer = await answerTo([chunk(callPiece(0, 'a', 'weather', args)), chunk({}, 'length'), ...end]);
      expect(answer).toMatchObject({
        finish: 'length',
        calls: [{ input: args, problem: expect.stringContaining('cut off') as string }],
      });
    },
  );

  it('[F16] arguments that are no JSON are a problem, not an exception', async () => {
    const answer = await answerTo([
      chunk(callPiece(0, 'a', 'weather', '{city: K}')),
      chunk({}, 'tool_calls'),
      ...end,
    ]);
    expect(answer.calls[0]).toMatchObject({
      input: '{city: K}',
      problem: expect.stringContaining('not valid JSON') as string,
    });
  });

  it('[F24] refusals and filters are no successes', async () => {
    expect(await answerTo([chunk({ refusal: 'No.' }), chunk({}, 'stop'), ...end])).toMatchObject({
      finish: 'refusal',
      refusal: 'No.',
    });
    expect(await answerTo([chunk({ content: 'x' }), chunk({}, 'content_filter'), ...end])).toMatchObject({
      finish: 'content-filter',
    });
  });

  it('[M16] [TENEX-25] thinking at the start of the text, or beside it, is reasoning', async () => {
    const pieces = [
      chunk({ content: '<thi' }),
      chunk({ content: 'nk>Hm.</think>\n' }),
      chunk({ content: 'Yes.' }),
      chunk({}, 'stop'),
      ...end,
    ];
    await using provider = await mockProvider({ pieces });
    const { answer, deltas } = ask(model(provider));
    expect(await answer).toMatchObject({ text: '\nYes.', reasoning: 'Hm.' });
    expect([streamed(deltas, 'text'), streamed(deltas, 'reasoning')]).toEqual(['\nYes.', 'Hm.']);
    for (const field of ['reasoning_content', 'reasoning']) {
      const beside = [chunk({ [field]: 'Hm.' }), chunk({ content: 'Yes.' }), chunk({}, 'stop'), ...end];
      expect(await answerTo(beside)).toMatchObject({ text: 'Yes.', reasoning: 'Hm.' });
    }
  });

  it('[F30] a server that tells no usage is estimated', async () => {
    const answer = await answerTo([chunk({ content: 'Hello.' }), chunk({}, 'stop'), 'data: [DONE]\n\n']);
    expect(answer.usage).toMatchObject({ output: 2, isEstimate: true });
  });

  it('only the first choice counts', async () => {
    const second = event({
      id: 'c1',
      choices: [{ index: 1, delta: { content: 'other' }, finish_reason: 'stop' }],
    });
    expect((await answerTo([second, chunk({ content: 'mine' }), chunk({}, 'stop'), ...end])).text).toBe(
      'mine',
    );
  });
});

describe('openaiChat: the request', () => {
  it('[P18] the content that one turn goes back with is not that of several', async () => {
    const { text, calls, replay } = await answerTo([
      chunk({ content: '<think>Hm.</think>I look.' }),
      chunk(callPiece(0, 'x', 'weather', '{"city":"Bonn"}')),
      chunk({}, 'tool_calls'),
      ...end,
    ]);
    const sent = async (...before: Turn[]) => {
      await using provider = await mockProvider({
        pieces: [chunk({ content: 'x' }), chunk({}, 'stop'), ...end],
      });
      const turn = {
        role: 'assistant',
        text,
        calls: calls.map((call) => ({ ...call, id: 'c' })),
        replay,
      } as const;
      const result = { role: 'tool', callId: 'c', tool: 'weather', text: 'Sun.' } as const;
      const messages = transcript({ role: 'user', text: 'Weather?' }, ...before, turn, result);
      await ask(model(provider), question({ messages, tools: [weather] })).answer;
      return provider.requests[0]?.body['messages'];
    };
    const content = (said: string) =>
      expect.arrayContaining([expect.objectContaining({ content: said })]) as unknown;
    expect(await sent()).toEqual(content('<think>Hm.</think>I look.'));
    expect(await sent({ role: 'assistant', text: 'Yes.' })).toEqual(content('Yes.\n\nI look.'));
  });

  it('[P18] alternates, empties nothing, pairs calls and results, and gives thoughts back with their calls', async () => {
    const first = await answerTo([
      chunk({ reasoning_content: 'Hm.' }),
      chunk(callPiece(0, 'x', 'weather', '{"city":"Bonn"}')),
      chunk({}, 'tool_calls'),
      ...end,
    ]);
    await using provider = await mockProvider({
      pieces: [chunk({ content: 'x' }), chunk({}, 'stop'), ...end],
    });
    await ask(
      model(provider, { apiKey: 'secret', headers: { 'x-desk': '7' }, extra: { keep_alive: '5m' } }),
      question({
        messages: transcript(
          { role: 'user', text: 'Weather?' },
          { role: 'user', text: ' ' },
          { role: 'user', text: 'In Bonn.' },
          {
            role: 'assistant',
            text: '',
            calls: first.calls.map((call) => ({ ...call, id: 'call_1_0' })),
            replay: first.replay,
          },
          { role: 'tool', callId: 'call_1_0', tool: 'weather', text: '' },
        ),
        tools: [weather],
        toolChoice: 'none',
        settings: { maxOutputTokens: 99, temperature: 0 },
      }),
    ).answer;
    const { headers, body } = provider.requests[0] ?? {};
    expect(headers).toMatchObject({ authorization: 'Bearer secret', 'x-desk': '7' });
    expect(body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Weather?\n\nIn Bonn.' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Hm.',
          tool_calls: [
            { id: 'x', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'x', content: '(no output)' },
      ],
      tools: [{ type: 'function', function: { name: 'weather' } }],
      tool_choice: 'none',
      max_tokens: 99,
      temperature: 0,
      keep_alive: '5m',
    });
  });

  it('asks for an output by its schema', async () => {
    await using provider = await mockProvider({
      pieces: [chunk({ content: '<think>x</think> {"a":1}' }), chunk({}, 'stop'), ...end],
    });
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    const answer = await ask(model(provider), question({ output: { name: 'out', schema } })).answer;
    expect(provider.requests[0]?.body['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'out', schema, strict: true },
    });
    expect(answer.text).toBe('{"a":1}');
  });
});
