import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Model } from '../../src/contracts/models/model.ts';
import { agent } from '../../src/index.ts';
import { offlineModel } from '../../src/models/offline/offline.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

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

/** A store with five runs of the agent `priced`, by a model that says in few words, for money, what the offline model says. */
const pricedRuns = async (says: (text: string) => string): Promise<string> => {
  const file = join(folder, `${Math.random()}.db`);
  const store = sqliteStore(file);
  const offline = offlineModel();
  const model: Model = {
    provider: 'acme',
    id: 'large',
    answer: async (request, call) => {
      const answer = await offline.answer(request, call);
      return { ...answer, text: says(answer.text), usage: { input: 100, output: 30, billedUsd: 0.1 } };
    },
  };
  for (let index = 0; index < 5; index += 1)
    await agent({ name: 'priced', model }).run(`question ${index}`, { store });
  await store.close();
  return file;
};

describe('troupe suggest', () => {
  test('[KAIZEN-58] says what was found, on what basis, and which runs show it', async () => {
    const file = await keptRuns('clerk');
    const { code, stdout, stderr } = await play(['suggest', '--store', file], { folder });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines[0]).toMatch(/^cache  proven by replay  saves \d+ % · .* tokens$/);
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
      {
        type: 'cache',
        agent: 'clerk',
        proven: { by: 'replay', runs: 2 },
        evidence: { runs: ['two', 'three'], count: 2, of: 3 },
      },
    ]);
    expect(await of('accuracy')).toEqual([]);
  });

  test('says that there is nothing to suggest, and looks at the newest runs only where that is asked for', async () => {
    const file = await keptRuns('clerk');
    const few = await play(['suggest', '--store', file, '--limit', '2'], { folder });
    expect([few.stdout, few.stderr]).toEqual(['', `Nothing to suggest for cost in sqlite:${file}\n`]);
  });

  test('[KAIZEN-57] says how many are not proven, and shows them where that is asked for', async () => {
    const file = await pricedRuns((text) => text);
    const args = ['suggest', '--store', file, '--no-color'];
    const plain = await play(args, { folder });
    expect(plain).toMatchObject({ code: 0, stdout: '' });
    expect(plain.stderr).toBe(
      '1 suggestion is not proven: --unproven shows it, --model tries another model on forks\n',
    );
    const all = await play([...args, '--unproven'], { folder });
    expect(all.stdout).toMatch(/^smaller-model  not proven  saves 80 %/);
    expect(all.stdout).toMatch(/not proven as no\s+other model was tried on these runs\./);
    expect(all.stderr).toBe('');
  });

  test('says what a model would be tried on where an agent is named and no model', async () => {
    const file = await pricedRuns((text) => text);
    const args = ['suggest', '--store', file, '--no-color', '--agent', moduleOf('priced.ts')];
    const said =
      /Nothing was tried on forks of \S+priced\.ts as no --model is named, which they ask: with one, smaller-model of 'priced'\n/;
    expect((await play(args, { folder })).stderr).toMatch(said);
    expect((await play([...args, '--quiet'], { folder })).stderr).toBe('');
    expect((await play([...args, '--model', 'offline'], { folder })).stderr).not.toMatch(said);
  });

  test('[KAIZEN-57] tries the model that it is given on forks of the runs, whose agent is named', async () => {
    const tried = async (says: (text: string) => string) => {
      const file = await pricedRuns(says);
      const args = ['suggest', '--store', file, '--no-color', '--model', 'offline'];
      return play([...args, '--agent', moduleOf('priced.ts')], { folder });
    };
    const { stdout, stderr } = await tried((text) => text);
    expect([stdout.split('\n')[0], stderr]).toEqual([
      expect.stringMatching(/^smaller-model  proven by forks  saves 100 % · \$0\.50/),
      '',
    ]);
    expect(stdout).toContain(
      '5 of 5 forks with offline:offline ended the same; they cost 0 US dollars instead of 0.5',
    );
    const refuted = await tried((text) => `${text}!`);
    expect([refuted.stdout, refuted.stderr]).toEqual([
      '',
      expect.stringMatching(/^1 suggestion is not proven/),
    ]);
    const nameless = await play(
      ['suggest', '--store', await pricedRuns((text) => text), '--model', 'offline'],
      { folder },
    );
    expect(nameless.code).toBe(2);
    expect(nameless.stderr).toContain('name the module that exports its agent with --agent');
  });

  test('a hostile name of a model is only text', async () => {
    const file = join(folder, 'hostile.db');
    const store = sqliteStore(file);
    const reply = { text: 'yes', usage: { input: 9, output: 1, billedUsd: 1 } };
    const model = scriptedModel([reply, reply, reply, reply, reply], 'clear\u001B[2J\nthe screen');
    for (let index = 0; index < 5; index += 1)
      await agent({ name: 'clerk', model }).run(`question ${index}`, { store });
    await store.close();
    const shown = ['suggest', '--store', file, '--no-color', '--unproven'];
    const { stdout } = await play(shown, { folder });
    expect(stdout).toMatch(/^smaller-model  not proven/);
    expect(stdout).not.toContain('\u001B');
    expect(stdout).not.toContain('\nthe screen');
  });
});
