import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { answerCache } from '../../src/runtime/resources/answer-cache.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { play } from './fake-terminal.ts';
import { root } from './run-command.ts';

let folder = '';
let runId = '';
let store: readonly string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-show-call-'));
  store = ['--store', join(folder, 'runs.db')];
  await play(['ask', 'How are retries configured?', join(root, 'docs'), ...store], { folder });
  const { stdout } = await play(['runs', '--json', ...store]);
  ({ runId } = JSON.parse(stdout) as { runId: string });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('troupe show --call', () => {
  test('[FIND-71] shows what a model was sent, what is new in it, and what came back, by number or by key', async () => {
    const { code, stdout } = await play(['show', runId, '--call', '2', ...store]);
    expect(code).toBe(0);
    for (const word of ['Instructions', 'Tools', 'Messages', 'new since the last call', 'Answer', 'sha256'])
      expect(stdout).toContain(word);
    expect(stdout).toContain('retries');
    const key = stdout.split(' · ')[0] ?? '';
    expect((await play(['show', runId, '--call', key.slice(-24), ...store])).stdout).toBe(stdout);
  });

  test('[FIND-71] as JSON has the whole request; a secret of the environment is in neither', async () => {
    const environment = { SECRET_TOKEN: 'How are retries configured?' };
    const { stdout } = await play(['show', runId, '--call', '1', '--json', ...store], { environment });
    const { request, answer } = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
    expect(request).toMatchObject({
      instructions: expect.any(String) as string,
      tools: expect.any(Array) as unknown[],
      messages: expect.any(Array) as unknown[],
    });
    expect(answer).toMatchObject({ type: 'model.answered' });
    expect(stdout).not.toContain('How are retries configured?');
  });

  test.each([
    [['--call', '999'], /--call names no model call of the run: '999'. It has \d+ calls/],
    [['--call', ' '], /--call is empty/],
    [['--call', '1', '--step', '1'], /--step and --call/],
  ])('[FIND-71] says what is wrong with %j', async (args, words) => {
    const { code, stderr } = await play(['show', runId, ...args, ...store]);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  });
});

test('troupe show says of an answer from a cache that its model was not asked, in the steps, the totals and the call', async () => {
  const kept = sqliteStore(join(folder, 'cached.db'));
  const clerk = agent({ name: 'clerk', model: scriptedModel(['30 days.', 'never said']) });
  const options = { store: kept, resources: [answerCache()] };
  await clerk.run('How long?', { ...options, runId: 'first' });
  await clerk.run('How long?', { ...options, runId: 'second' });
  await kept.close();
  const shown = async (...args: readonly string[]): Promise<string> =>
    (await play(['show', ...args, '--store', join(folder, 'cached.db'), '--no-color'])).stdout;
  expect(await shown('first')).not.toContain('cached');
  const second = await shown('second');
  expect(second).toMatch(/clerk +step 0 +cached .*answered "30 days\."/);
  expect(second).toMatch(/1 step · 0 model calls · /);
  expect(await shown('second', '--call', '1')).toMatch(
    /from a cache, the model was not asked; it took \d+ tokens in, \d+ out/,
  );
});
