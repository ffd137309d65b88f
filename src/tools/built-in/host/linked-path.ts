import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenFolder } from './host-root.ts';

/**
 * The first of these texts that leads through a link, or to one, read as a path from this folder, whole or after its `=`. A text that is no path names
 * nothing that is there. What becomes a link after this is followed.
 */
export const linkedPath = async (
  folder: OpenFolder,
  texts: readonly string[],
): Promise<string | undefined> => {
  const paths = texts.flatMap((text) => {
    const at = text.indexOf('=');
    return at < 0 ? [text] : [text, text.slice(at + 1)];
  });
  for (const path of new Set(paths)) if (await isLinked(folder, path)) return path;
  return undefined;
};

const isLinked = async (folder: OpenFolder, path: string): Promise<boolean> => {
  let reached = folder.at();
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    reached = join(reached, name);
    // A name that cannot be looked at cannot be used by the command, either: it has the same rights.
    const found = await lstat(reached).catch(() => undefined);
    if (found === undefined) return false;
    if (found.isSymbolicLink()) return true;
  }
  return false;
};
