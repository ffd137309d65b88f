/**
 * Bundles what is published: one module for each entry point, and the parts that they share, or load when they need
 * them, as chunks beside them. Whoever imports troupe opens a few files, not hundreds (decision 0009).
 *
 *   tsx scripts/bundle.ts [FOLDER]     default: dist
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildPage } from './page.ts';

const root = resolve(import.meta.dirname, '..');

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

/** One module that a user of the package may import. */
export interface BuiltEntry {
  /** As it is imported: `troupe/testing`. */
  readonly name: string;
  /** Its file within the folder of the build: `testing/index.js`. */
  readonly built: string;
}

const manifest = (): Manifest => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

const withinBuild = (path: string): string => path.replace('./dist/', '');

/** The modules that the manifest exports. */
export const entryPointsOf = (): readonly BuiltEntry[] =>
  Object.entries(manifest().exports).flatMap(([name, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: name.replace('.', 'troupe'), built: withinBuild(target.default) }],
  );

/** Bundles entry points and commands into `folder`, an empty one or one that may be written over. */
export const bundlePackage = async (folder: string): Promise<void> => {
  const files = [
    ...entryPointsOf().map(({ built }) => built),
    ...Object.values(manifest().bin).map(withinBuild),
  ];
  await build({
    absWorkingDir: root,
    entryPoints: [...new Set(files)].map((file) => `src/${file.replace(/\.js$/, '.ts')}`),
    outbase: 'src',
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
  const page = resolve(root, folder, 'inspect/page.html');
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, await buildPage());
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await bundlePackage(process.argv[2] ?? 'dist');
