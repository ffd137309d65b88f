import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const rootAbove = (folder: string): string =>
  existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : rootAbove(dirname(folder));

/** The folder of this package: the first above this code that has a manifest, whether it runs from `src` or from `dist`. */
export const packageRoot = rootAbove(import.meta.dirname);

/** The version of this package. */
export const packageVersion = async (): Promise<string> => {
  const manifest: unknown = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
};

/** What this project says of itself, as far as it is there: a published package has no more than README and licence. */
export const ownDocuments = (): readonly string[] =>
  present(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'LICENSE', 'docs']);

/** All that this project can be asked about. */
export const ownProject = (): readonly string[] => [...ownDocuments(), ...present(['src', 'examples'])];

const present = (names: readonly string[]): readonly string[] =>
  names.map((name) => join(packageRoot, name)).filter((place) => existsSync(place));

/** Machine-made descriptions of every name say everything, and so nothing. */
export const ownIgnored: readonly string[] = ['node_modules', 'api'];

/** What is asked where nothing is asked. */
export const OWN_QUESTION =
  'What does an agent do in each step, and how often may a critic reject its answer?';
