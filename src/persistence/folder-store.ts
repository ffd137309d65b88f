import { createHash, randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, TroupeError } from '../contracts/error.ts';
import type { KeyValueFiles } from '../contracts/memory.ts';

/**
 * Named texts as files of one folder, which is made when something is first written.
 *
 * A name can be any string: it becomes one file name without a slash, so nothing outside the folder is ever touched.
 * One process writes at a time.
 *
 * @throws `memory.unreadable` if the folder or a file in it cannot be read or written.
 *
 * @example
 * const store = folderStore('./memory');
 * agent({ name: 'clerk', memory: notesMemory({ files: store }) });
 */
export const folderStore = (folder: string): KeyValueFiles => {
  const at = (name: string): string => join(folder, fileName(name));
  return {
    read: (name) =>
      told(name, async () => {
        try {
          return await readFile(at(name), 'utf8');
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      }),
    write: (name, text) =>
      told(name, async () => {
        await mkdir(folder, { recursive: true });
        const draft = `${at(name)}.${randomUUID()}.draft`;
        try {
          const file = await open(draft, 'w');
          try {
            await file.writeFile(text);
            // On the disk before it takes the old one's place: else a crash could leave neither.
            await file.sync();
          } finally {
            await file.close();
          }
          await rename(draft, at(name));
        } catch (error) {
          await rm(draft, { force: true });
          throw error;
        }
      }),
    append: (name, text) =>
      told(name, async () => {
        await mkdir(folder, { recursive: true });
        await appendFile(at(name), text);
      }),
    remove: (name) => told(name, () => rm(at(name), { force: true })),
    names: () =>
      told('names', async () => {
        try {
          const files = await readdir(folder);
          return files
            .filter((file) => !file.endsWith('.draft'))
            .map(nameOf)
            .sort();
        } catch (error) {
          if (isMissing(error)) return [];
          throw error;
        }
      }),
  };
};

/** The longest name that every file system takes, with room for a draft's ending. */
const LONGEST = 180;

/** Everything but letters, digits, `-` and a single `.` is written as `%` and its code. */
const fileName = (name: string): string => {
  const plain = [...new TextEncoder().encode(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9_.-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('')
    .replace(/^\./, '%2e');
  if (plain === '') return '%';
  if (plain.length <= LONGEST) return plain;
  const ending = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return `${plain.slice(0, LONGEST - 33)}~${ending}`;
};

const nameOf = (file: string): string => {
  try {
    return file === '%' ? '' : decodeURIComponent(file);
  } catch {
    return file;
  }
};

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

const told = async <Value>(name: string, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (error) {
    throw new TroupeError(
      'memory.unreadable',
      `Cannot keep '${name}' in its folder as the file system refuses: ${messageOf(error)}`,
      { cause: error },
    );
  }
};
