import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../inspect/local/package-folder.ts';

export { packageVersion } from '../inspect/local/package-folder.ts';

/** The folder of this package. */
export const packageRoot = packageFolder;

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
