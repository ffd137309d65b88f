import { describe, expect, it } from 'vitest';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { loadPackage } from '../../src/contracts/errors/load-package.ts';
import { defaultModelIds, resolveModel } from '../../src/models/model-registry.ts';
import { ask, question, transcript } from '../support/ask-model.ts';
import { event, mockProvider } from '../support/mock-provider.ts';

const chosen = (environment: Record<string, string>): string => {
  const { provider, id } = resolveModel(undefined, environment);
  return `${provider}:${id}`;
};

const address = 'http://localhost:11434/v1';

describe('[DODO-11] the environment chooses the model', () => {
  it.each([
    [{}, 'offline:offline'],
    [{ OPENAI_API_KEY: ' ' }, 'offline:offline'],
    [{ OPENAI_API_KEY: 'k' }, `openai:${defaultModelIds.openai}`],
    [{ OPENAI_API_KEY: 'k', OPENAI_MODEL: 'gpt-5.4-mini' }, 'openai:gpt-5.4-mini'],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, `openai:${defaultModelIds.openai}`],
    [
      { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://eu.api.openai.com/v1' },
      `openai:${defaultModelIds.openai}`,
    ],
    [
      { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://openrouter.ai/api/v1', OPENAI_MODEL: 'm' },
      'compatible:m',
    ],
    [{ ANTHROPIC_API_KEY: 'k' }, `anthropic:${defaultModelIds.anthropic}`],
    [{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_MODEL: 'claude-haiku-5-5' }, 'anthropic:claude-haiku-5-5'],
    [{ ANTHROPIC_API_KEY: 'k', OPENAI_BASE_URL: address }, `anthropic:${defaultModelIds.anthropic}`],
    [{ OPENAI_BASE_URL: address }, `compatible:${defaultModelIds.compatible}`],
    [{ OPENAI_BASE_URL: address, OPENAI_MODEL: 'qwen3:8b' }, 'compatible:qwen3:8b'],
    [{ TROUPE_MODEL: 'offline', OPENAI_API_KEY: 'k' }, 'offline:offline'],
    [{ TROUPE_MODEL: 'anthropic:claude-opus-5-5', OPENAI_API_KEY: 'k' }, 'anthropic:claude-opus-5-5'],
  ] as [Record<string, string>, string][])('%j: %s', (environment, expected) => {
    expect(chosen(environment)).toBe(expected);
  });
});

describe('a model by its name', () => {
  it.each([
    ['openai:gpt-5.5', 'openai:gpt-5.5'],
    ['anthropic', `anthropic:${defaultModelIds.anthropic}`],
    ['compatible:llama3.2:3b', 'compatible:llama3.2:3b'],
    [' OpenAI : gpt-5.5 ', 'openai:gpt-5.5'],
  ])('%j is %s', (name, expected) => {
    const { provider, id } = resolveModel(name, { OPENAI_BASE_URL: address });
    expect(`${provider}:${id}`).toBe(expected);
  });

  it('that was made already is itself', () => {
    const model = { provider: 'mine', id: 'mine', answer: () => modelAnswer({}) };
    expect(resolveModel(model)).toBe(model);
  });

  it.each(['gpt-5.5', 'gemeni:pro', 'constructor:x', ''])(
    '[DODO-11] %j, of no provider, is an error that lists them',
    (name) => {
      expect(() => resolveModel(name, {})).toThrow(
        expect.objectContaining({
          code: 'model.unknown',
          message: expect.stringContaining('providers are openai, anthropic, compatible, offline') as string,
        }),
      );
    },
  );

  it.each([
    ['gpt-5', "as it names no provider: did you mean 'openai:gpt-5'?"],
    ['Claude-Sonnet-5-5', "did you mean 'anthropic:Claude-Sonnet-5-5'?"],
    ['o3-mini', "did you mean 'openai:o3-mini'?"],
    ['mistral-large-latest', "did you mean 'mistral:mistral-large-latest'?"],
    ['llama3.2', "did you mean 'ollama:llama3.2'?"],
    ['openia', "did you mean 'openai'?"],
    ['gemeni:pro', "as there is no provider 'gemeni': did you mean 'gemini:pro'?"],
    ['ours', 'as it names no provider: write provider:model'],
  ])('[FIND-42] %j is refused with what was probably meant', (name, hint) => {
    expect(() => resolveModel(name, {})).toThrow(hint);
  });

  it('of a compatible server needs its address', () => {
    expect(() => resolveModel('compatible:x', {})).toThrow(
      expect.objectContaining({ code: 'model.missing' }),
    );
  });

  it('takes keys and addresses from the environment it is given', async () => {
    const chunk = event({ choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] });
    await using provider = await mockProvider({ pieces: [chunk] });
    const model = resolveModel('compatible:x', {
      OPENAI_BASE_URL: `${provider.url}/v1`,
      OPENAI_API_KEY: 'mine',
    });
    expect((await ask(model).answer).text).toBe('Hi.');
    expect(provider.requests[0]?.headers).toMatchObject({ authorization: 'Bearer mine' });
  });

  it('offline says that it is no language model, and answers without a key', async () => {
    const model = resolveModel('offline', {});
    expect(model.isLanguageModel).toBe(false);
    const request = question({ messages: transcript({ role: 'user', text: 'What is 19 + 23?' }) });
    expect((await ask(model, request).answer).text).not.toBe('');
  });
});

it('a package that is not there is named, with the command that installs it', async () => {
  const missing = Object.assign(new Error("Cannot find package 'openai'"), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadPackage('openai', () => Promise.reject(missing))).rejects.toMatchObject({
    code: 'model.package-missing',
    retryable: 'no',
    message:
      'Cannot load the package openai as it is not installed or does not start: run `npm install openai`',
    cause: missing,
  });
});

it('importing the adapters loads no provider SDK', async () => {
  const { readFile, readdir } = await import('node:fs/promises');
  const room = new URL('../../src/models/', import.meta.url);
  for (const file of (await readdir(room, { recursive: true })).filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(new URL(file, room), 'utf8');
    expect(text, file).not.toMatch(/^import (?!type)[^;]*from '(openai|@anthropic-ai)/m);
  }
});
