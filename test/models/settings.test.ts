import { beforeAll, describe, expect, it, test } from 'vitest';
import type { Model, ModelAnswer, ModelSettings } from '../../src/contracts/models/model.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkLanguageModel, CallOptions } from '../../src/models/ai-sdk/language-model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { offlineModel } from '../../src/models/offline/offline.ts';
import type { ChatProfileName } from '../../src/models/openai/chat-profiles.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { ask, question, weather } from '../support/ask-model.ts';
import { mockProvider, type SeenRequest } from '../support/mock-provider.ts';
import type { WireKind } from '../support/provider-streams.ts';
import { says } from '../support/wire-answers.ts';

type Make = (url: string) => Model;

const chat =
  (id: string, profile?: ChatProfileName): Make =>
  (baseURL) =>
    openaiChat(id, { apiKey: 'sk-test', baseURL, ...(profile === undefined ? {} : { profile }) });

/** Models by the names that the table has for them, and the wire that each is asked by. */
const models = {
  openai: ['openai-responses', (baseURL: string) => openai('gpt-4.1', { apiKey: 'sk-test', baseURL })],
  'openai, reasoning': [
    'openai-responses',
    (baseURL: string) => openai('gpt-5.5', { apiKey: 'sk-test', baseURL }),
  ],
  chat: ['openai-chat', chat('some-model')],
  'chat, reasoning': ['openai-chat', chat('gpt-5.5')],
  mistral: ['openai-chat', chat('mistral-large-latest', 'mistral')],
  gemini: ['openai-chat', chat('gemini-3-pro', 'gemini')],
  'grok-4': ['openai-chat', chat('grok-4', 'xai')],
  'grok-3': ['openai-chat', chat('grok-3', 'xai')],
  ollama: ['openai-chat', chat('qwen3', 'ollama')],
  vllm: ['openai-chat', chat('qwen3', 'vllm')],
  anthropic: [
    'anthropic',
    (baseURL: string) => anthropic('claude-sonnet-5-5', { apiKey: 'sk-test', baseURL }),
  ],
  'anthropic, before 4.6': [
    'anthropic',
    (baseURL: string) => anthropic('claude-sonnet-4-5', { apiKey: 'sk-test', baseURL }),
  ],
} as const satisfies Readonly<Record<string, readonly [WireKind, Make]>>;

type Name = keyof typeof models;

interface Sent {
  readonly request: SeenRequest;
  readonly answer: ModelAnswer;
}

const send = async (name: Name, settings: ModelSettings): Promise<Sent> => {
  const [kind, make] = models[name];
  await using provider = await mockProvider(says(kind, 'Hello.'));
  const { toolChoice } = settings;
  const asked = question({ tools: [weather], settings, ...(toolChoice === undefined ? {} : { toolChoice }) });
  const answer = await ask(make(provider.url), asked).answer;
  const [request] = provider.requests;
  if (request === undefined) throw new Error('nothing was asked');
  return { request, answer };
};

const all = Object.keys(models) as Name[];
const but = (...others: readonly Name[]): readonly Name[] => all.filter((name) => !others.includes(name));
const everywhere = (field: string, value: unknown, ...names: readonly Name[]): Expected =>
  Object.fromEntries(names.map((name) => [name, { [field]: value }]));

/** What a model is sent; a model that is missing is sent nothing, and says so. */
type Expected = { readonly [Of in Name]?: Readonly<Record<string, unknown>> };

const CLAUDE: readonly Name[] = ['anthropic', 'anthropic, before 4.6'];
const RESPONSES: readonly Name[] = ['openai', 'openai, reasoning'];
const REASONING: readonly Name[] = ['openai, reasoning', 'chat, reasoning'];

const table: readonly (readonly [string, ModelSettings, Expected])[] = [
  [
    'maxOutputTokens',
    { maxOutputTokens: 9 },
    {
      ...everywhere('max_tokens', 9, ...all),
      ...everywhere('max_output_tokens', 9, ...RESPONSES),
      'chat, reasoning': { max_completion_tokens: 9 },
    },
  ],
  ['temperature', { temperature: 0 }, everywhere('temperature', 0, ...but(...REASONING, 'anthropic'))],
  ['topP', { topP: 0.5 }, everywhere('top_p', 0.5, ...but(...REASONING, 'anthropic'))],
  ['topK', { topK: 5 }, everywhere('top_k', 5, 'vllm', 'anthropic, before 4.6')],
  [
    'stop',
    { stop: ['END'] },
    {
      ...everywhere('stop', ['END'], ...but(...RESPONSES, 'chat, reasoning', 'grok-4', ...CLAUDE)),
      ...everywhere('stop_sequences', ['END'], ...CLAUDE),
    },
  ],
  [
    'seed',
    { seed: 7 },
    {
      ...everywhere('seed', 7, ...but(...RESPONSES, 'gemini', ...CLAUDE)),
      mistral: { random_seed: 7 },
    },
  ],
  [
    'presencePenalty',
    { presencePenalty: 1 },
    everywhere('presence_penalty', 1, 'chat', 'mistral', 'ollama', 'vllm'),
  ],
  [
    'frequencyPenalty',
    { frequencyPenalty: -1 },
    everywhere('frequency_penalty', -1, 'chat', 'mistral', 'ollama', 'vllm'),
  ],
  [
    'parallelCalls',
    { parallelCalls: false },
    {
      ...everywhere('parallel_tool_calls', false, ...but('ollama', ...CLAUDE)),
      ...everywhere('tool_choice', { type: 'auto', disable_parallel_tool_use: true }, ...CLAUDE),
    },
  ],
  [
    'toolChoice',
    { toolChoice: 'required' },
    {
      ...everywhere('tool_choice', 'required', ...but(...CLAUDE)),
      mistral: { tool_choice: 'any' },
      ...everywhere('tool_choice', { type: 'any' }, ...CLAUDE),
    },
  ],
  [
    'reasoning.effort',
    { reasoning: { effort: 'low' } },
    {
      ...everywhere('reasoning_effort', 'low', ...but('openai', 'mistral', 'grok-4', 'grok-3')),
      'openai, reasoning': { reasoning: { effort: 'low' } },
      anthropic: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      'anthropic, before 4.6': { thinking: { type: 'enabled', budget_tokens: 2_048 }, max_tokens: 10_240 },
    },
  ],
  [
    'reasoning.budgetTokens',
    { reasoning: { budgetTokens: 3_000 } },
    {
      'anthropic, before 4.6': { thinking: { type: 'enabled', budget_tokens: 3_000 }, max_tokens: 11_192 },
    },
  ],
  ['serviceTier', { serviceTier: 'auto' }, everywhere('service_tier', 'auto', ...but('mistral', 'ollama'))],
];

/** The fields of the body that a request has for its settings. */
const fieldsOf = ({ request }: Sent, plain: Sent): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(request.body).filter(
      ([field, value]) => JSON.stringify(plain.request.body[field]) !== JSON.stringify(value),
    ),
  );

describe('each setting is a field of the request, or said to be left out', () => {
  let plain: ReadonlyMap<Name, Sent>;
  beforeAll(async () => {
    plain = new Map(await Promise.all(all.map(async (name) => [name, await send(name, {})] as const)));
  });

  it.each(table)('%s', async (setting, settings, expected) => {
    const found = await Promise.all(
      all.map(async (name) => {
        const sent = await send(name, settings);
        const without = plain.get(name);
        if (without === undefined) throw new Error(`${name} was not asked without settings`);
        return [name, fieldsOf(sent, without), Object.keys(sent.answer.omitted ?? {})];
      }),
    );
    expect(found).toEqual(
      all.map((name) => [name, expected[name] ?? {}, expected[name] === undefined ? [setting] : []]),
    );
  });
});

test.each(all)('headers and provider options go along, and the latter win: %s', async (name) => {
  const [, make] = models[name];
  const { provider } = make('http://127.0.0.1:1');
  const { request, answer } = await send(name, {
    headers: { 'x-team': 'desk' },
    providerOptions: { [provider]: { metadata: { of: name }, stream: true }, other: { not: 'sent' } },
  });
  expect(request.headers['x-team']).toBe('desk');
  expect(request.body).toMatchObject({ metadata: { of: name } });
  expect(request.body).not.toHaveProperty('not');
  expect(answer.omitted).toEqual({ 'providerOptions.other': `its provider is '${provider}'` });
});

test('a tool is forced by its name, one call at a time', async () => {
  const settings = { toolChoice: { name: 'weather' }, parallelCalls: false };
  expect((await send('openai', settings)).request.body['tool_choice']).toEqual({
    type: 'function',
    name: 'weather',
  });
  expect((await send('anthropic', settings)).request.body['tool_choice']).toEqual({
    type: 'tool',
    name: 'weather',
    disable_parallel_tool_use: true,
  });
});

test('a Claude model thinks or takes a temperature, and takes one of two ways to draw', async () => {
  const old = 'anthropic, before 4.6';
  const thinking = await send(old, { reasoning: 'low', temperature: 0 });
  const reason = 'it takes none while it thinks: leave `reasoning` out for it';
  expect(thinking.answer.omitted).toEqual({ temperature: reason });
  const both = await send(old, { temperature: 0, topP: 0.5 });
  expect(both.request.body).toMatchObject({ temperature: 0 });
  expect(both.answer.omitted).toEqual({ topP: 'it takes either that or `temperature`' });
  const hot = await send(old, { temperature: 1.5 });
  expect(hot.request.body).not.toHaveProperty('temperature');
  const forced = await send(old, { reasoning: 'low', temperature: 0, toolChoice: 'required' });
  expect(forced.request.body).not.toHaveProperty('thinking');
  expect(forced.request.body).toMatchObject({ temperature: 0 });
  expect(Object.keys(forced.answer.omitted ?? {})).toEqual(['reasoning.effort']);
  const little = await send(old, { reasoning: { budgetTokens: 10 }, temperature: 0 });
  expect(little.request.body).toMatchObject({ temperature: 0 });
  expect(little.answer.omitted).toEqual({
    'reasoning.budgetTokens': expect.stringMatching(/1024 tokens/) as string,
  });
  const tier = await send('anthropic', { serviceTier: 'flex' });
  expect(tier.answer.omitted).toEqual({ serviceTier: 'it takes `auto` or `standard_only`' });
});

test('a server of a profile of its own is sent nothing that it refuses, and each refusal is said', async () => {
  await using provider = await mockProvider(says('openai-chat', 'Hello.'));
  const profile = { name: 'ours', refuses: ['tool_choice', 'seed'], accepts: ['top_k'] } as const;
  const model = openaiChat('some-model', { apiKey: 'sk-test', baseURL: provider.url, profile });
  const settings: ModelSettings = { toolChoice: 'required', seed: 7, topK: 5 };
  const answer = await ask(model, question({ tools: [weather], toolChoice: 'required', settings })).answer;
  const body = provider.requests[0]?.body ?? {};
  expect([body['tool_choice'], body['seed'], body['top_k']]).toEqual([undefined, undefined, 5]);
  expect(answer.omitted).toEqual({
    toolChoice: 'ours does not take `tool_choice`',
    seed: 'ours does not take `seed`',
  });
});

test('a number of calls at once means nothing to a request without tools', async () => {
  await using provider = await mockProvider(says('openai-chat', 'Hello.'));
  const settings = { parallelCalls: false };
  const model = openaiChat('some-model', { apiKey: 'sk-test', baseURL: provider.url });
  const answer = await ask(model, question({ settings })).answer;
  expect(provider.requests[0]?.body).not.toHaveProperty('parallel_tool_calls');
  expect(answer.omitted).toBeUndefined();
});

const EVERY: ModelSettings = {
  maxOutputTokens: 9,
  temperature: 0,
  topP: 0.5,
  topK: 5,
  stop: ['END'],
  seed: 7,
  presencePenalty: 1,
  frequencyPenalty: -1,
  parallelCalls: false,
  reasoning: { effort: 'low', budgetTokens: 3_000 },
  serviceTier: 'flex',
  headers: { 'x-team': 'desk' },
  providerOptions: { openai: { user: 'ann' } },
};

describe('aiSdk', () => {
  const askSdk = async (
    settings: ModelSettings,
    { version = 'v3', provider = 'openai.responses', warnings = [] as readonly object[] } = {},
  ) => {
    const asked: CallOptions[] = [];
    const model: AiSdkLanguageModel = {
      specificationVersion: version,
      provider,
      modelId: 'claude-sonnet-4-5',
      doStream: (options) => {
        asked.push(options as CallOptions);
        const stream = new ReadableStream<object>({
          start: (controller) => {
            controller.enqueue({ type: 'stream-start', warnings });
            controller.enqueue({ type: 'finish', usage: {}, finishReason: { unified: 'stop' } });
            controller.close();
          },
        });
        return Promise.resolve({ stream });
      },
      doGenerate: () => Promise.reject(new Error('not asked')),
    };
    const answer = await ask(aiSdk(model), question({ tools: [weather], settings })).answer;
    const [call] = asked;
    if (call === undefined) throw new Error('nothing was asked');
    const { prompt: _prompt, abortSignal: _signal, tools: _tools, ...options } = call;
    return { options, omitted: answer.omitted };
  };

  it('hands on each setting by the name that the specification or the vendor has for it', async () => {
    const { options, omitted } = await askSdk(EVERY);
    expect(options).toEqual({
      maxOutputTokens: 9,
      temperature: 0,
      topP: 0.5,
      topK: 5,
      stopSequences: ['END'],
      seed: 7,
      presencePenalty: 1,
      frequencyPenalty: -1,
      headers: { 'x-team': 'desk' },
      providerOptions: {
        openai: {
          store: false,
          reasoningEffort: 'low',
          parallelToolCalls: false,
          serviceTier: 'flex',
          user: 'ann',
        },
      },
    });
    expect(Object.keys(omitted ?? {})).toEqual(['reasoning.budgetTokens']);
  });

  it.each([
    ['v4', 'openai', 'low', { reasoning: 'low' }],
    ['v4', 'anthropic', { budgetTokens: 3_000 }, { thinking: { type: 'enabled', budgetTokens: 3_000 } }],
    ['v3', 'google', { budgetTokens: 3_000 }, { thinkingBudget: 3_000 }],
    ['v3', 'google', 'low', { thinkingLevel: 'low' }],
  ] as const)('%s of %s reasons as its vendor has it: %j', async (version, provider, reasoning, expected) => {
    const { options, omitted } = await askSdk({ reasoning }, { version, provider });
    const own = options.providerOptions?.[provider] ?? {};
    expect({ ...options, ...own, ...Object(own['thinkingConfig']) }).toMatchObject(expected);
    expect(omitted).toBeUndefined();
  });

  it('says what no option of the vendor is known for, and what the package warns of', async () => {
    const warnings = [
      { type: 'unsupported', feature: 'reasoningEffort', details: 'it does not reason' },
      { type: 'unsupported-setting', setting: 'topK' },
      { type: 'unsupported', feature: 'stopSequences', details: 'no stops here' },
      { type: 'unsupported', feature: 'seed' },
      { type: 'other', message: 'take care' },
    ];
    const settings = {
      parallelCalls: true,
      serviceTier: 'x',
      reasoning: 'low',
      topK: 1,
      stop: ['a'],
    } as const;
    const { omitted } = await askSdk(settings, { version: 'v4', provider: 'acme.chat', warnings });
    const known = 'no option of its vendor is known for it: use `providerOptions`';
    expect(omitted).toEqual({
      topK: 'its package does not support it',
      stop: 'no stops here',
      'reasoning.effort': 'it does not reason',
      parallelCalls: known,
      serviceTier: known,
    });
  });
});

test('the offline model takes any settings, and none of them changes its answer', async () => {
  const plain = await ask(offlineModel(), question()).answer;
  expect(await ask(offlineModel(), question({ settings: EVERY })).answer).toEqual(plain);
});
