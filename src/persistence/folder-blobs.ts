import { mkdir, readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BlobStore } from '../contracts/content/blob-store.ts';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import { PRIVATE_FOLDER } from './private-files.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Stores the bytes of media as files of one folder, which is created at the first write: a file for each hash.
 *
 * For any number of processes: a file is written whole or not at all, and never changed. Runs of several stores may share a folder: a run
 * that is pruned leaves what others hold.
 *
 * @example
 * await agent({ name: 'seer' }).run(photo, { store, content: { blobs: folderBlobs('./blobs') } });
 *
 * @throws {TroupeError} `journal.failed` if the folder or a file in it cannot be read or written.
 */
export const folderBlobs = (folder: string): BlobStore => {
  const root = resolve(folder);
  const at = (name: string): string => join(root, fileName(name));
  return {
    name: `folder:${root}`,
    put: (name, bytes) =>
      storing(name, async () => {
        const file = at(name);
        const known = await stat(file).catch(noneIfMissing);
        if (known?.size !== bytes.byteLength) await replaceIn(file, bytes, besideOf(file, root));
      }),
    get: (name) => storing(name, () => readFile(at(name)).catch(noneIfMissing)),
    remove: (name) =>
      storing(name, async () => {
        await rm(at(name), { force: true });
        await tidy(besideOf(at(name), root));
      }),
    names: (start) =>
      storing(start, async () => {
        const file = at(start);
        const beside = (await readdir(`${file}${BESIDE}`).catch(noneIfMissing)) ?? [];
        // Last: bytes that are seen were not removed by who has left no mark.
        const isThere = (await stat(file).catch(noneIfMissing)) !== undefined;
        return [
          ...(isThere ? [start] : []),
          ...beside.filter((each) => !isDraft(each)).map((each) => `${start}.${each}`),
        ];
      }),
  };
};

/** Ending of the folder with what is there beside the bytes. */
const BESIDE = '.names';

/** A hash is a name without a slash, and so is its ending: nothing outside the folder is touched. */
const fileName = (name: string): string => {
  const [, hash = '', ending] = /^([0-9a-f]{64})(?:\.([a-z][a-z0-9.-]*))?$/.exec(name) ?? [];
  if (hash !== '') return ending === undefined ? hash : join(`${hash}${BESIDE}`, ending);
  throw new TroupeError('content.invalid', `Cannot name bytes as their hash is no SHA-256 in hex: '${name}'`);
};

/** The folder with what is there beside the bytes of a file, or of one in it. */
const besideOf = (file: string, root: string): string =>
  dirname(file) === root ? `${file}${BESIDE}` : dirname(file);

/** Replaces a file. Its draft is beside the bytes, where one of a process that died is found. */
const replaceIn = async (file: string, bytes: Uint8Array, beside: string): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    await mkdir(beside, PRIVATE_FOLDER);
    try {
      await replaceFile(file, bytes, join(beside, 'bytes'));
      await rmdir(beside).catch(() => undefined);
      return;
    } catch (error) {
      // Who has just tidied it has taken this for left over.
      if (tries === MOST_TRIES || !isMissing(error)) throw error;
    }
  }
};

/** Removes a folder in which nothing is but drafts. */
const tidy = async (beside: string): Promise<void> => {
  const left = (await readdir(beside).catch(noneIfMissing)) ?? [];
  if (!left.every(isDraft)) return;
  for (const draft of left) await rm(join(beside, draft), { force: true });
  await rmdir(beside).catch(() => undefined);
};

const isDraft = (name: string): boolean => name.endsWith('.draft');

const MOST_TRIES = 20;

const noneIfMissing = (error: unknown): undefined => {
  if (isMissing(error)) return undefined;
  throw error;
};

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

const storing = async <Value>(hash: string, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof TroupeError) throw cause;
    const message = `Cannot access the bytes ${hash} in their folder as the file system refuses: ${messageOf(cause)}`;
    throw new TroupeError('journal.failed', message, { cause });
  }
};
