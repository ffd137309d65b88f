import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../inspect/local/package-folder.ts';

export { packageVersion } from '../inspect/local/package-folder.ts';

/** The folder of this package. */
export const packageRoot = packageFolder;

/** This project's own documents, as far as they exist: a published package has only README and licence. */
export const ownDocuments = (): readonly string[] =>
  present(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'LICENSE', 'docs']);

/** The default documents of a question about this project. */
export const ownProject = (): readonly string[] => [...ownDocuments(), ...present(['src', 'examples'])];

const present = (names: readonly string[]): readonly string[] =>
  names.map((name) => join(packageRoot, name)).filter((place) => existsSync(place));

/** Folders to skip: generated references mention every name, and would match any question. */
export const ownIgnored: readonly string[] = ['node_modules', 'api'];

/** The default question. */
export const OWN_QUESTION =
  'What does an agent do in each step, and how often may a critic reject its answer?';
