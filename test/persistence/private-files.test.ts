import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agent, answer } from 'troupe';
import { exportJournal, folderStore, sqliteStore } from 'troupe/stores';

let place: string;
let mask: number;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'private-'));
  mask = process.umask(0o022);
});
afterEach(() => {
  process.umask(mask);
  rmSync(place, { recursive: true, force: true });
});

const rightsOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const clerk = agent({ name: 'clerk', decide: () => answer('yes') });

test('[FIND-52] a database of runs and what stands beside it are for nobody but their owner', async () => {
  const file = join(place, 'kept', 'runs.db');
  const store = sqliteStore(file);
  await clerk.run('go', { store, runId: 'r' });
  expect(rightsOf(join(place, 'kept'))).toBe('700');
  const names = readdirSync(join(place, 'kept'));
  expect(names).toContain('runs.db-wal');
  for (const name of names) expect(rightsOf(join(place, 'kept', name)), name).toBe('600');
  await exportJournal(store, 'r', join(place, 'r.journal'));
  expect(rightsOf(join(place, 'r.journal'))).toBe('600');
  await store.close();
});

test('[FIND-52] a database that others could read is made private when it is opened', async () => {
  const file = join(place, 'runs.db');
  const first = sqliteStore(file);
  await clerk.run('go', { store: first, runId: 'r' });
  await first.close();
  chmodSync(file, 0o644);
  const store = sqliteStore(file);
  await clerk.run('go', { store, runId: 's' });
  expect(rightsOf(file)).toBe('600');
  await store.close();
});

test('[FIND-52] a folder of threads and notes is, too', async () => {
  const files = folderStore(join(place, 'notes'));
  await files.write('one', 'text');
  await files.append('two', 'text');
  expect(rightsOf(join(place, 'notes'))).toBe('700');
  for (const name of readdirSync(join(place, 'notes')))
    expect(rightsOf(join(place, 'notes', name))).toBe('600');
  writeFileSync(join(place, 'other'), '');
  expect(rightsOf(join(place, 'other')), 'as the process would have it else').toBe('644');
});
