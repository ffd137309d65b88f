import { constants, type Stats } from 'node:fs';
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { holdsPrivateKey, isSecretFile } from './documents-secrets.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import type { DocumentSource, SkippedFile } from './documents-toolset.ts';

/** Limits on reading folders. */
export interface FolderLimits {
  /** In bytes. */
  readonly maxFileBytes: number;
  /** In bytes, all files together. */
  readonly maxTotalBytes: number;
  /** Names of folders that are skipped at any depth. */
  readonly ignoredFolders: readonly string[];
  /** Include files that contain keys, by their name or content. Default false. */
  readonly readsSecretFiles?: boolean | undefined;
  /** Include files with more than one hard link, which may exist outside of the folder, too. Default false. */
  readonly readsHardLinks?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The state of reading, shared by the folders of one source. */
interface Reading {
  readonly limits: FolderLimits;
  readonly skipped: (file: SkippedFile) => void;
  bytes: number;
}

/**
 * The readable text files of folders (or single files), in the order of their paths, one at a time.
 *
 * Links are never followed: what they lead to is either in the folder anyway or none of its business.
 */
export const readFolders = (given: string | readonly string[], limits: FolderLimits): DocumentSource =>
  async function* readAll(skipped) {
    let isEmpty = true;
    const reading: Reading = {
      limits,
      skipped: (file) => {
        isEmpty = false;
        skipped(file);
      },
      bytes: 0,
    };
    const taken = new Map<string, number>();
    const isFolder = typeof given === 'string';
    for (const place of isFolder ? [given] : given) {
      const found = await statOf(place, isFolder);
      const label = isFolder ? '' : labelOf(place, taken);
      if (found.isFile()) yield* readOne(place, label === '' ? basename(place) : label, reading, true);
      else {
        const root = await realpath(place);
        yield* readFolder(root, label, reading, root);
      }
    }
    if (isEmpty && reading.bytes === 0)
      throw unreadable([given].flat().join(', '), 'the folder is empty', undefined);
  };

/** Numbers folders that share a name. */
const labelOf = (place: string, taken: Map<string, number>): string => {
  const name = basename(place) || 'root';
  const count = (taken.get(name) ?? 0) + 1;
  taken.set(name, count);
  return count === 1 ? name : `${name}-${count}`;
};

const statOf = async (place: string, mustBeFolder: boolean): Promise<Stats> => {
  let found: Stats;
  try {
    found = await stat(place);
  } catch (error) {
    throw codeOf(error) === 'ENOENT'
      ? unreadable(place, 'there is no such folder', undefined, error)
      : unreadable(place, 'it cannot be opened', messageOf(error), error);
  }
  if (mustBeFolder && !found.isDirectory()) throw unreadable(place, 'it is not a folder', 'a file');
  if (!found.isDirectory() && !found.isFile()) {
    throw unreadable(place, 'it is neither a folder nor a file', 'something else');
  }
  return found;
};

const unreadable = (
  place: string,
  reason: string,
  found: string | undefined,
  cause?: unknown,
): TroupeError => {
  const details = found === undefined ? '' : `: ${found}`;
  const message = `Cannot read the documents in ${place} as ${reason}${details}`;
  return new TroupeError('documents.unreadable', message, { cause });
};

async function* readFolder(
  folder: string,
  label: string,
  reading: Reading,
  root: string,
): AsyncGenerator<readonly [string, string]> {
  const { limits, skipped } = reading;
  limits.signal?.throwIfAborted();
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (label === '') throw unreadable(folder, 'it cannot be opened', messageOf(error), error);
    skipped({ path: `${label}/`, reason: `cannot be opened: ${messageOf(error)}` });
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = label === '' ? entry.name : `${label}/${entry.name}`;
    const place = join(folder, entry.name);
    if (entry.isSymbolicLink()) skipped({ path, reason: await describeLink(place, root) });
    else if (entry.isDirectory()) {
      if (entry.name.startsWith('.')) skipped({ path: `${path}/`, reason: 'a hidden folder' });
      else if (limits.ignoredFolders.includes(entry.name)) {
        skipped({ path: `${path}/`, reason: 'an ignored folder' });
      } else yield* readFolder(place, path, reading, root);
    } else if (entry.isFile()) yield* readOne(place, path, reading);
    else skipped({ path, reason: 'neither a file nor a folder' });
  }
}

const describeLink = async (place: string, root: string): Promise<string> => {
  try {
    const target = await realpath(place);
    const way = relative(root, target);
    return way.startsWith(`..${sep}`) || way === '..' || isAbsolute(way)
      ? 'a link that leads outside'
      : 'a link to a document that is read anyway';
  } catch {
    return 'a link that leads nowhere or in a circle';
  }
};

async function* readOne(
  place: string,
  path: string,
  reading: Reading,
  isNamed = false,
): AsyncGenerator<readonly [string, string]> {
  const { limits, skipped } = reading;
  limits.signal?.throwIfAborted();
  const readsSecrets = isNamed || limits.readsSecretFiles === true;
  if (!readsSecrets && isSecretFile(basename(place))) {
    skipped({ path, reason: 'a file with keys, by its name' });
    return;
  }
  let file: FileHandle | undefined;
  try {
    // One handle for everything: at any moment the path may be replaced by a link, or by a larger file.
    file = await open(place, READ_NO_LINK);
    const found = await file.stat();
    if (!found.isFile()) {
      skipped({ path, reason: 'neither a file nor a folder' });
      return;
    }
    const { size, nlink } = found;
    if (nlink > 1 && !isNamed && limits.readsHardLinks !== true) {
      skipped({ path, reason: 'a hard link: the file may also be outside' });
      return;
    }
    if (size > limits.maxFileBytes) {
      skipped({ path, reason: `larger than ${megabytes(limits.maxFileBytes)}` });
      return;
    }
    if (reading.bytes + size > limits.maxTotalBytes) {
      skipped({ path, reason: `past ${megabytes(limits.maxTotalBytes)} in all` });
      return;
    }
    const bytes = await readUpTo(file, size);
    const text = textOf(bytes);
    if (text === undefined) {
      skipped({ path, reason: 'not text (UTF-8)' });
      return;
    }
    if (!readsSecrets && holdsPrivateKey(text)) {
      skipped({ path, reason: 'a file with a private key' });
      return;
    }
    if (text.trim() === '') {
      skipped({ path, reason: 'empty' });
      return;
    }
    reading.bytes += size;
    yield [path, text];
  } catch (error) {
    limits.signal?.throwIfAborted();
    const reason = codeOf(error) === 'ELOOP' ? 'a link by now' : `cannot be opened: ${messageOf(error)}`;
    skipped({ path, reason });
  } finally {
    await file?.close();
  }
}

/** Follows no link, and does not wait for the writer of a pipe; Windows supports neither flag. */
const READ_NO_LINK = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The first `size` bytes of a file, fewer where it has shrunk since it was measured. */
const readUpTo = async (file: FileHandle, size: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
};

/** Decodes `bytes` as text; undefined if they contain a NUL or are not UTF-8. */
const textOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const megabytes = (bytes: number): string => `${Math.round(bytes / 10_000) / 100} MB`;

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
