import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createGoogleGenerativeAI as createGoogleV2 } from 'ai-sdk-v2-google';
import { createGoogleGenerativeAI as createGoogleV4 } from 'ai-sdk-v4-google';
import { describe, expect, it } from 'vitest';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkLanguageModel } from '../../src/models/ai-sdk/language-model.ts';
import type { MatrixRow } from '../support/matrix-row.ts';
import { event } from '../support/mock-provider.ts';
import { matrixOfPage, matrixRowOf, THOUGHT } from '../support/provider-matrix.ts';
import { comparable } from '../support/recorded-cells.ts';
import { says, type WireAnswer } from '../support/wire-answers.ts';
import {
  genuinePackages,
  readableBy,
  type SpecificationVersion,
  specificationVersions,
} from './ai-sdk-models.ts';

/** An answer as Gemini streams it. */
const geminiSays = ({ text = [], thinking, calls = [] }: WireAnswer) => {
  const signed = thinking === undefined ? {} : { thoughtSignature: thinking.proof };
  const parts = [
    ...(thinking === undefined ? [] : [{ text: thinking.text, thought: true }]),
    ...text.map((each) => ({ text: each })),
    ...calls.map((call, index) => ({
      functionCall: { name: call.name, args: JSON.parse(call.arguments) as object },
      ...(index === 0 ? signed : {}),
    })),
  ];
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const chunk = (each: readonly object[], more: object = {}) =>
    event({ candidates: [{ content: { role: 'model', parts: each }, index: 0, ...more }], usageMetadata });
  return { pieces: [...parts.map((part) => chunk([part])), chunk([{ text: '' }], { finishReason: 'STOP' })] };
};

/** An answer as Mistral and Groq stream it: each call is one piece, and the usage stands in the last one, Groq's beside it. */
const chatSays = ({ text = [], thinking, calls = [] }: WireAnswer, thought: (words: string) => object) => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
    event({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
  const called = calls.map(({ name, arguments: input }, index) => ({
    index,
    id: `aB3dE5fG${index}`,
    type: 'function',
    function: { name, arguments: input },
  }));
  return {
    pieces: [
      ...(thinking === undefined ? [] : [chunk({ role: 'assistant', ...thought(thinking.text) })]),
      ...text.map((content) => chunk({ role: 'assistant', content })),
      ...(called.length === 0 ? [] : [chunk({ role: 'assistant', tool_calls: called })]),
      chunk({}, called.length > 0 ? 'tool_calls' : 'stop', { usage, x_groq: { id: 'r', usage } }),
      'data: [DONE]\n\n',
    ],
  };
};

const mistralThinks = (text: string) => ({
  content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }],
});

const groqThinks = (reasoning: string) => ({ reasoning });

const googles = { v2: createGoogleV2, v3: createGoogleGenerativeAI, v4: createGoogleV4 } as const;

const rowsOf = (version: SpecificationVersion): readonly MatrixRow[] => {
  const { openai, anthropic, mistral, groq } = genuinePackages[version];
  const to = (url: string) => ({ apiKey: 'sk-mock', baseURL: `${url}/v1` });
  const google = (url: string): AiSdkLanguageModel =>
    googles[version]({ apiKey: 'k', baseURL: url })('gemini-3-pro-preview');
  const rows: readonly MatrixRow[] = [
    {
      name: 'aiSdk(openai)',
      make: (url) => aiSdk(openai(to(url), 'gpt-5.5')),
      says: (answer) => says('openai-responses', answer),
      proof: '"encrypted_content":"sealed+/="',
      runs: [{ id: 'openai.web_search', args: {} }, '"type":"web_search"'],
    },
    {
      name: 'aiSdk(anthropic)',
      make: (url) => aiSdk(anthropic(to(url), 'claude-sonnet-4-5')),
      says: (answer) => says('anthropic', answer),
      proof: '"signature":"sealed+/="',
      runs: [
        { id: 'anthropic.web_search_20250305', name: 'web_search', args: {} },
        '"type":"web_search_20250305"',
      ],
    },
    {
      name: 'aiSdk(google)',
      make: (url) => aiSdk(google(url)),
      says: geminiSays,
      proof: '"thoughtSignature":"sealed+/="',
      runs: [{ id: 'google.google_search', args: {} }, '"googleSearch"'],
    },
    {
      name: 'aiSdk(mistral)',
      make: (url) => aiSdk(mistral(to(url), 'mistral-large-latest')),
      says: (answer) => chatSays(answer, mistralThinks),
      proof: THOUGHT,
    },
    {
      name: 'aiSdk(groq)',
      make: (url) => aiSdk(groq(to(url), 'openai/gpt-oss-120b')),
      says: (answer) => chatSays(answer, groqThinks),
      proof: THOUGHT,
      runs: [{ id: 'groq.browser_search', args: {} }, '"browser_search"'],
    },
  ];
  return rows.map((row) => ({ ...row, reads: readableBy(version) }));
};

/** Where a package is other than that of version 3, as the page says below its table. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'v2 aiSdk(anthropic)': { output: 'a tool' },
  'v2 aiSdk(mistral)': { 'cache in totals': '–' },
  'v4 aiSdk(groq)': { output: 'schema, beside tools a tool' },
};

describe.each(specificationVersions)('genuine packages of version %s', (version) => {
  it.each(rowsOf(version))(
    'each cell of the matrix in the documentation is what a run with $name comes to',
    async (row) => {
      expect(comparable(await matrixRowOf(row))).toEqual(
        comparable({ ...matrixOfPage().get(row.name), ...OTHERS[`${version} ${row.name}`] }),
      );
    },
  );
});
