import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { agent, asLanguageModel } from '../../src/index.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkLanguageModel } from '../../src/models/ai-sdk/language-model.ts';
import { ask, question, weather } from '../support/ask-model.ts';
import { event, mockProvider, type Reply } from '../support/mock-provider.ts';

Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);

const named = (data: { type: string } & Record<string, unknown>): string => event(data, data.type);

const chunk = (delta: object, finish: string | null = null): string =>
  event({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const half = [chunk({ role: 'assistant', content: 'Half an ' })];

const call = {
  index: 0,
  id: 'a',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"K"}' },
};

const responses = [
  named({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } }),
  named({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i' } }),
  named({ type: 'response.output_text.delta', item_id: 'i', output_index: 0, delta: 'Half an ' }),
];

const claude = [
  named({
    type: 'message_start',
    message: {
      id: 'm',
      model: 'm',
      role: 'assistant',
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }),
  named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half an ' } }),
];

const gemini = [
  event({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Half an ' }] } }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
  }),
];

const at = (url: string) => ({ apiKey: 'sk-mock', baseURL: `${url}/v1` });

const openai = (url: string) => createOpenAI(at(url)).chat('m');

const cuts: readonly (readonly [string, readonly string[], (url: string) => AiSdkLanguageModel])[] = [
  ['OpenAI, Chat Completions', half, openai],
  ['OpenAI, in a call', [chunk({ role: 'assistant', tool_calls: [call] })], openai],
  ['OpenAI, Responses', responses, (url) => createOpenAI(at(url)).responses('m')],
  ['Anthropic', claude, (url) => createAnthropic(at(url))('m')],
  ['Google', gemini, (url) => createGoogleGenerativeAI(at(url))('m')],
  ['Mistral', half, (url) => createMistral(at(url))('m')],
  ['Groq', half, (url) => createGroq(at(url))('m')],
];

describe.each(cuts)('a stream of the genuine package of %s', (_, pieces, make) => {
  it.each([
    ['ends without a reason', 'end', 'model.malformed'],
    ['breaks off', 'reset', 'model.network'],
  ] as const)(
    'that %s is no answer, and may be tried again, as with an adapter of our own',
    async (__, ending, code) => {
      await using provider = await mockProvider({ pieces, ending });
      const { answer } = ask(aiSdk(make(provider.url)), question({ tools: [weather] }));
      await expect(answer).rejects.toMatchObject({ data: { code, retryable: 'yes' } });
      await expect(answer).rejects.not.toHaveProperty('status', 200);
    },
  );
});

describe('an agent whose model is cut off, as the model of genuine functions of the AI SDK', () => {
  const whole: Reply = {
    pieces: [...half, chunk({ content: 'answer.' }), chunk({}, 'stop'), 'data: [DONE]\n\n'],
  };
  const retry = { attempts: 2, initialWaitMs: 0 };
  const clerk = (url: string, attempts = 2) =>
    asLanguageModel(
      agent({ name: 'clerk', model: aiSdk(openai(url)), failures: { retry: { ...retry, attempts } } }),
    );

  it.each(['end', 'reset'] as const)('answers by the next attempt alone (%s)', async (ending) => {
    await using provider = await mockProvider({ pieces: half, ending }, whole);
    const { text } = await generateText({ model: clerk(provider.url), prompt: 'Hi.', maxRetries: 0 });
    expect([text, provider.requests.length]).toEqual(['Half an answer.', 2]);
  });

  it.each([
    ['end', 'model.malformed'],
    ['reset', 'model.network'],
  ] as const)('fails by the same error without another attempt (%s)', async (ending, code) => {
    const cut: Reply = { pieces: half, ending };
    await using provider = await mockProvider(cut, cut);
    const model = clerk(provider.url, 1);
    await expect(generateText({ model, prompt: 'Hi.', maxRetries: 0 })).rejects.toMatchObject({
      code,
      retryable: 'yes',
      isRetryable: true,
    });
    const { fullStream } = streamText({ model, prompt: 'Hi.', maxRetries: 0, onError: () => {} });
    const parts: { type: string }[] = [];
    for await (const part of fullStream) parts.push(part);
    expect(parts.find(({ type }) => type === 'error')).toMatchObject({ error: { code, isRetryable: true } });
    expect(parts.find(({ type }) => type === 'text-end')).toMatchObject({
      providerMetadata: { troupe: { discarded: true } },
    });
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' });
  });

  it('as the model of another agent: what its own model began is no part of the answer', async () => {
    await using provider = await mockProvider({ pieces: half, ending: 'reset' }, whole);
    const inner: LanguageModelV3 = clerk(provider.url);
    const { text } = await ask(aiSdk(inner), question()).answer;
    expect(text).toBe('Half an answer.');
  });
});
