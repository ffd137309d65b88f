import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { sqliteStore } from '../../src/persistence/sqlite-store.ts';
import type { SqliteDriver } from '../../src/persistence/sqlite-driver.ts';
import { storeContract } from './store-contract.ts';

const inFolder = (driver: SqliteDriver) => () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-store-'));
  const open = () => sqliteStore(join(folder, 'deep/er/runs.db'), { driver });
  return {
    store: open(),
    another: open,
    dispose: () => rmSync(folder, { recursive: true }),
  };
};

describe('one contract for every store', () => {
  storeContract('in memory', () => ({ store: memoryStore() }));
  storeContract('in a file, by libsql', inFolder('libsql'));
  if (process.getBuiltinModule('node:sqlite') !== undefined)
    storeContract(`in a file, by Node's own SQLite`, inFolder('node'));
  storeContract('in a database that is only in memory', () => ({ store: sqliteStore(':memory:') }));
});
