import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { PRIVATE_FOLDER } from '../../../persistence/private-files.ts';

/** Undefined on Windows, where the folder for temporary files is the user's own. */
const userId = (): number | undefined => process.getuid?.();

/** The folder in which the inspected processes of a user find each other. */
const runtimeFolder = (): string => {
  const { XDG_RUNTIME_DIR: given } = process.env;
  if (given !== undefined && given !== '') return join(given, 'troupe');
  return join(tmpdir(), `troupe-${userId() ?? 'processes'}`);
};

/**
 * Makes the folder where it is missing, and checks that it is the user's alone: another user may have made it first.
 *
 * @throws {TroupeError} `inspector.failed`
 */
export const openRuntimeFolder = (folder = runtimeFolder()): string => {
  try {
    mkdirSync(folder, PRIVATE_FOLDER);
  } catch (cause) {
    throw cannot(folder, 'it cannot be made', cause);
  }
  if (!isPrivate(folder, 'folder')) throw cannot(folder, 'it is not a folder of this user alone');
  return folder;
};

/** Checks whether a folder or a file is the user's, and can be read by nobody else; a link is neither. */
export const isPrivate = (path: string, kind: 'folder' | 'file'): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !(kind === 'folder' ? found.isDirectory() : found.isFile())) return false;
  const own = userId();
  return own === undefined || (found.uid === own && (found.mode & 0o077) === 0);
};

const cannot = (folder: string, reason: string, cause?: unknown): TroupeError =>
  new TroupeError('inspector.failed', `Cannot show other processes as ${reason}: ${folder}`, { cause });
