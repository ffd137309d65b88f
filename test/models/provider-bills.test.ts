import { describe, expect, it } from 'vitest';
import { totalsParts } from '../../src/cli/words/ending.ts';
import { noTotals } from '../../src/contracts/events/no-totals.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { addTotals } from '../../src/events/progress/add-totals.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkLanguageModel } from '../../src/models/ai-sdk/language-model.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { genaiPrices } from '../../src/models/genai-prices.ts';
import { modelAnswer } from '../../src/models/index.ts';
import type { ChatProfile } from '../../src/models/openai/chat-profile.ts';
import type { ChatProfileName } from '../../src/models/openai/chat-profiles.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { ask } from '../support/ask-model.ts';
import { describeWithFixtures } from '../support/fixtures.ts';
import { event, mockProvider, type Reply } from '../support/mock-provider.ts';
import { streamFetch, wireEvents } from '../support/provider-streams.ts';
import { ofType } from '../support/runs.ts';
import { goOn } from '../support/stored-runs.ts';

const json = (body: object): Reply => ({
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(body)],
});

/** A stream of Chat Completions with this usage. */
const chat = (usage: object): Reply => ({
  pieces: [
    event({
      id: 'c',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    }),
    event({ id: 'c', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, ...usage } }),
    'data: [DONE]\n\n',
  ],
});

const runWith = async (reply: Reply, model: (url: string) => Model, options: RunOptions = {}) => {
  await using provider = await mockProvider(reply);
  return await agent({ name: 'clerk', model: model(provider.url) }).run('Hello?', options);
};

const at =
  (profile: ChatProfileName | ChatProfile, id = 'openai/gpt-4o') =>
  (baseURL: string) =>
    openaiChat(id, { apiKey: 'k', baseURL, profile });

describe('the price that a provider states', () => {
  it.each([
    [
      'of OpenRouter, in credits',
      'openrouter',
      { cost: 0.95, cost_details: { upstream_inference_cost: 0 } },
      0.95,
    ],
    [
      "of OpenRouter, with a key of the app's own",
      'openrouter',
      { cost: 0.05, is_byok: true, cost_details: { upstream_inference_cost: 1 } },
      1.05,
    ],
    ['of xAI, in ticks', 'xai', { cost_in_usd_ticks: 37_756_000 }, 0.0037756],
    ['of nothing at all', 'openrouter', { cost: 0 }, 0],
  ] as const)('%s counts in place of the computed one, and is marked', async (_, profile, usage, billed) => {
    const { totals, events } = await runWith(chat(usage), at(profile));
    expect(totals).toMatchObject({ costUsd: billed, billedUsd: billed });
    expect(ofType(events, 'model.answered')[0]).toMatchObject({
      costUsd: billed,
      usage: { billedUsd: billed },
    });
    expect(events.reduce(addTotals, noTotals)).toEqual(totals);
  });

  it('counts for a model that no list knows, and within a budget', async () => {
    const limits = { budget: { usd: 0.5, unpriced: 'ignore' } } as const;
    const { totals } = await runWith(chat({ cost: 0.2 }), at('openrouter', 'nobody/knows'), { limits });
    expect(totals).toMatchObject({ costUsd: 0.2 });
    expect(totals).not.toHaveProperty('unpriced');
  });

  it.each([-1, '0.95', null, Number.MAX_VALUE * 10, { total: 1 }])(
    'that is none, %j, is not taken',
    async (cost) => {
      const { totals } = await runWith(chat({ cost }), at('openrouter'));
      expect(totals).not.toHaveProperty('billedUsd');
      expect(totals.costUsd).toBeGreaterThan(0);
    },
  );

  it('is not read where no profile says how', async () => {
    const { totals } = await runWith(chat({ cost: 0.95, cost_in_usd_ticks: 5 }), at('together', 'some'));
    expect(totals).not.toHaveProperty('billedUsd');
  });

  it('is read as a profile of an app says', async () => {
    const ours: ChatProfile = { name: 'ours', bill: ({ cents }) => Number(cents) / 100 };
    expect((await runWith(chat({ cents: 7 }), at(ours))).totals).toMatchObject({
      costUsd: 0.07,
      billedUsd: 0.07,
    });
    const odd = { name: 'ours', bill: 'cost' };
    expect(() => openaiChat('some', { profile: odd as unknown as ChatProfile })).toThrow(
      'its \'bill\' is "cost": it must be openrouter, xai or a function of the usage',
    );
  });

  it('is that of a resumed run, too, and goes with computed ones into one sum', async () => {
    const store = memoryStore();
    const model: Model = {
      provider: 'example',
      id: 'one',
      answer: ({ messages }) =>
        messages.length < 2
          ? modelAnswer({ text: 'Go on.', finish: 'pause', usage: { input: 1, output: 1, billedUsd: 0.25 } })
          : modelAnswer({ text: 'Done.', usage: { input: 1, output: 1 } }),
    };
    const clerk = agent({ name: 'clerk', model });
    const prices = { name: 'ours', cost: () => 0.5 };
    const { totals, runId, events } = await clerk.run('go', { store, prices });
    expect(totals).toMatchObject({ costUsd: 0.75, billedUsd: 0.25 });
    expect((await (await goOn(store, clerk, runId, {})).result).events).toEqual(events);
    expect(totalsParts(totals).join(' · ')).toContain('$0.75, of it $0.25 billed');
    expect(totalsParts({ ...totals, costUsd: 0.25 }).join(' · ')).toContain('$0.25 billed');
  });

  it.each([
    ['xai.chat', { usage: { raw: { cost_in_usd_ticks: 10_000_000_000 } } }, 1],
    ['openrouter', { providerMetadata: { openrouter: { usage: { cost: 0.3 } } } }, 0.3],
    ['gateway', { providerMetadata: { gateway: { cost: '0.0045' } } }, 0.0045],
    ['gateway', { providerMetadata: { gateway: {} } }, undefined],
  ])('to a package of the AI SDK for %s is read from what it hands on', async (provider, more, billed) => {
    const usage = {
      inputTokens: { total: 3 },
      outputTokens: { total: 2 },
      ...('usage' in more ? more.usage : {}),
    };
    const whole = {
      content: [{ type: 'text', text: 'Hi.' }],
      finishReason: { unified: 'stop' },
      warnings: [],
    };
    const model = {
      specificationVersion: 'v3',
      provider,
      modelId: 'some',
      doStream: () => Promise.reject(new Error('is not streamed')),
      doGenerate: () => Promise.resolve({ ...whole, ...more, usage }),
    } as AiSdkLanguageModel;
    const answer = await ask(aiSdk(model, { stream: false })).answer;
    expect(answer.usage.billedUsd).toBe(billed);
  });
});

describe('searches that a provider charges one by one', () => {
  const search = (type: string, id: string) => ({
    type: 'web_search_call',
    id,
    status: 'completed',
    action: type === 'search' ? { type, query: 'x' } : { type, url: 'https://example.com' },
  });
  const words = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hi.' }],
  };

  it('of OpenAI are priced by the list, but for pages that were only opened', async () => {
    const files = { type: 'file_search_call', id: 'f', status: 'completed', queries: ['x'] };
    const output = [search('search', 'a'), search('open_page', 'b'), search('search', 'c'), files, words];
    const usage = { input_tokens: 1_000, output_tokens: 10 };
    const reply = json({ object: 'response', id: 'r', status: 'completed', output, usage });
    const { totals, events } = await runWith(reply, (baseURL) => openai('gpt-5', { apiKey: 'k', baseURL }));
    const list = await genaiPrices();
    const tokens = list.cost({ provider: 'openai', id: 'gpt-5' }, { input: 1_000, output: 10 }) ?? 0;
    expect(ofType(events, 'model.answered')[0]?.usage).toMatchObject({ webSearches: 2, fileSearches: 1 });
    expect(totals.costUsd).toBeCloseTo(tokens + 2 * 0.01 + 0.0025, 10);
    expect(totals).not.toHaveProperty('billedUsd');
  });

  it('of Anthropic are priced by the list', async () => {
    const reply = json({
      type: 'message',
      id: 'm',
      content: [{ type: 'text', text: 'Hi.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1_000, output_tokens: 10, server_tool_use: { web_search_requests: 3 } },
    });
    const id = 'claude-sonnet-4-5';
    const { totals } = await runWith(reply, (baseURL) => anthropic(id, { apiKey: 'k', baseURL }));
    const list = await genaiPrices();
    const tokens = list.cost({ provider: 'anthropic', id }, { input: 1_000, output: 10 }) ?? 0;
    expect(totals.costUsd).toBeCloseTo(tokens + 3 * 0.01, 10);
  });
});

describeWithFixtures('prices that were recorded', 'provider-streams', () => {
  it('are those of xAI, by both of its APIs', async () => {
    const text = { kind: 'openai-chat', file: 'xai/main/xai-text.chunks.txt' } as const;
    const fetch = streamFetch(wireEvents(text));
    const { usage } = await ask(openaiChat('grok', { apiKey: 'k', profile: 'xai', fetch })).answer;
    expect(usage.billedUsd).toBe(1_466_250 / 1e10);
    const image = {
      kind: 'openai-responses',
      file: 'xai/responses/xai-image-generation-tool.1.chunks.txt',
    } as const;
    const second = await ask(openai('grok', { apiKey: 'k', fetch: streamFetch(wireEvents(image)) })).answer;
    expect(second.usage.billedUsd).toBe(123_456 / 1e10);
  });
});
