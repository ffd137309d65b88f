import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundlePackage } from '../../scripts/bundle.ts';
import { entryPointsOf } from '../../scripts/entry-points.ts';
import { transpileSources } from '../../scripts/transpile.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the package as it is published, built from the sources that are tested. */
    readonly builtPackage: string;
  }
}

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, '.tmp/built', String(process.pid));
/** Where vitest keeps what it has transformed, see its configuration. */
const modules = join(root, '.tmp/modules', String(process.pid));
/** Where the transpiled sources are, see the same. */
const transpiled = join(root, '.tmp/sources', String(process.pid));

/** Vitest loads this module anew for each project: what is built for one serves all, so it is known to the process. */
const BUILT = Symbol.for('troupe.test.built');
const shared = globalThis as { [BUILT]?: Promise<void> };

/**
 * Builds the package once for a run of the tests: a process that a test starts opens a few files of JavaScript, and does not
 * compile the sources anew.
 */
const buildOnce = (): Promise<void> =>
  (shared[BUILT] ??= (async () => {
    mkdirSync(folder, { recursive: true });
    // For programs in TypeScript that are loaded as they are: the package's name leads to the same build.
    const paths = Object.fromEntries(
      entryPointsOf().map(({ name, built: file }) => [name, [`./${file}`] as const]),
    );
    const compilerOptions = { target: 'es2023', module: 'nodenext', paths };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await Promise.all([bundlePackage(folder), transpileSources(transpiled)]);
    // Transpiled code takes itself for built code, which knows its page beside it.
    mkdirSync(join(transpiled, 'inspect/inspect'), { recursive: true });
    copyFileSync(join(folder, 'inspect/page.html'), join(transpiled, 'inspect/inspect/page.html'));
  })());

export default async ({ provide }: TestProject): Promise<() => void> => {
  await buildOnce();
  provide('builtPackage', folder);
  return () => {
    for (const each of [folder, modules, transpiled]) rmSync(each, { recursive: true, force: true });
  };
};
