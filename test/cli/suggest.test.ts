import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent } from '../../src/index.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { play } from './fake-terminal.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-suggest-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A store with three equal runs of an agent of that name. */
const keptRuns = async (name: string): Promise<string> => {
  const file = join(folder, `${Math.random()}.db`);
  const store = sqliteStore(file);
  const clerk = agent({ name, model: scriptedModel(['yes', 'yes', 'yes']) });
  for (const runId of ['one', 'two', 'three']) await clerk.run('same', { store, runId });
  await store.close();
  return file;
};

describe('troupe suggest', () => {
  test('[KAIZEN-58] says what was found, on what basis, and which runs show it', async () => {
    const file = await keptRuns('clerk');
    const { code, stdout, stderr } = await play(['suggest', '--store', file], { folder });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines[0]).toMatch(/^cache  proven  saves \d+ % · .* tokens$/);
    expect(lines[1]).toBe("Agent 'clerk' asks its model the same again: give its runs an answerCache().");
    expect(lines[2]).toMatch(/^counted from the recorded requests: of 3 calls, 2 in 2 runs equal/);
    expect(lines[3]).toBe('In 2 runs: two, three');
  });

  test('prints a line of JSON for each suggestion, for the target that is asked for', async () => {
    const file = await keptRuns('clerk');
    const of = async (target: string) => {
      const { stdout } = await play(['suggest', '--store', file, '--json', '--target', target], { folder });
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line));
    };
    expect(await of('latency')).toMatchObject([
      { type: 'cache', agent: 'clerk', proven: true, evidence: { runs: ['two', 'three'], count: 2, of: 3 } },
    ]);
    expect(await of('accuracy')).toEqual([]);
  });

  test('says that there is nothing to suggest, and looks at the newest runs only where that is asked for', async () => {
    const file = await keptRuns('clerk');
    const few = await play(['suggest', '--store', file, '--limit', '2'], { folder });
    expect([few.stdout, few.stderr]).toEqual(['', `Nothing to suggest for cost in sqlite:${file}\n`]);
  });

  test('a hostile name of a model is only text', async () => {
    const file = join(folder, 'hostile.db');
    const store = sqliteStore(file);
    const reply = { text: 'yes', usage: { input: 9, output: 1, billedUsd: 1 } };
    const model = scriptedModel([reply, reply, reply, reply, reply], 'clear\u001B[2J\nthe screen');
    for (let index = 0; index < 5; index += 1)
      await agent({ name: 'clerk', model }).run(`question ${index}`, { store });
    await store.close();
    const { stdout } = await play(['suggest', '--store', file, '--no-color'], { folder });
    expect(stdout).toMatch(/^smaller-model  expected/);
    expect(stdout).not.toContain('\u001B');
    expect(stdout).not.toContain('\nthe screen');
  });
});
