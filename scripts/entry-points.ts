/** The modules that a user of the package may import, as the manifest lists them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** One module that a user of the package may import. */
export interface EntryPoint {
  /** As it is imported: `troupe/testing`. */
  readonly name: string;
  /** Its source within the repository: `src/testing/index.ts`. */
  readonly source: string;
  /** Its file within the folder of the build: `testing/index.js`. */
  readonly built: string;
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default?: string }>>;
}

/** Reads the entry points from the manifest. */
export const entryPointsOf = (): readonly EntryPoint[] => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  return Object.entries(exports).flatMap(([path, target]) => {
    // What has types and no code is there for compilers: a user's declarations name by it what they infer.
    if (typeof target === 'string' || target.default === undefined) return [];
    const built = target.default.replace('./dist/', '');
    return [{ name: path.replace('.', 'troupe'), source: `src/${built.replace(/\.js$/, '.ts')}`, built }];
  });
};
