import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';

/** The mode of a file that only its owner may read and write. */
export const PRIVATE = 0o600;

/** Options for making folders that only their owner may look into; those that are there stay as they are. */
export const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const;

/**
 * Makes a database's file, if there is none, and lets nobody but its owner read it: what SQLite puts beside it (`-wal`, `-shm`) gets the
 * same rights. Where they cannot be changed, as the file is somebody else's, they stay.
 */
export const makePrivate = (file: string): void => {
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'a', PRIVATE));
    for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, PRIVATE);
  } catch {
    // What the file system refuses, opening the database says.
  }
};
