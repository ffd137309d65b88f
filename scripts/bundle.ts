/**
 * Bundles what is published: one module for each entry point, and the parts that they share, or load when they need
 * them, as chunks beside them. An import of troupe opens a few files, not hundreds (decision 0009).
 *
 *   tsx scripts/bundle.ts [FOLDER]     default: dist
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'rolldown';
import { entryPointsOf } from './entry-points.ts';
import { buildPage } from './page.ts';

const root = resolve(import.meta.dirname, '..');

const withinBuild = (path: string): string => path.replace('./dist/', '');

/** The commands of the package, within the build. */
const commands = (): readonly string[] => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>;
  };
  return Object.values(bin).map(withinBuild);
};

/** What `troupe inspect -- COMMAND` has Node load first in the processes of the command. */
const PRELOADED = 'cli/attach.js';
/** The entry point that brings in most of the others' parts. */
const MAIN = 'index.js';
/** The entry point that pages load which only look on: it has no part that needs a package. */
const LEAST = 'client/index.js';
/** An entry point with less than this share of the modules of the main one has those in a chunk without the rest. */
const SMALL = 0.25;
/** Packages that are opened quickly, or that every agent needs. */
const LIGHT = /^(zod(\/.+)?|@noble\/hashes\/.+)$/;

/** Packages that are a part of what is published, with what they are made of: nobody has to install them. */
const BUNDLED = [
  '@dagrejs/dagre',
  '@dagrejs/graphlib',
  'get-east-asian-width',
  'marked',
  'preact',
  '@preact/signals',
  '@preact/signals-core',
];

/** Helpers of the bundler's own are a part of what it makes. */
const isPackage = (path: string): boolean => !/^(\.|@oxc-project\/runtime\/)/.test(path) && !isAbsolute(path);

/** What the main entry point loads, in chunks: each with all that its modules load, apart from what is in those before it. */
const CHUNKS = ['least', 'small', 'shared', 'main'] as const;

/** Follows what modules import as they are parsed, and says in which of {@link CHUNKS} a module goes; undefined: in another. */
const chunking = (files: readonly string[]) => {
  const imported = new Map<string, readonly string[]>();
  const loadedBy = (module: string): ReadonlySet<string> => {
    const loaded = new Set([module]);
    for (const found of loaded) for (const each of imported.get(found) ?? []) loaded.add(each);
    return loaded;
  };
  const divide = (): ReadonlyMap<string, string> => {
    const main = loadedBy(sourceOf(MAIN));
    const least = loadedBy(sourceOf(LEAST));
    const entries = new Set(files.map(sourceOf));
    const parts = [...entries].map(loadedBy).filter(({ size }) => size < main.size * SMALL);
    const nameOf = (module: string): (typeof CHUNKS)[number] => {
      if (least.has(module)) return 'least';
      if (!parts.some((part) => part.has(module))) return 'main';
      return [...loadedBy(module)].every((each) => !isPackage(each) || LIGHT.test(each)) ? 'small' : 'shared';
    };
    return new Map(
      [...main].filter((each) => isAbsolute(each) && !entries.has(each)).map((each) => [each, nameOf(each)]),
    );
  };
  let chunks: ReadonlyMap<string, string> | undefined;
  const plugin: Plugin = {
    name: 'imports of modules',
    moduleParsed: ({ id, importedIds }) => {
      imported.set(id, importedIds);
    },
  };
  return { plugin, chunkOf: (module: string) => (chunks ??= divide()).get(module) };
};

const sourceOf = (file: string): string => join(root, 'src', file.replace(/\.js$/, '.ts'));

/** Bundles entry points and commands into `folder`, an empty one or one that may be written over. */
export const bundlePackage = async (folder: string): Promise<void> => {
  const files = [...new Set([...entryPointsOf().map(({ built }) => built), ...commands(), PRELOADED])];
  const { plugin, chunkOf } = chunking(files);
  await build({
    cwd: root,
    input: Object.fromEntries(files.map((file) => [file.replace(/\.js$/, ''), sourceOf(file)])),
    platform: 'node',
    external: (path, importer) => importer !== undefined && isPackage(path) && !BUNDLED.includes(path),
    plugins: [plugin],
    transform: { target: 'es2023' },
    // Source maps say where things come from: a line for each module is 26 kB for who opens them.
    experimental: { attachDebugInfo: 'none' },
    output: {
      dir: resolve(root, folder),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      comments: { legal: true, annotation: true, jsdoc: false },
      sourcemap: true,
      sourcemapExcludeSources: true,
      codeSplitting: {
        groups: CHUNKS.map((name, index) => ({
          name,
          priority: CHUNKS.length - index,
          test: (module) => chunkOf(module) === name,
        })),
      },
    },
    logLevel: 'warn',
  });
  dropBareImports(resolve(root, folder));
  const page = resolve(root, folder, 'inspect/page.html');
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, await buildPage());
  writeFileSync(resolve(root, folder, 'licences.txt'), bundledLicences());
};

/**
 * Drops imports of Node's modules of which nothing is used: the bundler leaves one of its own, which no page can load. The lines stay, for
 * the source maps.
 */
const dropBareImports = (folder: string): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const code = readFileSync(join(folder, name), 'utf8');
    const without = code.replaceAll(/^import "node:[^"]*";$/gm, '');
    if (without !== code) writeFileSync(join(folder, name), without);
  }
};

/** The licences of the bundled packages, which each asks to be passed on with it. */
const bundledLicences = (): string =>
  BUNDLED.map((name) => {
    const folder = join(root, 'node_modules', name);
    const licence = readdirSync(folder).find((file) => file.toLowerCase() === 'license') ?? 'LICENSE';
    return `${name}\n\n${readFileSync(join(folder, licence), 'utf8')}`;
  }).join('\n');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await bundlePackage(process.argv[2] ?? 'dist');
