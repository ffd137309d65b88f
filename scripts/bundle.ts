/**
 * Bundles what is published: one module for each entry point, and the parts that they share, or load when they need
 * them, as chunks beside them. Whoever imports troupe opens a few files, not hundreds (decision 0009).
 *
 *   tsx scripts/bundle.ts [FOLDER]     default: dist
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { buildPage } from './page.ts';

const folder = process.argv[2] ?? 'dist';
const root = resolve(import.meta.dirname, '..');
const manifest = readFileSync(join(root, 'package.json'), 'utf8');

/** Entry points and commands, by what the manifest says is built. */
const entries = [...manifest.matchAll(/"\.\/dist\/(.*)\.js"/g)].map(([, path]) => `src/${path}.ts`);

await build({
  absWorkingDir: root,
  entryPoints: [...new Set(entries)],
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
