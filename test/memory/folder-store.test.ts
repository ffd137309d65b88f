import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { agent } from '../../src/index.ts';
import { keyValueMemory } from '../../src/memory/index.ts';
import { folderStore } from '../../src/persistence/folder-store.ts';
import { scriptedModel } from '../../src/testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-store-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('what is written is read again, under any name, and nothing leaves the folder', async () => {
  const root = join(folder, 'deep', 'inside');
  const store = folderStore(root);
  const names = [
    'a',
    'A',
    '../../out',
    '/etc/x',
    '.',
    '..',
    '',
    'ä/😀',
    'x'.repeat(400),
    `${'x'.repeat(400)}y`,
    'a%2fb',
    'a/b',
  ];
  for (const name of names) {
    await store.append(name, `appended to `);
    await store.append(name, name);
  }
  for (const name of names) expect(await store.read(name)).toBe(`appended to ${name}`);
  // Two names are too long for a file: each has a label beside it.
  expect(readdirSync(root)).toHaveLength(names.length + 2);
  expect(new Set(readdirSync(root).map((file) => file.toLowerCase())).size).toBe(names.length + 2);
  expect(existsSync(join(dirname(dirname(root)), 'out'))).toBe(false);
  expect(await store.names()).toContain('ä/😀');
});

test('[FIND-59] a name that is too long for a file comes back whole, and so does one that looks like a draft', async () => {
  const root = join(folder, 'long');
  const long = ['n'.repeat(181), `${'n'.repeat(500)}/ä`, 'k.draft'];
  const names = ['short', ...long].toSorted();
  for (const name of names) await folderStore(root).append(name, name);
  await folderStore(root).write(long[0] ?? '', 'new');
  expect((await folderStore(root).names()).toSorted()).toEqual(names);
  for (const name of long) await folderStore(root).remove(name);
  expect(await folderStore(root).names()).toEqual(['short']);
  expect(readdirSync(root)).toEqual(['short']);
});

test('[FIND-59] a run of a thread with a name too long for a file keeps its memory under the whole name', async () => {
  const memory = keyValueMemory({ files: folderStore(join(folder, 'memories')), scope: 'thread' });
  const clerk = agent({ name: 'clerk', memory, model: scriptedModel(['Noted.']) });
  const thread = 't'.repeat(300);
  await clerk.run('Remember this.', { thread });
  const names = await folderStore(join(folder, 'memories')).names();
  expect(names.some((name) => name.includes(thread))).toBe(true);
});

test('a whole text takes the old one’s place, and what is removed is gone', async () => {
  const store = folderStore(join(folder, 'whole'));
  expect(await store.read('k')).toBeUndefined();
  expect(await store.names()).toEqual([]);
  await store.write('k', 'one');
  await store.write('k', 'two');
  expect([await store.read('k'), await store.names()]).toEqual(['two', ['k']]);
  await store.remove('k');
  await store.remove('k');
  expect(await store.read('k')).toBeUndefined();
});

test('a folder that cannot be one is told with a reason', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(folderStore(join(file, 'inside')).write('k', 'v')).rejects.toThrow(/^Cannot access 'k'/);
});
