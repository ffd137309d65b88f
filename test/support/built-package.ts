import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { build as bundle } from 'esbuild';
import { inject } from 'vitest';
import { entryPointsOf } from '../../scripts/entry-points.ts';

const root = resolve(import.meta.dirname, '../..');

/** A file of the package as it is published, built once for this run of the tests. */
export const builtFile = (path: string): string => join(inject('builtPackage'), path);

/** A file of it for a process of its own, which it starts in half of the time: see `build-package.ts`. */
export const processFile = (path: string): string => join(inject('processPackage'), path);

/** The page of the local inspector, built once for this run of the tests. */
export const builtPage = (): string => readFileSync(builtFile('inspect/page.html'), 'utf8');

/** The configuration by which tsx finds the built package, for programs that are loaded as they are. */
export const builtConfiguration = (): string => processFile('tsconfig.json');

/** `troupe` is the built package, as it is for somebody who installed it. */
const installedPackage: Plugin = {
  name: 'installed package',
  setup(build) {
    const files = new Map(entryPointsOf().map(({ name, built }) => [name, processFile(built)]));
    build.onResolve({ filter: /^troupe(\/|$)/ }, ({ path }) => {
      const file = files.get(path);
      return file === undefined
        ? { errors: [{ text: `The package does not export ${path}` }] }
        : { path: file, external: true };
    });
  },
};

/**
 * A program in TypeScript as JavaScript that Node runs: what it imports of its own is in it, `troupe` is the built package, and
 * other packages are the project's. It stands elsewhere than its source, which only a program that looks for its neighbours notices.
 */
export const compileProgram = async (file: string): Promise<string> => {
  const name = `${basename(file, '.ts')}-${randomUUID().slice(0, 8)}.mjs`;
  const outfile = processFile(join('programs', name));
  await bundle({
    absWorkingDir: root,
    entryPoints: [file],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    plugins: [installedPackage],
    logLevel: 'silent',
  });
  return outfile;
};
