import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { bundlePackage } from '../../scripts/bundle.ts';
import { entryPointsOf } from '../../scripts/entry-points.ts';
import { transpileSources } from '../../scripts/transpile.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the package as it is published, built from the sources that are tested. */
    readonly builtPackage: string;
    /** The same for processes that tests start: packages of many files are one file each beside it. */
    readonly processPackage: string;
  }
}

const root = resolve(import.meta.dirname, '../..');
const place = join(root, '.tmp/built', String(process.pid));
const folder = join(place, 'package');
const processFolder = join(place, 'process');
/** Where vitest keeps what it has transformed, see its configuration. */
const modules = join(root, '.tmp/modules', String(process.pid));
/** Where the transpiled sources are, see the same. */
const transpiled = join(root, '.tmp/sources', String(process.pid));

/**
 * Bundles the packages that every process loads, each of a hundred files and more: opening those is half of what the start of a process
 * costs, and tests start hundreds.
 */
const bundlePackages = async (): Promise<void> => {
  const modules = join(processFolder, 'node_modules');
  await build({
    absWorkingDir: root,
    entryPoints: {
      'zod/index': 'zod',
      'zod/mini': 'zod/mini',
      'zod/core': 'zod/v4/core',
      'zod/locales': 'zod/v4/locales',
      'rxjs/index': 'rxjs',
    },
    outdir: modules,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'node20.19',
    conditions: ['es2015'],
    logLevel: 'warning',
  });
  const names = {
    zod: {
      '.': './index.js',
      './mini': './mini.js',
      './v4/core': './core.js',
      './v4/locales': './locales.js',
    },
    rxjs: { '.': './index.js' },
  };
  for (const [name, exports] of Object.entries(names))
    writeFileSync(join(modules, name, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
};

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
    await Promise.all([bundlePackage(folder), bundlePackages(), transpileSources(transpiled)]);
    cpSync(folder, processFolder, { recursive: true });
    // Transpiled code takes itself for built code, which knows its page beside it.
    mkdirSync(join(transpiled, 'src/inspect/inspect'), { recursive: true });
    copyFileSync(join(folder, 'inspect/page.html'), join(transpiled, 'src/inspect/inspect/page.html'));
  })());

export default async ({ provide }: TestProject): Promise<() => void> => {
  await buildOnce();
  provide('builtPackage', folder);
  provide('processPackage', processFolder);
  return () => {
    for (const each of [place, modules, transpiled]) rmSync(each, { recursive: true, force: true });
  };
};
