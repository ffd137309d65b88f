import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { compiledModuleOf, moduleOf, troupe } from './run-command.ts';

test('troupe move that is killed after any of its writes leaves the run open in one store at most, and finishes when it is called again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-move-killed-'));
  const [one, two] = [join(folder, 'one.db'), join(folder, 'two.db')];
  const stores = [sqliteStore(one), sqliteStore(two)] as const;
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const store of stores) await store.list();
  const agent = await compiledModuleOf('upgraded.ts');
  const dying = pathToFileURL(moduleOf('dies-at-commit.mjs')).href;
  const statusIn = async (store: (typeof stores)[number], runId: string) =>
    (await store.entry(runId))?.status;
  let killed = 0;
  for (let at = 1; ; at += 1) {
    await troupe(['run', `${agent}#payer`, 'go', '--park', '--store', one]);
    const [newest] = await stores[0].list({ limit: 1 });
    const runId = newest?.runId ?? '';
    const args = ['move', runId, '--store', one, '--to', two];
    const { exit } = await troupe(args, { imports: [dying], env: { DIES_AT: String(at) } });
    const open = (await Promise.all(stores.map((store) => statusIn(store, runId)))).filter(
      (status) => status === 'waiting',
    );
    expect([at, open.length < 2]).toEqual([at, true]);
    expect([0, 'SIGKILL']).toContain(exit);
    killed += exit === 0 ? 0 : 1;
    // Where it was not killed any more, the run is where it was moved.
    expect(await troupe(args)).toMatchObject({ exit: 0 });
    expect([await statusIn(stores[0], runId), await statusIn(stores[1], runId)]).toEqual([
      'moved',
      'waiting',
    ]);
    expect(await troupe(['approve', runId, '--resume', '--store', two])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('paid 3') as string,
    });
    if (exit === 0) break;
  }
  expect(killed).toBeGreaterThan(12);
});
