/**
 * Builds the guide as a site of static files: draws the charts, bundles what programs of the pages run on, writes `llms.txt`, and has
 * VitePress do the rest.
 *
 *   npm run docs              into .tmp/site
 *   npm run docs -- --dev     serves it while it is written
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { chartSvg } from '../src/inspect/drawing/chart-svg.ts';
import { chartShape } from '../src/inspect/recording/chart-shape.ts';
import { llmsFullText, llmsText } from './llms.ts';
import { plainChart } from './plain-chart.ts';
import { machines } from './readme.ts';

const root = resolve(import.meta.dirname, '..');
const made = join(root, '.tmp/site-public');

/** Bundles the runtime for the browser: what it loads on demand stays apart, and nothing of Node is in the rest. */
const bundlePlayground = async (): Promise<void> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { runtime: 'scripts/playground.ts' },
    outdir: join(made, 'playground'),
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    tsconfig: 'tsconfig.json',
    // Each is loaded on demand, by somebody who has installed it.
    external: [
      'node:*',
      'openai',
      '@anthropic-ai/sdk',
      '@cedar-policy/*',
      '@pydantic/genai-prices',
      '@opentelemetry/api',
      'croner',
      'pg',
      'ws',
      'libsql',
      'nostr-tools',
    ],
    logLevel: 'warning',
  });
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: next } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') load(next);
  };
  load(Object.keys(metafile.outputs).find((path) => path.endsWith('/runtime.js')) ?? '');
  const ofNode = [...loaded].filter((path) => path.startsWith('node:'));
  if (ofNode.length > 0) throw new Error(`Cannot run programs in a browser with ${ofNode.join(', ')}`);
};

rmSync(made, { recursive: true, force: true });
mkdirSync(join(made, 'charts'), { recursive: true });
for (const [name, machine] of Object.entries(machines))
  writeFileSync(join(made, 'charts', `${name}.svg`), chartSvg(plainChart(chartShape(machine()))));
for (const name of ['inspector-light.png', 'inspector-dark.png'])
  copyFileSync(join(root, 'docs', name), join(made, name));
writeFileSync(join(made, 'llms.txt'), llmsText());
writeFileSync(join(made, 'llms-full.txt'), llmsFullText());
await bundlePlayground();

const command = process.argv.includes('--dev') ? 'dev' : 'build';
const { status } = spawnSync(join(root, 'docs/node_modules/.bin/vitepress'), [command], {
  cwd: join(root, 'docs'),
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
