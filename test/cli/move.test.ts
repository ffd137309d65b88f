import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { describeWithPostgres } from '../support/postgres.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

/** A folder with a store, in which a run of a command waits for a yes. */
const begun = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-move-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const call = (...args: readonly string[]) => play([...args, '--no-color'], { folder, columns: 200 });
  await call('run', `${moduleOf('upgraded.ts')}#payer`, 'go', '--store', 'one.db', '--park');
  const { stdout } = await call('runs', '--json', '--store', 'one.db');
  const { runId, status } = JSON.parse(stdout) as { readonly runId: string; readonly status: string };
  expect(status).toBe('waiting');
  // Its process has ended, as one of the command does.
  const store = sqliteStore(join(folder, 'one.db'));
  for (const lease of await store.leases()) await store.release(lease);
  await store.close();
  return { folder, call, runId };
};

test('moves a run to another store, says where it is, and resumes it there by its own record', async () => {
  const { folder, call, runId } = await begun();
  const moved = await call('move', runId, '--store', 'one.db', '--to', 'two.db');
  expect([moved.code, moved.stderr]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        `^Moved run ${runId} to sqlite:${join(folder, 'two.db')}: \\d+ rows?, read back and found equal\n$`,
      ),
    ),
  ]);
  const where = `Moved to sqlite:${join(folder, 'two.db')}, `;
  expect((await call('runs', '--store', 'one.db')).stdout).toContain(`(${where}`);
  expect((await call('show', runId, '--store', 'one.db')).stdout).toContain(`! ${where}`);
  const shown = (await call('show', runId, '--store', 'one.db')).stdout;
  expect(shown).toContain(`troupe show ${runId} --store sqlite:${join(folder, 'two.db')}\n`);
  expect(shown).not.toMatch(/troupe (?:approve|fork|resume)/);
  expect((await call('runs', '--status', 'moved', '--json', '--store', 'one.db')).stdout).toContain(runId);
  const refused = await call('resume', runId, '--store', 'one.db');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('it was moved to another store'),
  ]);
  const again = await call('move', runId, '--store', 'one.db', '--to', 'two.db', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    runId,
    to: `sqlite:${join(folder, 'two.db')}`,
    movedAt: expect.any(Number) as number,
  });
  expect((await call('move', runId, '--store', 'one.db', '--to', 'two.db')).stderr).toMatch(
    new RegExp(
      `^Run ${runId} was moved to sqlite:${join(folder, 'two.db')} before, 2\\d{3}-.*: nothing was done\n$`,
    ),
  );
  expect((await call('move', runId, '--store', 'one.db', '--to', 'three.db')).stderr).toContain(
    `it was moved before: to sqlite:${join(folder, 'two.db')}`,
  );
  const approved = await call('approve', runId, '--resume', '--store', 'two.db');
  expect([approved.code, (await call('show', runId, '--store', 'two.db')).stdout]).toEqual([
    0,
    expect.stringContaining('completed'),
  ]);
});

test('says of a run under way who has it, and what to do', async () => {
  const { folder, call, runId } = await begun();
  const store = sqliteStore(join(folder, 'one.db'));
  const lease = await store.acquire(runId, { holder: 'worker-7', ttlMs: 60_000, now: Date.now() });
  const { code, stderr } = await call('move', runId, '--store', 'one.db', '--to', 'two.db');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /Cannot move run '\S+' as it is under way: worker-7 has it\. Stop that worker, server or command \(SIGTERM/,
    ),
  ]);
  await store.release(lease);
  await store.close();
  expect((await call('move', runId, '--store', 'one.db', '--to', 'two.db')).code).toBe(0);
});

test('refuses what is no other store, and makes none', async () => {
  const { folder, call, runId } = await begun();
  for (const [args, why] of [
    [['move', runId, '--store', 'one.db'], 'the other store is missing: give --to STORE'],
    [['move', '--store', 'one.db', '--to', 'two.db'], 'no run was named'],
    [['move', runId, '--store', 'one.db', '--to', 'memory'], 'nobody finds a run in --to memory'],
    [['move', runId, '--store', 'one.db', '--to', 'mysql://x'], '--to names a kind that is unknown'],
    [['move', 'nobody', '--store', 'one.db', '--to', 'two.db'], "Cannot find run 'nobody'"],
    [['runs', '--to', 'two.db'], '--to'],
  ] as const) {
    const { code, stderr } = await call(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).toContain(why);
  }
  const same = await call('move', runId, '--store', 'one.db', '--to', 'one.db');
  expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('as it is in sqlite:')]);
  expect(existsSync(join(folder, 'two.db'))).toBe(false);
});

describeWithPostgres('over PostgreSQL', ({ connectionString }) => {
  test('moves a run there and back', async () => {
    const { call, runId } = await begun();
    for (const [from, to] of [
      ['one.db', connectionString],
      [connectionString, 'one.db'],
    ] as const) {
      const { code, stderr } = await call('move', runId, '--store', from, '--to', to);
      expect([code, stderr]).toEqual([0, expect.stringContaining('read back and found equal')]);
      // A connection string may have a password.
      expect(stderr).not.toContain(connectionString);
    }
    expect((await call('approve', runId, '--resume', '--store', 'one.db')).code).toBe(0);
  });
});
