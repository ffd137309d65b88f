import type { Stats } from 'node:fs';
import { constants, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import { pathDenied, pathNames, shownPath } from '../../environments/clean-path.ts';

// Absent on Windows: there links need rights that an agent should not run with.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const FOLDER = (constants.O_DIRECTORY ?? 0) | NO_FOLLOW;

/** Opening a pipe must not wait for its other end. */
const NO_WAIT = (constants.O_NONBLOCK ?? 0) | NO_FOLLOW;

/** With `/proc`, names below an open folder can be reached through its handle, whatever happens to its path. */
const hasOpenFolders = existsSync('/proc/self/fd');

/** An open folder below the root: names in it are reached by `at`. */
export interface OpenFolder {
  /** Returns a path to an entry (to the folder itself, without a name) that no link can redirect. */
  at(name?: string): string;
  /** Its real location, as working directory of a child process. */
  readonly place: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A folder that paths cannot leave: every name along a path is opened relative to the folder opened before, and links
 * are refused.
 *
 * I1  No path is resolved twice: the file checked is the file used, even if a folder is replaced by a link meanwhile.
 *     Where the system cannot address open folders (no `/proc`), the real path is compared before and after instead.
 * I2  Only regular files with one hard link are read or written: another link may be outside.
 */
export class ConfinedRoot {
  readonly #given: string;
  #root: string | undefined;

  constructor(given: string) {
    this.#given = given;
  }

  /** Resolves the folder; the root itself may be a link. Throws if it is missing, or is the root of the file system. */
  async find(): Promise<string> {
    if (this.#root !== undefined) return this.#root;
    let root: string;
    try {
      root = await realpath(this.#given);
    } catch (thrown) {
      throw new TroupeError('tool.setup', `Cannot confine files to '${this.#given}': ${messageOf(thrown)}`);
    }
    if (parse(root).root === root || root === '/proc' || root.startsWith('/proc/'))
      throw new TroupeError(
        'tool.setup',
        `Cannot confine files to '${this.#given}' as that is the whole file system: ${root}`,
      );
    await (await open(root, constants.O_RDONLY | FOLDER)).close();
    this.#root = root;
    return root;
  }

  /** Opens a folder; with `make`, missing ones are created. Undefined if there is none. */
  async openFolder(names: readonly string[], make = false): Promise<OpenFolder | undefined> {
    const root = await this.find();
    let folder = await this.#open(root, root, names);
    let done: readonly string[] = [];
    try {
      for (const name of names) {
        done = [...done, name];
        const path = folder.at(name);
        if (make) await mkdir(path).catch(unlessThere);
        const next = await this.#open(path, join(root, ...done), names);
        await folder[Symbol.asyncDispose]();
        folder = next;
      }
      return folder;
    } catch (thrown) {
      await folder[Symbol.asyncDispose]();
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw refusal(shownPath(names), thrown);
    }
  }

  /** Calls `work` with the parent folder of a path and its last name. Undefined if there is no such folder. */
  async within<T>(
    path: string,
    work: (folder: OpenFolder, name: string) => Promise<T>,
    make = false,
  ): Promise<T | undefined> {
    const names = pathNames(path);
    const name = names.at(-1);
    if (name === undefined) throw pathDenied(path, 'it is the root, not a file');
    const folder = await this.openFolder(names.slice(0, -1), make);
    if (folder === undefined) return undefined;
    try {
      return await work(folder, name);
    } catch (thrown) {
      throw refusal(path, thrown);
    } finally {
      await folder[Symbol.asyncDispose]();
    }
  }

  async #open(path: string, real: string, names: readonly string[]): Promise<OpenFolder> {
    const handle = await open(path, constants.O_RDONLY | FOLDER);
    try {
      if (!hasOpenFolders && (await realpath(real)) !== real)
        throw pathDenied(shownPath(names), 'it leads through a link');
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
    const self = hasOpenFolders ? `/proc/self/fd/${handle.fd}` : real;
    return {
      at: (name) => (name === undefined ? self : join(self, name)),
      // By process number, as a child has a `self` of its own.
      place: hasOpenFolders ? `/proc/${process.pid}/fd/${handle.fd}` : real,
      [Symbol.asyncDispose]: () => handle.close(),
    };
  }
}

/** Handling of files with more than one hard link: others may be outside, and package managers make them on purpose. */
export type HardLinks = 'refuse' | 'take';

/** Refuses anything but a regular file, by default with one hard link. */
export const assertPlainFile = (path: string, found: Stats, hardLinks: HardLinks = 'refuse'): void => {
  if (!found.isFile()) throw pathDenied(path, 'it is not a regular file');
  if (found.nlink > 1 && hardLinks === 'refuse')
    throw pathDenied(path, `it has ${found.nlink} hard links, and some may be outside`);
};

/** Returns facts about a path itself; undefined if nothing is there. */
export const lookAt = async (path: string): Promise<Stats | undefined> => {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
};

/** Opens a regular file of one name, without waiting, without following. The caller closes it. */
export const openPlainFile = async (
  shown: string,
  path: string,
  flags: number,
  hardLinks?: HardLinks,
): Promise<{ readonly handle: FileHandle; readonly found: Stats }> => {
  const handle = await open(path, flags | NO_WAIT, 0o644);
  try {
    const found = await handle.stat();
    assertPlainFile(shown, found, hardLinks);
    return { handle, found };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
};

/** The code that a system call failed with. */
export const codeOf = (thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;

const unlessThere = (thrown: unknown): void => {
  if (codeOf(thrown) !== 'EEXIST') throw thrown;
};

/** Creates an error for the model: it shows the path as given, never its real location. */
const refusal = (path: string, thrown: unknown): TroupeError => {
  if (thrown instanceof TroupeError) return thrown;
  const code = codeOf(thrown);
  if (code === 'ELOOP' || code === 'ENOTDIR')
    return pathDenied(path, 'it leads through a link, or through something that is not a folder');
  if (code === 'ENXIO' || code === 'EISDIR') return pathDenied(path, 'it is not a regular file');
  const why = typeof code === 'string' ? code : 'it failed';
  return new TroupeError('tool.failed', `Cannot use ${JSON.stringify(path.slice(0, 200))}: ${why}`);
};
