import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { expect, it } from 'vitest';
import type { ModelSettings } from '../../src/contracts/models/model.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import { ask, question, weather } from '../support/ask-model.ts';
import { mockProvider } from '../support/mock-provider.ts';
import { says } from '../support/wire-answers.ts';

const settings: ModelSettings = {
  temperature: 0.5,
  topK: 5,
  stop: ['END'],
  seed: 7,
  parallelCalls: false,
  reasoning: { effort: 'low', budgetTokens: 3_000 },
  serviceTier: 'flex',
  headers: { 'x-team': 'desk' },
};

const openai = (url: string) => createOpenAI({ apiKey: 'sk-mock', baseURL: `${url}/v1` });
const anthropic = (url: string) => createAnthropic({ apiKey: 'sk-mock', baseURL: `${url}/v1` });

const genuine = [
  [
    'openai-responses',
    (url: string) => openai(url).responses('gpt-4.1'),
    { temperature: 0.5, parallel_tool_calls: false },
    ['topK', 'seed', 'stop', 'reasoning.effort', 'serviceTier', 'reasoning.budgetTokens'],
  ],
  [
    'openai-responses',
    (url: string) => openai(url).responses('gpt-5.5'),
    { parallel_tool_calls: false, service_tier: 'flex', reasoning: { effort: 'low' } },
    ['topK', 'seed', 'stop', 'temperature', 'reasoning.budgetTokens'],
  ],
  [
    'openai-chat',
    (url: string) => openai(url).chat('gpt-5.5'),
    { parallel_tool_calls: false, stop: ['END'], seed: 7, service_tier: 'flex', reasoning_effort: 'low' },
    ['topK', 'temperature', 'reasoning.budgetTokens'],
  ],
  [
    'anthropic',
    (url: string) => anthropic(url)('claude-sonnet-4-5'),
    {
      stop_sequences: ['END'],
      thinking: { type: 'enabled', budget_tokens: 3_000 },
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    ['seed', 'temperature', 'topK', 'serviceTier'],
  ],
] as const;

it.each(genuine)(
  '%s: what a genuine package sends, and what it leaves out',
  async (kind, make, sent, left) => {
    await using provider = await mockProvider(says(kind, 'Hello.'));
    const answer = await ask(aiSdk(make(provider.url)), question({ tools: [weather], settings })).answer;
    const [request] = provider.requests;
    expect(request?.body).toMatchObject(sent);
    expect(request?.headers['x-team']).toBe('desk');
    expect(Object.keys(answer.omitted ?? {})).toEqual(left);
  },
);
