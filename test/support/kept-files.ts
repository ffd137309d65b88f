import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { KeyValueFiles } from '../../src/contracts/conversations/memory.ts';
import { folderStore } from '../../src/persistence/folder-store.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';

/** A new place where files are kept: gives them as each process would open them. */
export type KeptFiles = () => () => KeyValueFiles;

/** Everywhere that files can be kept without a server. */
export const keptFiles = (room: string): readonly { readonly where: string; readonly place: KeptFiles }[] => {
  const folders: string[] = [];
  const closing: (() => unknown)[] = [];
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'troupe-kept-'));
    folders.push(made);
    return made;
  };
  afterAll(async () => {
    for (const close of closing) await close();
    for (const each of folders) rmSync(each, { recursive: true });
  });
  return [
    {
      where: 'a folder',
      place: () => {
        const at = folder();
        return () => folderStore(at);
      },
    },
    {
      where: 'a store in memory',
      place: () => {
        const store = memoryStore();
        return () => store.files(room);
      },
    },
    {
      where: 'a store in a file',
      place: () => {
        const at = join(folder(), 'runs.db');
        return () => {
          const store = sqliteStore(at);
          closing.push(() => store.close());
          return store.files(room);
        };
      },
    },
  ];
};
