import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/index.ts';
import { act, agent, answer, resume, tool } from '../../src/index.ts';
import { pipeline } from '../../src/patterns/pipeline.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { isThorough } from '../support/thorough.ts';
import { answerRequest, openRequests } from '../../src/runtime/journal/letters/requests.ts';
import { heldMark } from '../../src/runtime/journal/versions/held-marks.ts';
import { assertCallsKept } from '../../src/runtime/journal/versions/waiting-calls.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { serve } from '../../src/runtime/serve/serve.ts';
import { checkVersion } from '../../src/runtime/journal/versions/check-version.ts';
import * as released from './modules/released.ts';
import * as retooled from './modules/retooled.ts';
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

  test('names a call that waits for a person and whose tool is gone, in teams too, and the run is held', async () => {
    const { file, store } = await withRuns();
    for (const [exported, runs] of [
      ['renamed', 'payer'],
      ['renamedTeam', 'buyer'],
    ] as const) {
      const check = `${moduleOf('retooled.ts')}#${exported}`;
      const { code, stdout } = await play(['upgrade', '--check', check, '--over', file, '--no-color'], {
        folder,
        columns: 200,
      });
      expect(code).toBe(1);
      expect(stdout.split('\n').slice(0, 3)).toEqual([
        expect.stringMatching(
          new RegExp(`^≠ ${runs}-0 {2}${runs}: .*payer\\S* waits with a call of pay, which is gone$`),
        ),
        '  was {"amount":3}',
        "  now Cannot call 'pay' as there is no such tool: There are: payOut",
      ]);
      expect(stdout).toContain(`: 0 go on, ${RUNS} would be held\n`);
      const json = await play(['upgrade', '--check', check, '--over', file, '--json'], { folder });
      expect(JSON.parse(json.stdout.split('\n')[0] ?? '')).toMatchObject({
        verdict: 'held',
        calls: [{ tool: 'pay', input: { amount: 3 }, problem: 'missing' }],
      });
    }
    const refused = await play(
      ['resume', 'payer-0', '--agent', `${moduleOf('retooled.ts')}#renamed`, '--store', file, '--no-color'],
      { folder },
    );
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("a call of 'payer' waits whose tool 'pay' is missing"),
    ]);
    const service = serve(createGlobalEngine(), {
      agents: { payer: retooled.renamed },
      store,
      sweepMs: 20,
    });
    const [request] = await openRequests(store, 'payer-1');
    await answerRequest(store, 'payer-1', { id: request?.id ?? '', yes: true });
    await vi.waitFor(async () => {
      const entry = await store.entry('payer-1');
      expect(entry && (await heldMark(store, entry))).toMatchObject({ code: 'tool.missing' });
    });
    await service.drain();
    const handle = await resume(payer, 'payer-0', { store });
    handle.approve(handle.requests[0]?.id ?? '');
    expect((await handle.result).output).toBe('paid 3');
    await store.close();
  });

  test('names a call that waits and whose tool takes another input, and the run is held until the old one is there', async () => {
    const { file, store } = await withRuns();
    const check = `${moduleOf('retooled.ts')}#narrowed`;
    const { code, stdout } = await play(['upgrade', '--check', check, '--over', file, '--no-color'], {
      folder,
      columns: 200,
    });
    expect(code).toBe(1);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      '≠ payer-0  payer: payer waits with a call of pay, which takes another input',
      '  was {"amount":3}',
      expect.stringMatching(/^ {2}now Cannot call 'pay' as its input does not fit: .*cents/),
    ]);
    expect(stdout).toContain(`: 0 go on, ${RUNS} would be held\n`);
    const refused = await play(['resume', 'payer-1', '--agent', check, '--store', file, '--no-color'], {
      folder,
      columns: 200,
    });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /a call of 'payer' waits whose input the tool 'pay' does not take any more: .*cents/,
      ),
    ]);
    const [asked] = await openRequests(store, 'payer-2');
    await answerRequest(store, 'payer-2', { id: asked?.id ?? '', yes: true });
    const service = serve(createGlobalEngine(), { agents: { payer: retooled.narrowed }, store, sweepMs: 20 });
    await vi.waitFor(async () => {
      const entry = await store.entry('payer-2');
      expect(entry && (await heldMark(store, entry))).toMatchObject({ code: 'tool.missing' });
    });
    await service.drain();
    const old = serve(createGlobalEngine(), { agents: { payer }, store, sweepMs: 20 });
    await vi.waitFor(async () => {
      expect((await store.entry('payer-2'))?.status).toBe('completed');
    });
    await old.drain();
    // In a program, the agent is notified.
    const handle = await resume(retooled.narrowed, 'payer-0', { store });
    handle.approve(handle.requests[0]?.id ?? '');
    expect((await handle.result).output).toMatch(/^Done: false Cannot call 'pay'/);
    await store.close();
  });

  test('names a call that waits for its next attempt, or was under way, and whose tool is gone', async () => {
    const file = join(folder, `${Math.random()}.db`);
    const store = sqliteStore(file);
    const flaky = (isThere: boolean, isSlow: boolean) =>
      agent({
        name: 'flaky',
        tools: [
          tool({
            name: isThere ? 'send' : 'post',
            description: 'Sends.',
            input: z.object({}),
            idempotent: true,
            retry: { attempts: 3, initialWaitMs: 60_000, maxWaitMs: 60_000 },
            execute: () => (isSlow ? new Promise<string>(() => undefined) : Promise.reject(new Error('503'))),
          }),
        ],
        decide: ({ results }) =>
          results.length === 0 ? act({ name: 'send', input: {} }) : answer(String(results[0]?.text)),
      });
    for (const isSlow of [false, true]) {
      const runId = `flaky-${isSlow}`;
      const handle = flaky(true, isSlow).stream('go', { store, runId });
      const isOver = handle.result.catch(() => undefined);
      for await (const { type } of handle) if (type === (isSlow ? 'tool.started' : 'tool.retrying')) break;
      await handle.suspend({ withinMs: 0 });
      await isOver;
      expect(await checkVersion(flaky(true, isSlow), runId, { store })).toEqual([]);
      expect(await checkVersion(flaky(false, isSlow), runId, { store })).toMatchObject([
        { path: 'flaky', tool: 'send', problem: 'missing' },
      ]);
    }
    await expect(assertCallsKept(flaky(false, false), 'flaky-false', { store })).rejects.toMatchObject({
      code: 'tool.missing',
    });
    await expect(assertCallsKept(flaky(true, false), 'flaky-false', { store })).resolves.toBeUndefined();
    await store.close();
  });

  test('counts the runs that go on under an earlier version, as troupe resume does by it', async () => {
    const { file, store } = await withRuns();
    const module = moduleOf('migrated.ts');
    const check = ['upgrade', '--check', module, '--over', file, '--no-color'];
    const { code, stdout } = await play(check, { folder });
    expect([code, stdout]).toEqual([
      0,
      `${2 * RUNS} runs under way: ${2 * RUNS} go on (${2 * RUNS} under an earlier version)\n`,
    ]);
    const { stdout: json } = await play([...check, '--json'], { folder });
    const lines = json
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(
      new Set(lines.map(({ agent: name, verdict, version }) => `${name} ${verdict} ${version}`)),
    ).toEqual(new Set(['payer goes on until payOut', 'buyer goes on until the guard']));
    for (const name of ['payer', 'buyer']) {
      const [request] = await openRequests(store, `${name}-0`);
      await answerRequest(store, `${name}-0`, { id: request?.id ?? '', yes: true });
      const resumed = await play(
        ['resume', `${name}-0`, '--agent', `${module}#${name}`, '--store', file, '--no-color'],
        { folder },
      );
      expect([resumed.code, resumed.stdout]).toEqual([0, 'Done: paid 3 by payOut\n']);
      const shown = await play(['show', `${name}-0`, '--store', file], { folder, columns: 200 });
      expect(shown.stdout).toMatch(/ under version 'until (?:payOut|the guard)' since 2/);
    }
    await store.close();
  });

  test('takes several agents of one label, as one release has them', async () => {
    const { file, store } = await withRuns();
    const check = ['upgrade', '--check', moduleOf('released.ts'), '--over', file, '--json'];
    const { code, stdout } = await play(check, { folder });
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(new Set(lines.map(({ agent: name, version }) => `${name} ${version}`))).toEqual(
      new Set(['payer 2.0', 'buyer 2.0']),
    );
    const service = serve(createGlobalEngine(), {
      agents: { payer: released.payer, buyer: released.buyer },
      versions: released.versions,
      store,
      sweepMs: 20,
    });
    for (const runId of ['payer-0', 'buyer-0']) {
      const [request] = await openRequests(store, runId);
      await answerRequest(store, runId, { id: request?.id ?? '', yes: true });
    }
    await vi.waitFor(async () => {
      for (const runId of ['payer-0', 'buyer-0'])
        expect((await store.entry(runId))?.status).toBe('completed');
    });
    await service.drain();
    await store.close();
  });

  test('has a run that is held say why in words, and which versions were tried', async () => {
    const { file, store } = await withRuns();
    const { buyer: strayed, versions } = await import('./modules/strayed.ts');
    const service = serve(createGlobalEngine(), { agents: { buyer: strayed }, versions, store, sweepMs: 20 });
    const [request] = await openRequests(store, 'buyer-0');
    await answerRequest(store, 'buyer-0', { id: request?.id ?? '', yes: true });
    await vi.waitFor(async () => {
      const entry = await store.entry('buyer-0');
      expect(entry && (await heldMark(store, entry))).toMatchObject({ code: 'journal.diverged' });
    });
    await service.drain();
    const shown = await play(['show', 'buyer-0', '--store', file, '--no-color'], { folder, columns: 400 });
    expect(shown.stdout).toMatch(
      /! Held: Cannot resume run 'buyer-0' as 'buyer\S*' does something else: then member\.engaged \(\S*greeter\S*\), and now member\.engaged \(\S*porter\S*\)\. Nor do its versions fit: '1\.5', '1\.8'\n/,
    );
    expect(shown.stdout).not.toMatch(/Held: .*\{"/);
    await store.close();
  });

  test('refuses versions that are no agents, and names the label', async () => {
    const { file, store } = await withRuns();
    const module = join(folder, 'odd.mjs');
    writeFileSync(
      module,
      `export * from '${moduleOf('upgraded.ts')}'; export const versions = { 'until 2': 7 };`,
    );
    const { code, stderr } = await play(['upgrade', '--check', module, '--over', file, '--no-color'], {
      folder,
    });
    expect(code).toBe(2);
    expect(stderr).toContain("its export 'versions' has something that is not an agent or team: 'until 2'");
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

  test('finds nothing wrong where the export that is named has no run under way', async () => {
    const { file, store } = await withRuns();
    const check = ['upgrade', '--check', `${moduleOf('echo.ts')}#default`, '--over', file, '--no-color'];
    const { code, stdout } = await play(check, { folder });
    expect([code, stdout]).toEqual([
      0,
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
