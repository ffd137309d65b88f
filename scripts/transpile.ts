/**
 * Transpiles the sources file by file into a folder, for tests: Node imports them there as they are. A module costs a fraction of
 * what it costs where vitest transforms and runs it, and its code is as fast as what is published (decision 0023).
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');

/** Leads from each module to its neighbours as they are called when they are transpiled. */
const neighbours: Plugin = {
  name: 'neighbours',
  setup: (build) => {
    build.onResolve({ filter: /^\.\.?\// }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.tsx?$/, '.js'), external: true },
    );
  },
};

/** Transpiles all of `src` into `folder`, as it lies there. */
export const transpileSources = async (folder: string): Promise<void> => {
  const modules = readdirSync(join(root, 'src'), { encoding: 'utf8', recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: modules.filter((file) => /\.tsx?$/.test(file)).map((file) => join('src', file)),
    outbase: 'src',
    outdir: folder,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // A failure names the line of the source that it has: Node reads these where it is asked to.
    sourcemap: 'inline',
    plugins: [neighbours],
    logLevel: 'warning',
  });
};
