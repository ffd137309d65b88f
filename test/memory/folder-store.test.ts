import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { folderStore } from '../../src/persistence/folder-store.ts';

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
  expect(readdirSync(root)).toHaveLength(names.length);
  expect(new Set(readdirSync(root).map((file) => file.toLowerCase())).size).toBe(names.length);
  expect(existsSync(join(dirname(dirname(root)), 'out'))).toBe(false);
  expect(await store.names()).toContain('ä/😀');
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
  await expect(folderStore(join(file, 'inside')).write('k', 'v')).rejects.toThrow(/^Cannot keep 'k'/);
});
