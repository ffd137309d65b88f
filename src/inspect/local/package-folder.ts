import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';

const folderAbove = (folder: string): string =>
  existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : folderAbove(dirname(folder));

/** The folder of this package: the first above this code that has a manifest, whether it runs from `src` or from `dist`. */
export const packageFolder = folderAbove(import.meta.dirname);

/** The version of this package. */
export const packageVersion = async (): Promise<string> => {
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
};
