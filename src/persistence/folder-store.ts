import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { KeyValueFiles } from '../contracts/conversations/memory.ts';
import { PRIVATE, PRIVATE_FOLDER } from './private-files.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Stores named texts as files of one folder, which is created at the first write.
 *
 * A name can be any string: it becomes one file name without a slash, so nothing outside the folder is touched. A name that is too long for
 * a file is stored in a file beside it. For one writing process at a time.
 *
 * @throws `memory.unreadable` if the folder or a file in it cannot be read or written.
 *
 * @example
 * const store = folderStore('./memory');
 * agent({ name: 'clerk', memory: notesMemory({ files: store }) });
 */
export const folderStore = (folder: string): KeyValueFiles => {
  const at = (name: string): string => join(folder, fileName(name));
  /** The full name of a shortened file, from the label beside it; the decoded file name if there is none. */
  const labelled = async (file: string): Promise<string> => {
    const name = await textIn(join(folder, `${file}${LABEL}`));
    return name !== undefined && fileName(name) === file ? name : nameOf(file);
  };
  /** Writes the label of a shortened file, before the file itself. */
  const label = async (name: string): Promise<void> => {
    const file = at(name);
    if (isShortened(fileName(name)) && (await textIn(`${file}${LABEL}`)) !== name)
      await replaceFile(`${file}${LABEL}`, name);
  };
  return {
    read: (name) => storing(name, () => textIn(at(name))),
    write: (name, text) =>
      storing(name, async () => {
        await mkdir(folder, PRIVATE_FOLDER);
        await label(name);
        await replaceFile(at(name), text);
      }),
    append: (name, text) =>
      storing(name, async () => {
        await mkdir(folder, PRIVATE_FOLDER);
        await label(name);
        await appendFile(at(name), text, { mode: PRIVATE });
      }),
    remove: (name) =>
      storing(name, async () => {
        await rm(at(name), { force: true });
        if (isShortened(fileName(name))) await rm(`${at(name)}${LABEL}`, { force: true });
      }),
    names: () =>
      storing('names', async () => {
        try {
          const files = (await readdir(folder)).filter((file) => !DRAFT.test(file));
          const names = await Promise.all(
            files.filter((file) => isShortened(file) && !file.endsWith(LABEL)).map(labelled),
          );
          const plain = files.filter((file) => !isShortened(file)).map(nameOf);
          return [...names, ...plain].sort();
        } catch (error) {
          if (isMissing(error)) return [];
          throw error;
        }
      }),
  };
};

/** Longest file name that every file system accepts, with room for the suffix of a draft. */
const LONGEST = 180;

/** Escapes everything but letters, digits, `-` and a single `.` as `%` and its code. */
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

/** Suffix of the file that holds the full name of a shortened one. */
const LABEL = '.name';

/** Pattern of unfinished files; `~` occurs in shortened names only. */
const DRAFT = /[.~][0-9a-f]{8}-[0-9a-f-]{27}\.draft$/;

const isShortened = (file: string): boolean => file.includes('~');

const textIn = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

const storing = async <Value>(name: string, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (error) {
    throw new TroupeError(
      'memory.unreadable',
      `Cannot access '${name}' in its folder as the file system refuses: ${messageOf(error)}`,
      { cause: error },
    );
  }
};
