import type { Stats } from 'node:fs';
import { constants, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/error.ts';
import { pathDenied, pathNames, shownPath } from '../environments/clean-path.ts';

// Absent on Windows: there links need rights that an agent should not run with.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const FOLDER = (constants.O_DIRECTORY ?? 0) | NO_FOLLOW;

/** Opening a pipe must not wait for its other end. */
const NO_WAIT = (constants.O_NONBLOCK ?? 0) | NO_FOLLOW;

/** Names below an open folder can be reached through it, whatever becomes of the path that led there. */
const hasOpenFolders = existsSync('/proc/self/fd');

/** An open folder below the root: names in it are reached by `at`. */
export interface OpenFolder {
  /** A path to something in it (to the folder itself, without a name), that no link can lead astray. */
  at(name?: string): string;
  /** Where it really is, for a child process to work in. */
  readonly place: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A folder that nothing gets out of: every name along a path is opened in the folder opened before, links refused.
 *
 * I1  No path is looked up twice: what was checked is what is used, also if somebody swaps a folder for a link between.
 *     Where the system cannot name open folders (no `/proc`), the real path is compared before and after instead.
 * I2  Only regular files of one name are read or written: a second name (hard link) may belong to somebody outside.
 */
export class ConfinedRoot {
  readonly #given: string;
  #root: string | undefined;

  constructor(given: string) {
    this.#given = given;
  }

  /** Finds the folder; the root itself may be reached by a link. Throws for one that is missing, or is everything. */
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
        `Cannot confine files to '${this.#given}' as that is no confinement: ${root}`,
      );
    await (await open(root, constants.O_RDONLY | FOLDER)).close();
    this.#root = root;
    return root;
  }

  /** Opens a folder; with `make`, those that are missing are made. Undefined if there is none. */
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

  /** Does something with the folder above a path and the last name of it. Undefined if there is no such folder. */
  async within<T>(
    path: string,
    work: (folder: OpenFolder, name: string) => Promise<T>,
    make = false,
  ): Promise<T | undefined> {
    const names = pathNames(path);
    const name = names.at(-1);
    if (name === undefined) throw pathDenied(path, 'it is the root, no file');
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
      // By number of the process, as a child has a `self` of its own.
      place: hasOpenFolders ? `/proc/${process.pid}/fd/${handle.fd}` : real,
      [Symbol.asyncDispose]: () => handle.close(),
    };
  }
}

/** Refuses what is no regular file of one name. */
export const assertPlainFile = (path: string, found: Stats): void => {
  if (!found.isFile()) throw pathDenied(path, 'it is no regular file');
  if (found.nlink > 1) throw pathDenied(path, `it has ${found.nlink} names, and some may lie outside`);
};

/** What is under a name itself; undefined for nothing. */
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
): Promise<{ readonly handle: FileHandle; readonly found: Stats }> => {
  const handle = await open(path, flags | NO_WAIT, 0o644);
  try {
    const found = await handle.stat();
    assertPlainFile(shown, found);
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

/** An error for the model: it names the path as it was given, never where that is on this machine. */
const refusal = (path: string, thrown: unknown): TroupeError => {
  if (thrown instanceof TroupeError) return thrown;
  const code = codeOf(thrown);
  if (code === 'ELOOP' || code === 'ENOTDIR')
    return pathDenied(path, 'it leads through a link, or through something that is no folder');
  if (code === 'ENXIO' || code === 'EISDIR') return pathDenied(path, 'it is no regular file');
  const why = typeof code === 'string' ? code : 'it failed';
  return new TroupeError('tool.failed', `Cannot use ${JSON.stringify(path.slice(0, 200))}: ${why}`);
};
