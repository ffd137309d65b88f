import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** The folder of this package: two above this file, whether it runs from `src` or from `dist`. */
export const packageRoot = resolve(import.meta.dirname, '../..');

/** The version of this package. */
export const packageVersion = async (): Promise<string> => {
  const manifest: unknown = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
};

/** The documents of this project, as far as they are there: a published package has no `docs`. */
export const ownDocuments = (): readonly string[] =>
  ['README.md', 'docs', 'src'].map((name) => join(packageRoot, name)).filter((place) => existsSync(place));

/** What is asked where nothing is asked. */
export const OWN_QUESTION =
  'What does a supervisor do if a worker fails, and what happens if a critic throws?';
