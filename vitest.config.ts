import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { entryPointsOf } from './scripts/entry-points.ts';

const root = import.meta.dirname;

/** Tests that are a step of the gate in their own right, each in a project of its own. */
const gates = { surface: 'public-surface', examples: 'examples', readme: 'readme' };

/** Tests that open pages in a browser. */
const browserTests = 'test/**/*.browser.test.ts';

/** Tests that replace modules, or that other tests' loaded modules would change: each file in a process of its own. */
const isolatedTests = 'test/**/*.isolated.test.ts';

/**
 * Tests that start many processes. A process is started by a fork, which copies the page tables of who starts it: where all other
 * tests have run before, that takes 40 ms and as much again when its pages are written to, in a small one less than 10.
 */
const spawningTests = 'test/**/*.spawning.test.ts';

/** What packages of other vendors make of us; they have a `package.json` of their own. */
const judges = 'test/judges/**/*.judge.test.ts';

/**
 * Most of what a test makes dies young: with room for it, a tenth of the time is saved; with room from the start, half of the collections.
 * Where the workers have all cores, helpers of a collector wait for each other: one thread for each took 8 of 100 s less. A fifth of the
 * time went into making fast code of functions that few tests call again: what waits four times as long for it takes 5 of 100 s less.
 */
const collection = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  '--single-threaded-gc',
  // Later versions of V8 have no such option, and end with an error.
  ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=540000'] : []),
];

// Heavier tests (`*.full.test.ts`, `*.full.browser.test.ts`, `*.full.spawning.test.ts`) run only when asked for: `npm run verify:full`.
const isFull = process.env['TROUPE_FULL'] === '1';
const heavy = isFull
  ? []
  : ['test/**/*.full.test.ts', 'test/**/*.full.browser.test.ts', 'test/**/*.full.spawning.test.ts'];

// Where all cases of a law are tried and coverage is counted, one test may take minutes on a busy machine.
const testTimeout = isFull ? 1_800_000 : 120_000;

// The gate collects one report for each of its steps.
const report = process.env['TROUPE_REPORT'];

const transpiled = resolve(root, '.tmp/sources', String(process.pid));

/** Modules that load programs in TypeScript, which Node 20 does not by itself. */
const LOADS_SOURCES = /\/src\/(cli\/.+|inspect\/local\/page-text\.ts)$/;

/** Sources and tests: of these what `scripts/transpile.ts` has left. */
const IS_OURS = /\/(src|test)\/.+\.tsx?$/;

/**
 * Leads tests to the sources as `scripts/transpile.ts` has left them, which Node imports as they are: vitest takes ten times as long for
 * a module, and what it makes of it is slower. Not where sources are counted, or edited while the tests are watched.
 */
const transpiledSources: Plugin = {
  name: 'transpiled sources',
  enforce: 'pre',
  resolveId: (source, importer) => {
    const [path = '', query] = source.split('?');
    const file = path.startsWith('.') && importer !== undefined ? resolve(dirname(importer), path) : path;
    if (!IS_OURS.test(file) || LOADS_SOURCES.test(file)) return undefined;
    const module = join(transpiled, relative(root, file)).replace(/\.tsx?$/, '.js');
    if (!existsSync(module)) return undefined;
    return query === undefined ? module : `${module}?${query}`;
  },
};
const isOnce = process.argv.includes('run') && !process.argv.includes('--coverage');
const plugins = isOnce ? [transpiledSources] : [];

export default defineConfig({
  resolve: {
    // Tests may import the package by its name, as a user would, and yet run the sources.
    alias: entryPointsOf().map(({ name, source }) => ({
      find: new RegExp(`^${name}$`),
      replacement: resolve(root, source),
    })),
  },
  test: {
    env: {
      TROUPE_FIXTURES: resolve(root, process.env['TROUPE_FIXTURES'] ?? '../shared/fixtures'),
    },
    globalSetup: ['test/support/build-package.ts'],
    setupFiles: ['test/support/clean-environment.ts'],
    testTimeout,
    hookTimeout: 60_000,
    // A busy machine takes its time for what a test waits for.
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // A third, as many tests wait for a browser, a child process or a socket.
    maxWorkers: 3,
    maxConcurrency: 2,
    // What one project has transformed the next finds. Of this run alone: nothing of an earlier one can be stale.
    experimental: { fsModuleCache: true, fsModuleCachePath: `.tmp/modules/${process.pid}` },
    server: { deps: { external: [/\/\.tmp\/sources\//] } },
    passWithNoTests: true,
    reporters: [
      'default',
      'test/support/fixtures-reporter.ts',
      ...(report ? [['json', { outputFile: report }] as ['json', object]] : []),
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      {
        extends: true,
        plugins,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [
            // The judges' own packages lie below `test/`, and bring tests of theirs.
            '**/node_modules/**',
            ...Object.values(gates).map((name) => `test/${name}.test.ts`),
            browserTests,
            isolatedTests,
            spawningTests,
            judges,
            ...heavy,
          ],
          // A file finds the modules that the file before it has loaded: half of the time went into loading them anew.
          isolate: false,
          execArgv: collection,
          setupFiles: ['test/support/load-lazy-modules.ts', 'test/support/sample-properties.ts'],
        },
      },
      {
        extends: true,
        // Some replace sources as Node imports them (`test/support/replace-source.ts`).
        plugins: [transpiledSources],
        test: { name: 'isolated', include: [isolatedTests], execArgv: collection },
      },
      {
        extends: true,
        plugins,
        test: { name: 'spawning', include: [spawningTests], exclude: heavy, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            tsconfig: 'tsconfig.types.json',
            include: ['test/**/*.test-d.ts'],
            // Errors elsewhere are the type checker's own step, not every test's.
            ignoreSourceErrors: true,
          },
        },
      },
      // Not isolated, so that they wait for their pages while those of `unit` compute: isolated files run before all others.
      {
        extends: true,
        plugins,
        test: {
          name: 'browser',
          include: [browserTests],
          exclude: heavy,
          isolate: false,
          execArgv: collection,
        },
      },
      { extends: true, test: { name: 'judges', include: [judges] } },
      ...Object.entries(gates).map(([name, file]) => ({
        extends: true as const,
        test: { name, include: [`test/${file}.test.ts`] },
      })),
    ],
  },
});
