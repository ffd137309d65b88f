import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';

/** File mode: readable and writable by its owner only. */
export const PRIVATE = 0o600;

/** Options for creating folders that only their owner can access; existing ones are unchanged. */
export const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const;

/**
 * Creates a database's file if there is none, and restricts it to its owner; SQLite creates its side files (`-wal`, `-shm`) with the same
 * rights. Rights that cannot be changed, as in a file of another user, stay.
 */
export const makePrivate = (file: string): void => {
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'a', PRIVATE));
    for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, PRIVATE);
  } catch {
    // Opening the database reports what the file system refuses.
  }
};
