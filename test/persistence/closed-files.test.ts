import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import type { SqliteDriver } from '../../src/persistence/sqlite/sqlite-driver.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { echo } from '../support/runs.ts';

const FILES = '/proc/self/fd';
const home = mkdtempSync(join(tmpdir(), 'troupe-closed-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

/** The files of a folder that this process has open. */
const openIn = (folder: string): readonly string[] =>
  readdirSync(FILES).flatMap((number) => {
    try {
      const file = readlinkSync(join(FILES, number));
      return file.startsWith(`${folder}/`) ? [file] : [];
    } catch {
      // It was that of the list itself.
      return [];
    }
  });

const clerk = () =>
  agent({
    name: 'clerk',
    tools: [echo],
    model: scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'done']),
  });

const drivers: readonly SqliteDriver[] =
  process.getBuiltinModule('node:sqlite') === undefined ? ['libsql'] : ['libsql', 'node'];

describe.skipIf(!existsSync(FILES)).each(drivers)('a store that is closed, by the driver %s,', (driver) => {
  test('[FIND-59] has no file open any more: twenty with runs in them', async () => {
    const folder = mkdtempSync(join(home, 'twenty-'));
    const stores = Array.from({ length: 20 }, (_, index) =>
      sqliteStore(join(folder, `${index}.db`), { driver }),
    );
    for (const store of stores) {
      await clerk().run('go', { store, runId: 'r', thread: 't' });
      expect((await replay(clerk(), 'r', { store })).result?.output).toBe('done');
      expect(await store.list()).toHaveLength(1);
    }
    expect(openIn(folder)).toHaveLength(60);
    for (const store of stores) await store.close();
    expect(openIn(folder)).toEqual([]);
    // All is in the files themselves: nothing is left beside them.
    expect(readdirSync(folder).filter((name) => !name.endsWith('.db'))).toEqual([]);
    const again = sqliteStore(join(folder, '0.db'), { driver });
    expect((await replay(clerk(), 'r', { store: again })).result?.output).toBe('done');
    await again.close();
  });

  test('[FIND-59] has no file open where an operation failed, or others use the file', async () => {
    const folder = mkdtempSync(join(home, "it's-"));
    const file = join(folder, 'runs.db');
    const [one, another] = [sqliteStore(file, { driver }), sqliteStore(file, { driver })];
    await clerk().run('go', { store: one, runId: 'r' });
    expect(await another.list()).toHaveLength(1);
    await expect(async () => one.read('nobody')).rejects.toMatchObject({ code: 'journal.unknown' });
    await one.close();
    expect(await another.list()).toHaveLength(1);
    await another.close();
    expect(openIn(folder)).toEqual([]);
  });

  test('[FIND-59] a file that is no database is not held', async () => {
    const folder = mkdtempSync(join(home, 'none-'));
    const file = join(folder, 'runs.db');
    writeFileSync(file, 'no database at all, but long enough to be one by its size '.repeat(100));
    const store = sqliteStore(file, { driver });
    await expect(async () => store.list()).rejects.toMatchObject({ code: 'journal.corrupt' });
    expect(openIn(folder)).toEqual([]);
    await store.close();
  });
});
