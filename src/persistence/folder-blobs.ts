import { mkdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { BlobStore } from '../contracts/content/blob-store.ts';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import { PRIVATE_FOLDER } from './private-files.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Stores the bytes of media as files of one folder, which is created at the first write: a file for each hash.
 *
 * For any number of processes: a file is written whole or not at all, and never changed.
 *
 * @example
 * await agent({ name: 'seer' }).run(photo, { store, content: { blobs: folderBlobs('./blobs') } });
 *
 * @throws {TroupeError} `journal.failed` if the folder or a file in it cannot be read or written.
 */
export const folderBlobs = (folder: string): BlobStore => {
  const root = resolve(folder);
  const at = (hash: string): string => join(root, fileName(hash));
  return {
    name: `folder:${root}`,
    put: (hash, bytes) =>
      storing(hash, async () => {
        await mkdir(root, PRIVATE_FOLDER);
        const known = await stat(at(hash)).catch(noneIfMissing);
        if (known?.size !== bytes.byteLength) await replaceFile(at(hash), bytes);
      }),
    get: (hash) => storing(hash, () => readFile(at(hash)).catch(noneIfMissing)),
  };
};

/** A hash is a name without a slash: nothing outside the folder is touched. */
const fileName = (hash: string): string => {
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new TroupeError('content.invalid', `Cannot name bytes as their hash is no SHA-256 in hex: '${hash}'`);
};

const noneIfMissing = (error: unknown): undefined => {
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT')
    return undefined;
  throw error;
};

const storing = async <Value>(hash: string, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof TroupeError) throw cause;
    const message = `Cannot access the bytes ${hash} in their folder as the file system refuses: ${messageOf(cause)}`;
    throw new TroupeError('journal.failed', message, { cause });
  }
};
