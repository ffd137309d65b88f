import { expect, it } from 'vitest';
import type { ModelAnswer } from '../../src/contracts/models/model.ts';
import type { ChatProfileName } from '../../src/models/openai/chat-profiles.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { ask, question, transcript } from '../support/ask-model.ts';
import { event, mockProvider, type Reply } from '../support/mock-provider.ts';
import { ofType } from '../support/runs.ts';

const usage = { prompt_tokens: 10, completion_tokens: 5 };

const chunk = (delta: object, more: object = {}, finish: string | null = null): object => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

const streams = (chunks: readonly object[]): Reply => ({
  pieces: [...chunks.map((each) => event(each)), 'data: [DONE]\n\n'],
});

const answerTo = async (profile: ChatProfileName | undefined, reply: Reply): Promise<ModelAnswer> => {
  await using provider = await mockProvider(reply);
  return await ask(openaiChat('some', { apiKey: 'k', baseURL: provider.url, profile })).answer;
};

// console.groq.com/docs/compound/built-in-tools; a stream repeats an entry, with more in it.
const search = { index: 0, type: 'search', arguments: '{"query":"Go"}' };
const python = { index: 1, type: 'python', arguments: '{"code":"print(6*7)"}', output: '42\n' };
const groq = [
  chunk({ role: 'assistant', executed_tools: [search] }),
  chunk({
    executed_tools: [{ ...search, arguments: '', output: 'Title: …', search_results: { results: [] } }],
  }),
  chunk({ content: 'Found.', executed_tools: [python] }),
  chunk({}, { x_groq: { usage } }, 'stop'),
];

// platform.openai.com/docs/guides/tools-web-search, of Chat Completions; OpenRouter has the same form.
const cited = {
  type: 'url_citation',
  url_citation: { url: 'https://example.com/a', title: 'A', start_index: 0, end_index: 6 },
};

it.each<readonly [string, ChatProfileName | undefined, readonly object[], object]>([
  [
    'Groq tells each, with its arguments',
    'groq',
    groq,
    [
      { tool: 'search', input: { query: 'Go' } },
      { tool: 'python', input: { code: 'print(6*7)' } },
    ],
  ],
  [
    'OpenRouter counts them',
    'openrouter',
    [
      chunk({ role: 'assistant', content: 'Found.', annotations: [cited] }, {}, 'stop'),
      { id: 'c', choices: [], usage: { ...usage, server_tool_use: { web_search_requests: 2 } } },
    ],
    [{ tool: 'web_search' }, { tool: 'web_search' }],
  ],
  [
    "of OpenAI's search models annotations are left",
    undefined,
    [
      chunk({ role: 'assistant', content: 'Found.' }),
      chunk({ annotations: [cited] }, {}, 'stop'),
      { id: 'c', choices: [], usage },
    ],
    [{ tool: 'web_search' }],
  ],
  [
    'of xAI, and of Perplexity, citations are left',
    'xai',
    [
      chunk({ role: 'assistant', content: 'Found.' }, { citations: ['https://example.com/a'] }),
      chunk({}, { citations: ['https://example.com/a'], usage }, 'stop'),
    ],
    [{ tool: 'web_search' }],
  ],
  [
    'without any there is none',
    'openrouter',
    [
      chunk(
        { role: 'assistant', content: 'Found.', annotations: [], executed_tools: null },
        { citations: [] },
        'stop',
      ),
      { id: 'c', choices: [], usage: { ...usage, server_tool_use: { web_search_requests: 0 } } },
    ],
    [],
  ],
])('searches that a server of Chat Completions ran are in the log: %s', async (_, profile, chunks, calls) => {
  await using provider = await mockProvider(streams(chunks));
  const model = openaiChat('some', { apiKey: 'k', baseURL: provider.url, profile });
  const { events, output } = await agent({ name: 'scout', model }).run('Look.');
  expect(output).toBe('Found.');
  expect(ofType(events, 'model.answered')[0]?.providerCalls ?? []).toEqual(calls);
});

it('an answer in one piece has the same calls as its stream', async () => {
  const message = { role: 'assistant', content: 'Found.', executed_tools: [search, python] };
  const body = { id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
  const whole = { headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(body)] };
  expect((await answerTo('groq', whole)).providerCalls).toEqual(
    (await answerTo('groq', streams(groq))).providerCalls,
  );
});

it('citations are kept for programs, in the form of their server, and do not go back to it', async () => {
  const results = [{ title: 'A', url: 'https://example.com/a' }];
  const chunks = [
    chunk({ role: 'assistant', content: 'Fou', annotations: [cited] }),
    chunk(
      { content: 'nd.', annotations: [{ ...cited, n: 2 }] },
      { citations: ['x', 'y'], search_results: results },
    ),
    chunk({}, { usage, citations: ['x', 'y'] }, 'stop'),
  ];
  await using provider = await mockProvider(streams(chunks), streams(chunks));
  const model = openaiChat('some', { apiKey: 'k', baseURL: provider.url });
  const { metadata, replay, text } = await ask(model).answer;
  expect(metadata).toEqual({
    responseId: 'c',
    annotations: [cited, { ...cited, n: 2 }],
    citations: ['x', 'y'],
    search_results: results,
  });
  const said = { role: 'assistant', text, replay } as const;
  const messages = transcript({ role: 'user', text: 'Look.' }, said, { role: 'user', text: 'And?' });
  await ask(model, question({ messages })).answer;
  expect(JSON.stringify(provider.requests[1]?.body)).not.toMatch(/citation|annotation|search_results/);
});

it.each([
  [{ executed_tools: 'x' }, undefined],
  [{ executed_tools: [5, { arguments: '{"a"' }] }, [{ tool: 'unknown', input: '{"a"' }]],
  [{ executed_tools: [{ type: {}, arguments: { a: 1 } }] }, [{ tool: 'unknown', input: { a: 1 } }]],
  [{ annotations: { a: 1 }, citations: 'x' }, undefined],
])('what is told of them in another form, %j, harms nothing', async (odd, calls) => {
  const chunks = [
    chunk({ role: 'assistant', content: 'Found.', ...odd }, {}, 'stop'),
    { choices: [], usage },
  ];
  expect(await answerTo('groq', streams(chunks))).toMatchObject({ text: 'Found.', finish: 'stop' });
  expect((await answerTo('groq', streams(chunks))).providerCalls).toEqual(calls);
});

it('a number of searches that cannot be is bounded', async () => {
  for (const [count, listed] of [
    [1e12, 1_000],
    [-3, 0],
    ['many', 0],
  ] as const) {
    const counted = { ...usage, server_tool_use: { web_search_requests: count } };
    const chunks = [chunk({ content: 'Found.' }, {}, 'stop'), { choices: [], usage: counted }];
    expect((await answerTo('openrouter', streams(chunks))).providerCalls ?? []).toHaveLength(listed);
  }
});
