import Module from 'node:module';
import { describe, expect, test, vi } from 'vitest';
import { a2aAgent } from '../src/a2a/index.ts';
import { nostrPublisher } from '../src/inspect/publishing/nostr.ts';
import { anthropic } from '../src/models/anthropic/anthropic.ts';
import { openaiChat } from '../src/models/openai/openai-chat.ts';
import { openai } from '../src/models/openai/openai.ts';
import { cedar } from '../src/policy/engines/cedar.ts';
import { postgresStore } from '../src/persistence/postgres/postgres-store.ts';
import { acpAgent } from '../src/acp/acp-agent.ts';
import { sqliteStore } from '../src/persistence/sqlite/sqlite-store.ts';
import { answer } from '../src/contracts/agents/decision.ts';
import { memoryStore } from '../src/persistence/memory-store.ts';
import { agent } from '../src/runtime/define/agent.ts';
import { schedules } from '../src/runtime/schedules/schedules.ts';
import { scriptedModel } from '../src/testing/scripted-model.ts';
import { ofType } from './support/runs.ts';

// As it is where nobody has installed the optional packages.
await vi.hoisted(async () => {
  const { withoutPackages } = await import('./support/replace-source.ts');
  withoutPackages([
    'openai',
    '@anthropic-ai/sdk',
    'nostr-tools/pure',
    'pg',
    'croner',
    '@agentclientprotocol/sdk',
    '@cedar-policy/cedar-wasm/nodejs',
    '@a2a-js/sdk/client',
  ]);
});

const models = [
  [openai('gpt-5.5', { apiKey: 'sk' }), 'openai'],
  [openaiChat('llama3.2', { baseURL: 'http://localhost:1' }), 'openai'],
  [anthropic('claude-sonnet-5-5', { apiKey: 'sk' }), '@anthropic-ai/sdk'],
] as const;

describe('[M12] [KAIZEN-31] a provider whose package is not installed', () => {
  test.each(models)('fails the run with what to install, and is not asked again', async (model, name) => {
    await expect(agent({ name: 'clerk', model }).run('Well?')).rejects.toMatchObject({
      code: 'model.package-missing',
      message: expect.stringContaining(`npm install ${name}`),
      path: 'clerk',
      result: { status: 'failed', totals: { retries: 0 } },
    });
  });

  test.each(models)('is fallen back from', async (model) => {
    const result = await agent({ name: 'clerk', model: [model, scriptedModel(['Hello.'])] }).run('Well?');
    expect(result.output).toBe('Hello.');
    expect(ofType(result.events, 'model.fell-back')).toMatchObject([
      { error: { code: 'model.package-missing' } },
    ]);
  });
});

const failure = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return error;
  }
};

describe('a store whose package is missing says so in one line when it is first used', () => {
  test('SQLite, where Node has none of its own', async () => {
    const builtIn = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const required = vi.spyOn(Module.prototype, 'require').mockImplementation(() => {
      throw new Error('Cannot find module');
    });
    for (const [driver, reason] of [
      [undefined, 'this Node has no SQLite of its own, and the package libsql is not installed'],
      ['node', 'this Node has no SQLite of its own'],
      ['libsql', 'the package libsql is not installed'],
    ] as const)
      expect(await failure(() => sqliteStore(':memory:', { driver }).list())).toMatchObject({
        code: 'journal.package-missing',
        message: expect.stringMatching(
          new RegExp(`^Cannot open :memory: as ${reason}.*: run \`npm install libsql\``),
        ),
      });
    builtIn.mockRestore();
    required.mockRestore();
  });

  test('PostgreSQL', async () => {
    const store = postgresStore({ connectionString: 'postgresql://nowhere/x' });
    expect(await failure(() => store.list())).toMatchObject({
      code: 'journal.package-missing',
      message: expect.stringContaining('run `npm install pg`'),
    });
  });
});

test('where nostr-tools is missing, publishing says so in one line when it is first used, and is not tried again', async () => {
  const webSocket = class {} as unknown as typeof WebSocket;
  const publisher = nostrPublisher({ relays: ['ws://127.0.0.1:1'], secretKey: 'a'.repeat(64), webSocket });
  await expect(
    publisher.publish({ runId: 'r', publications: [], dropped: 0 }, new AbortController().signal),
  ).rejects.toMatchObject({
    code: 'publishing.package-missing',
    retryable: 'no',
    message:
      'Cannot publish to Nostr as the package nostr-tools is not installed or does not start: run `npm install nostr-tools`',
  });
});

test('where the package of Cedar is missing, its rule says so in one line when it is made', async () => {
  await expect(cedar({ policies: 'permit (principal, action, resource);' })).rejects.toMatchObject({
    code: 'policy.package-missing',
    message:
      'Cannot load the package @cedar-policy/cedar-wasm as it is not installed or does not start: run `npm install @cedar-policy/cedar-wasm`',
  });
});

test('where croner is missing, a cron expression says so in one line when it is added, and other schedules are kept', async () => {
  await using live = schedules(memoryStore());
  const clerk = agent({ name: 'clerk', decide: () => answer('Done.') });
  await expect(
    live.add({ name: 'digest', agent: clerk, input: 'Go.', when: { cron: '0 8 * * *' } }),
  ).rejects.toMatchObject({
    code: 'schedule.package-missing',
    message:
      'Cannot load the package croner as it is not installed or does not start: run `npm install croner`',
  });
  await live.add({ name: 'pulse', agent: clerk, input: 'Go.', when: { everyMs: 60_000 } });
  expect(await live.list()).toMatchObject([{ name: 'pulse' }]);
});

test('an agent over A2A whose package is not installed fails its run with what to install', async () => {
  await expect(a2aAgent({ name: 'far', url: 'https://agents.example.com' }).run('Go')).rejects.toMatchObject({
    message: expect.stringContaining('npm install @a2a-js/sdk'),
  });
});

test('a coding agent whose protocol is not installed fails the run with what to install', async () => {
  const coder = acpAgent({ name: 'coder', command: process.execPath, cwd: process.cwd() });
  await expect(coder.run('Go.')).rejects.toMatchObject({
    code: 'acp.package-missing',
    message: expect.stringContaining('npm install @agentclientprotocol/sdk'),
  });
});
