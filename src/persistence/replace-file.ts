import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { PRIVATE } from './private-files.ts';

/** Replaces a file atomically, and makes it durable. The name of its draft begins as that of the file, or as `beside` says. */
export const replaceFile = async (path: string, data: string | Uint8Array, beside = path): Promise<void> => {
  const draft = `${beside}~${randomUUID()}.draft`;
  try {
    const file = await open(draft, 'w', PRIVATE);
    try {
      await file.writeFile(data);
      // Flushed before the rename, otherwise a crash could lose both versions.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
