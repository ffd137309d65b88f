import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/index.ts';
import { act, agent, answer, resume, tool } from '../../src/index.ts';
import { pipeline } from '../../src/patterns/pipeline.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { isThorough } from '../support/thorough.ts';
import * as upgraded from './modules/upgraded.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-upgrade-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  approval: true,
  execute: ({ amount }) => `paid ${amount}`,
});

/** An agent and a team as they were when the runs began. */
const payer = agent({
  name: 'payer',
  tools: [pay],
  decide: ({ results }) =>
    results.length === 0 ? act({ name: 'pay', input: { amount: 3 } }) : answer(String(results[0]?.text)),
});
const buyer = pipeline({
  name: 'buyer',
  stages: [agent({ name: 'greeter', decide: () => answer('hello') }), payer],
});

type AnyAgent = Agent<never, unknown, unknown>;

const RUNS = isThorough ? 100 : 5;

/** A store with runs of both agents that wait for a person, and that no process has. */
const withRuns = async () => {
  const file = join(folder, `${Math.random()}.db`);
  const store = sqliteStore(file);
  for (const old of [payer, buyer])
    for (let number = 0; number < RUNS; number += 1) {
      const handle = old.stream('go', { store, runId: `${old.name}-${number}` });
      const isOver = handle.result.catch(() => undefined);
      for await (const { type } of handle) if (type === 'tool.approval-requested') break;
      await handle.suspend({ withinMs: 0 });
      await isOver;
    }
  return { file, store };
};

describe('troupe upgrade', () => {
  test('says which runs go on under the new version, and which would be held, with what differs', async () => {
    const { file, store } = await withRuns();
    const args = ['upgrade', '--check', moduleOf('upgraded.ts'), '--over', file, '--no-color'];
    const { code, stdout, stderr } = await play(args, { folder });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^≠ buyer-0 {2}buyer: buyer\S* .*does something else$/),
      expect.stringMatching(/^ {2}was .*greeter/),
      expect.stringMatching(/^ {2}now .*porter/),
    ]);
    expect(stdout).toContain(`${2 * RUNS} runs under way: ${RUNS} go on, ${RUNS} would be held\n`);
    const only = await play(
      ['upgrade', '--check', `${moduleOf('upgraded.ts')}#payer`, '--store', file, '--json'],
      { folder },
    );
    expect(only.code).toBe(0);
    const lines = only.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly verdict: string });
    expect(lines.map(({ verdict }) => verdict)).toEqual(Array.from({ length: RUNS }, () => 'goes on'));
    await store.close();
  });

  test('is true to what becomes of the runs: they go on, or are held and go on under the old version', async () => {
    const { store } = await withRuns();
    const finish = async (version: AnyAgent, runId: string) => {
      const handle = await resume(version, runId, { store });
      handle.approve(handle.requests[0]?.id ?? '');
      return (await handle.result).output;
    };
    for (let number = 0; number < RUNS; number += 1) {
      expect(await finish(upgraded.payer, `payer-${number}`)).toBe('Done: paid 3');
      await expect(finish(upgraded.buyer, `buyer-${number}`)).rejects.toMatchObject({
        code: 'journal.diverged',
      });
      expect(await finish(buyer, `buyer-${number}`)).toBe('paid 3');
    }
    await store.close();
  });

  test('says whose runs it knows nothing of, and does not call that well', async () => {
    const { file, store } = await withRuns();
    const { code, stdout } = await play(
      ['upgrade', '--check', moduleOf('echo.ts'), '--over', file, '--no-color'],
      { folder },
    );
    expect([code, stdout]).toEqual([
      1,
      `0 runs under way (and ${2 * RUNS} runs of payer, buyer, which it does not export): 0 go on\n`,
    ]);
    await store.close();
  });

  test('writes nothing, and takes no lease', async () => {
    const { file, store } = await withRuns();
    const before = await store.read('buyer-0');
    await play(['upgrade', '--check', moduleOf('upgraded.ts'), '--over', file], { folder });
    expect(await store.read('buyer-0')).toEqual(before);
    expect(await store.leases()).toEqual([]);
    await store.close();
  });
});
