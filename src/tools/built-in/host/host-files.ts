import { constants } from 'node:fs';
import { access, readdir, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { absentFile } from '../../../contracts/environments/absent-file.ts';
import type { FileKind, FileOps, FileText } from '../../../contracts/environments/operations.ts';
import { pathDenied, pathNames } from '../../environments/clean-path.ts';
import { assertNotRepository } from './repository-files.ts';
import type { ConfinedRoot, HardLinks } from './host-root.ts';
import { assertPlainFile, codeOf, lookAt, openPlainFile } from './host-root.ts';

/** Limits on files, in bytes. */
export interface FileLimits {
  readonly maxReadBytes: number;
  readonly maxWriteBytes: number;
}

/** More entries of a folder than these are left out. */
const MAX_ENTRIES = 10_000;

/** The files below a root of this machine. */
export const hostFiles = (root: ConfinedRoot, limits: FileLimits): FileOps => ({
  read: async (path, { maxBytes = limits.maxReadBytes } = {}) => {
    const text = await withPlainFile(root, path, (handle, bytes) =>
      start(handle, bytes, Math.min(maxBytes, limits.maxReadBytes)),
    );
    if (text === undefined) throw absentFile(path);
    return text;
  },
  write: async (path, text) => {
    assertNotRepository(path, pathNames(path));
    const content = Buffer.from(text);
    if (content.length > limits.maxWriteBytes)
      throw pathDenied(path, `the text is longer than ${limits.maxWriteBytes} bytes`);
    const written = await root.within(
      path,
      async (folder, name) => {
        const { handle, isNew } = await openForWriting(path, folder.at(name));
        try {
          // Not before it was looked at: emptying is writing.
          await handle.truncate(0);
          await handle.writeFile(content);
        } finally {
          await handle.close();
        }
        return { bytes: content.length, isNew };
      },
      true,
    );
    if (written === undefined) throw absentFile(path);
    return written;
  },
  list: async (path) => {
    const folder = await root.openFolder(pathNames(path));
    if (folder === undefined) throw absentFile(path);
    try {
      const entries = await readdir(folder.at(), { withFileTypes: true });
      return entries
        .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .slice(0, MAX_ENTRIES);
    } finally {
      await folder[Symbol.asyncDispose]();
    }
  },
  stat: async (path) => {
    if (pathNames(path).length === 0) {
      const isWritable = await canWrite(await root.find());
      return { kind: 'folder', bytes: 0, isWritable };
    }
    return root.within(path, async (folder, name) => {
      const found = await lookAt(folder.at(name));
      if (found === undefined) return undefined;
      const kind = kindOf(found);
      const isOurs = kind === 'folder' || (kind === 'file' && found.nlink === 1);
      return { kind, bytes: found.size, isWritable: isOurs && (await canWrite(folder.at(name))) };
    });
  },
  remove: async (path) => {
    assertNotRepository(path, pathNames(path));
    const isGone = await root.within(path, async (folder, name) => {
      const found = await lookAt(folder.at(name));
      if (found === undefined) return false;
      assertPlainFile(path, found);
      await unlink(folder.at(name));
      return true;
    });
    return isGone ?? false;
  },
});

const openForWriting = async (
  path: string,
  place: string,
): Promise<{ readonly handle: FileHandle; readonly isNew: boolean }> => {
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const { handle } = await openPlainFile(path, place, flags);
    return { handle, isNew: true };
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown;
    const { handle } = await openPlainFile(path, place, constants.O_WRONLY);
    return { handle, isNew: false };
  }
};

/** Calls `work` with a file below a root that is open for reading, and its size; undefined if there is none. */
export const withPlainFile = <T>(
  root: ConfinedRoot,
  path: string,
  work: (handle: FileHandle, bytes: number) => Promise<T>,
  hardLinks?: HardLinks,
): Promise<T | undefined> =>
  root.within(path, async (folder, name) => {
    if ((await lookAt(folder.at(name))) === undefined) return undefined;
    const { handle, found } = await openPlainFile(path, folder.at(name), constants.O_RDONLY, hardLinks);
    try {
      return await work(handle, found.size);
    } finally {
      await handle.close();
    }
  });

/** Reads the first bytes of a file: `most`, or fewer where it ends before. */
export const readStart = async (handle: FileHandle, most: number): Promise<Uint8Array> => {
  const buffer = Buffer.alloc(most);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
};

/** The first bytes of a file as text; a character that the limit would cut in two is left out. */
const start = async (handle: FileHandle, bytes: number, most: number): Promise<FileText> => {
  const read = await readStart(handle, Math.min(bytes, most));
  const isCut = bytes > read.length;
  return { text: new TextDecoder().decode(read, { stream: isCut }), bytes, isCut };
};

const canWrite = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );

const kindOf = (entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): FileKind => {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
};
