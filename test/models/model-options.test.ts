import { describe, expect, test } from 'vitest';
import type { Model } from '../../src/contracts/models/model.ts';
import { aiSdk, anthropic, openai, openaiChat } from '../../src/models/index.ts';

const languageModel = {
  specificationVersion: 'v3',
  provider: 'openai.responses',
  modelId: 'gpt-5.5',
  doGenerate: () => Promise.reject(new Error('not asked')),
  doStream: () => Promise.reject(new Error('not asked')),
} as const;

type Make = (options: object) => Model;

// As JavaScript would call them: with anything.
const makers: Readonly<
  Record<string, { readonly make: Make; readonly owner: string; readonly own: object }>
> = {
  openai: {
    make: (options) => openai('gpt-5.5', options),
    owner: "the model 'openai:gpt-5.5'",
    own: { cacheKey: 'desk' },
  },
  openaiChat: {
    make: (options) => openaiChat('llama3.2', options),
    owner: "the model 'llama3.2'",
    own: { provider: 'house', profile: 'ollama', stream: false },
  },
  anthropic: {
    make: (options) => anthropic('claude-sonnet-5-5', options),
    owner: "the model 'anthropic:claude-sonnet-5-5'",
    own: {},
  },
  aiSdk: {
    make: (options) => aiSdk(languageModel, options),
    owner: 'a model of the AI SDK',
    own: { providerOptions: { openai: { store: false } }, stream: false },
  },
};

const ofProviders = {
  apiKey: 'k',
  baseURL: 'http://localhost/v1',
  fetch: globalThis.fetch,
  extra: { metadata: { desk: 'a' } },
  dangerouslyAllowBrowser: true,
};
const ofAll = { takes: { media: ['image/*'], inResults: [], links: ['*'] }, headers: { 'x-team': 'desk' } };

describe.each(Object.entries(makers))('options of a model by %s', (name, { make, owner, own }) => {
  const expectRefused = (options: object, problem: string): void => {
    expect(() => make(options)).toThrow(
      expect.objectContaining({ code: 'input.invalid', message: `Cannot define ${owner} as ${problem}` }),
    );
  };

  test('what there is is taken, together and each by itself', () => {
    const all = { ...ofAll, ...(name === 'aiSdk' ? {} : ofProviders), ...own };
    expect(make(all).takes).toEqual(ofAll.takes);
    for (const [option, value] of Object.entries(all)) {
      expect(() => make({ [option]: value })).not.toThrow();
      expect(() => make({ [option]: undefined })).not.toThrow();
    }
  });

  test('an option that there is not is refused, with the nearest that there is', () => {
    expectRefused({ heders: {} }, 'its option `heders` is unknown: did you mean `headers`?');
    expectRefused(
      { defaultHeaders: {} },
      "its option `defaultHeaders` is unknown: write `headers: { 'x-team': 'desk' }`",
    );
  });

  test('what belongs to the agent says so', () => {
    const inAgent = (settings: string): string => `it belongs to the agent: write \`agent({ ${settings} })\``;
    expectRefused(
      { temperature: 0 },
      `its option \`temperature\` is unknown: ${inAgent('settings: { temperature: 0 }')}`,
    );
    expectRefused(
      { max_tokens: 9 },
      `its option \`max_tokens\` is unknown: ${inAgent('settings: { maxOutputTokens: 4_000 }')}`,
    );
    expectRefused(
      { maxRetries: 2 },
      `its option \`maxRetries\` is unknown: ${inAgent('failures: { retry: { attempts: 3 } }')}`,
    );
    expectRefused(
      { timeout: 2 },
      `its option \`timeout\` is unknown: ${inAgent('failures: { retry: { attemptTimeoutMs: 60_000 } }')}`,
    );
  });

  test('what does not fit is refused, with what was found', () => {
    expectRefused({ headers: { a: 1 } }, 'its headers.a is not a string: found 1');
    expectRefused({ takes: ['image/*'] }, 'its takes is not an object: found ["image/*"]');
    expectRefused(
      { takes: { media: 'image/*' } },
      "its takes.media is not a list of media types: found 'image/*', write ['image/*']",
    );
  });
});

test('a stream that is neither on nor off, and a key that is no text, are refused', () => {
  expect(() => makers['aiSdk']?.make({ stream: 'no' })).toThrow("its stream is not a boolean: found 'no'");
  expect(() => makers['openaiChat']?.make({ stream: 1 })).toThrow('its stream is not a boolean: found 1');
  expect(() => makers['openai']?.make({ apiKey: Promise.resolve('k') })).toThrow(
    'its apiKey is not a string: found',
  );
  expect(() => makers['openai']?.make({ extraBody: {} })).toThrow('write `extra: { … }`');
});
