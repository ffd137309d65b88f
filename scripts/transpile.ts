/**
 * Transpiles the sources file by file into a folder, for tests: Node imports them there as they are. A module costs a fraction of
 * what it costs where vitest transforms and runs it, and its code is as fast as what is published (decision 0023).
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { transform, TsconfigCache } from 'rolldown/utils';

const root = resolve(import.meta.dirname, '..');

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
  const sources = join(root, 'src');
  const configurations = new TsconfigCache();
  const transpile = async (source: string): Promise<void> => {
    const file = join(sources, source);
    const { code, map, errors } = await transform(
      file,
      readFileSync(file, 'utf8'),
      { tsconfig: true, sourcemap: true, typescript: { rewriteImportExtensions: 'rewrite' } },
      configurations,
    );
    if (errors[0] !== undefined) throw errors[0];
    // A failure names the line of the source that it has: Node reads these where it is asked to.
    const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
    const target = join(folder, source.replace(/\.tsx?$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`);
  };
  const modules = readdirSync(sources, { encoding: 'utf8', recursive: true });
  await Promise.all(modules.filter((file) => /\.tsx?$/.test(file)).map(transpile));
  for (const [source, name] of Object.entries(replaceable)) makeReplaceable(folder, source, name);
};
