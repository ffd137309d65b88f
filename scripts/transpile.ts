/**
 * Transpiles the sources file by file into a folder, for tests: Node imports them there as they are. A module costs a fraction of
 * what it costs where vitest transforms and runs it, and its code is as fast as what is published (decision 0023).
 */
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
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

/** Exports that a test may replace, by source: see `test/support/replace-source.ts`. */
const replaceable = {
  'runtime/run/start-run': 'startRun',
  'runtime/turn/mover': 'moverOf',
  'testing/scripted-model': 'scriptedModel',
  'tools/define/define-tool': 'tool',
} as const;

/** A source of which a test may replace an export. */
export type Replaceable = keyof typeof replaceable;

/** Puts a module in front of a source that gives what a test has made of its export, if one has. */
const makeReplaceable = (folder: string, source: string, name: string): void => {
  const file = join(folder, `${source}.js`);
  const real = `./${basename(source)}.real.js`;
  renameSync(file, join(dirname(file), real));
  writeFileSync(
    file,
    `import * as real from '${real}';
export * from '${real}';
const replace = globalThis[Symbol.for('troupe.test.replacements')]?.get('${source}');
export const { ${name} } = replace === undefined ? real : replace(real);
`,
  );
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
  for (const [source, name] of Object.entries(replaceable)) makeReplaceable(folder, source, name);
};
