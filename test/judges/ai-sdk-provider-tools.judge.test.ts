import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { expect, it } from 'vitest';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import { ask, question, weather } from '../support/ask-model.ts';
import { mockProvider } from '../support/mock-provider.ts';
import { streamFetch, wireEvents } from '../support/provider-streams.ts';
import { says } from '../support/wire-answers.ts';

const providerTools = {
  openai: [{ id: 'openai.web_search', args: { searchContextSize: 'low' } }],
  anthropic: [{ id: 'anthropic.web_search_20250305', name: 'web_search', args: { maxUses: 3 } }],
};

it.each([
  [
    'openai-responses',
    (url: string) => createOpenAI({ apiKey: 'sk-mock', baseURL: `${url}/v1` }).responses('gpt-5.5'),
    { type: 'web_search', search_context_size: 'low' },
  ],
  [
    'anthropic',
    (url: string) => createAnthropic({ apiKey: 'sk-mock', baseURL: `${url}/v1` })('claude-sonnet-4-5'),
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
  ],
] as const)(
  '%s: a genuine package declares the tools that its provider runs',
  async (kind, make, declared) => {
    await using provider = await mockProvider(says(kind, 'Hello.'));
    const settings = { providerTools };
    const answer = await ask(aiSdk(make(provider.url)), question({ tools: [weather], settings })).answer;
    expect(answer.text).toBe('Hello.');
    expect(provider.requests[0]?.body).toMatchObject({ tools: [declared, { name: 'weather' }] });
  },
);

it('reads the calls that OpenAI ran as its own adapter does', async () => {
  const file = 'openai/responses/openai-web-search-tool.1.chunks.txt';
  const fetch = streamFetch(wireEvents({ kind: 'openai-responses', file }));
  const model = aiSdk(createOpenAI({ apiKey: 'sk-mock', fetch }).responses('gpt-5.5'));
  const settings = { providerTools };
  const { providerCalls = [] } = await ask(model, question({ settings })).answer;
  expect(providerCalls.length).toBeGreaterThan(0);
  expect(new Set(providerCalls.map(({ tool }) => tool))).toEqual(new Set(['web_search']));
});
