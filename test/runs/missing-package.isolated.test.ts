import { describe, expect, it, vi } from 'vitest';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { ofType } from '../support/runs.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

// As it is where nobody has installed the optional packages.
vi.mock('openai', () => {
  throw Object.assign(new Error("Cannot find package 'openai'"), { code: 'ERR_MODULE_NOT_FOUND' });
});
vi.mock('@anthropic-ai/sdk', () => {
  throw Object.assign(new Error("Cannot find package '@anthropic-ai/sdk'"), { code: 'ERR_MODULE_NOT_FOUND' });
});

const models = [
  [openai('gpt-5.5', { apiKey: 'sk' }), 'openai'],
  [openaiChat('llama3.2', { baseURL: 'http://localhost:1' }), 'openai'],
  [anthropic('claude-sonnet-5-5', { apiKey: 'sk' }), '@anthropic-ai/sdk'],
] as const;

describe('[M12] [KAIZEN-31] a provider whose package is not installed', () => {
  it.each(models)('fails the run with what to install, and is not asked again', async (model, name) => {
    await expect(agent({ name: 'clerk', model }).run('Well?')).rejects.toMatchObject({
      code: 'model.package-missing',
      message: expect.stringContaining(`npm install ${name}`),
      path: 'clerk',
      result: { status: 'failed', totals: { retries: 0 } },
    });
  });

  it.each(models)('is fallen back from', async (model) => {
    const result = await agent({ name: 'clerk', model: [model, scriptedModel(['Hello.'])] }).run('Well?');
    expect(result.output).toBe('Hello.');
    expect(ofType(result.events, 'model.fell-back')).toMatchObject([
      { error: { code: 'model.package-missing' } },
    ]);
  });
});
