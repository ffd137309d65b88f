import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent } from '../../src/index.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-rehearse-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A store with three runs of the agent `priced` as it was, with those instructions. */
const keptRuns = async (instructions?: string): Promise<string> => {
  const file = join(folder, `${Math.random()}.db`);
  const store = sqliteStore(file);
  const answer = { text: 'Eleven.', usage: { input: 100, output: 30, billedUsd: 0.25 } };
  const was = agent({ name: 'priced', instructions, model: scriptedModel([answer, answer, answer]) });
  for (const runId of ['one', 'two', 'three']) await was.run('How many?', { store, runId });
  await store.close();
  return file;
};

const candidate = moduleOf('rehearsed.ts');

describe('troupe rehearse', () => {
  test('says that nothing differs, and asks no model', async () => {
    const file = await keptRuns();
    const { code, stdout, stderr } = await play(
      ['rehearse', '--candidate', candidate, '--over', file, '--no-color'],
      { folder },
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('3 runs: 3 the same\n0 model calls for $0; recorded: 3 model calls for $0.75\n');
  });

  test('says where runs differ, those that differ alike by the first of them, and with --live how it ends and what that cost', async () => {
    const file = await keptRuns('Be brief.');
    const args = ['rehearse', '--candidate', candidate, '--store', file, '--no-color'];
    const dry = await play(args, { folder });
    expect([dry.code, dry.stderr]).toEqual([1, '']);
    expect(dry.stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^≠ one {2}instructions of priced in step 0, event \d+ {2}and 2 runs alike$/),
      '  was Be brief.',
      '  now nothing',
    ]);
    expect(dry.stdout).not.toContain('≠ two');
    expect(dry.stdout).toContain('3 runs: 0 the same, 3 differ\n0 model calls');
    const live = await play([...args, '--live', '--run', 'two'], { folder });
    expect(live.stdout).toContain(
      '  ends otherwise, completed: Twelve. instead of Eleven.; 1 live call for $0.25\n',
    );
    expect(live.stdout).toContain('Ends otherwise: 100 % of the runs (95 % confidence: 20.7 % to 100 %)\n');
  });

  test('keeps runs apart that differ otherwise, or end otherwise', async () => {
    const file = await keptRuns('Be brief.');
    const store = sqliteStore(file);
    const was = agent({ name: 'priced', instructions: 'Be loud.', model: scriptedModel(['Eleven.']) });
    await was.run('How many?', { store, runId: 'four' });
    await store.close();
    const args = ['rehearse', '--candidate', candidate, '--store', file, '--no-color'];
    const dry = (await play(args, { folder })).stdout;
    expect(dry.match(/^≠ .*$/gm)).toEqual([
      expect.stringMatching(/^≠ one .* and 2 runs alike$/),
      expect.stringMatching(/^≠ four .*event \d+$/),
    ]);
    // The budget is for one call: the other runs are stopped.
    const live = (await play([...args, '--live', '--budget', '0.3'], { folder })).stdout;
    expect(live.match(/^≠ .*$/gm)).toHaveLength(3);
  });

  test('prints a line of JSON for each run, and one for all', async () => {
    const file = await keptRuns('Be brief.');
    const { stdout } = await play(
      [
        'rehearse',
        '--candidate',
        candidate,
        '--store',
        file,
        '--limit',
        '2',
        '--json',
        '--live',
        '--budget',
        '0.3',
      ],
      { folder },
    );
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([
      { runId: 'two', verdict: 'differs', live: { output: 'Twelve.', modelCalls: 1 } },
      {
        runId: 'three',
        verdict: 'differs',
        live: { stopped: 'the budget of 0.3 US dollars is spent', modelCalls: 0 },
      },
      { same: 0, differs: 2, spent: { modelCalls: 1, costUsd: 0.25 } },
    ]);
  });

  test.each([
    [[], 'the changed agent is missing: give --candidate FILE'],
    [['--candidate', 'a.ts', '--tools', 'all', '--live'], "--tools has no 'all': give recorded or read"],
    [['--candidate', 'a.ts', '--budget', '1'], '--budget is of use with --live only'],
  ])('refuses %j', async (more, why) => {
    const { code, stderr } = await play(['rehearse', ...more], { folder });
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });
});
