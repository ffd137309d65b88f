/**
 * Transpiles the sources file by file into a folder, for tests: Node imports them there as they are. A module costs a fraction of
 * what it costs where vitest transforms and runs it, and its code is as fast as what is published (decision 0023).
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** Files of TypeScript below a folder, by their paths in it; those of packages that lie there left out. */
const modulesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
    (file) => /(?<!\.d)\.tsx?$/.test(file) && !/(^|\/)node_modules\//.test(file),
  );

/** What only vitest does for a test: it replaces modules, writes snapshots, lowers `using`, and loads JSON and programs in TypeScript. */
const NEEDS_VITEST =
  /\bvi\.(mock|doMock|hoisted)\(|\bawait using\b|\b(replaceSource|withoutPackages|\w+InlineSnapshot)\(|\bimport\((?!['"](node:|[a-z@]))|from '([^']+\.json|troupe(\/\w+)?|[^']+\/(scripts|examples|bench|src\/cli)\/[^']+|[^']+\/page-text\.ts)'/;

/** Modules of `test` that Node can import as they are, with all that they import. */
const plainTests = (tests: string): readonly string[] => {
  const texts = new Map(modulesIn(tests).map((file) => [file, readFileSync(join(tests, file), 'utf8')]));
  const importedBy = (file: string): readonly string[] =>
    Array.from((texts.get(file) ?? '').matchAll(/ from '(\.[^']+)'/g), ([, path = '']) =>
      relative(tests, resolve(tests, dirname(file), path)),
    ).filter((path) => !path.startsWith('..'));
  const plain = new Map<string, boolean>();
  const isPlain = (file: string): boolean => {
    const known = plain.get(file);
    if (known !== undefined) return known;
    // A circle is as plain as the rest of it.
    plain.set(file, true);
    const text = texts.get(file);
    const found = text !== undefined && !NEEDS_VITEST.test(text) && importedBy(file).every(isPlain);
    plain.set(file, found);
    return found;
  };
  return [...texts.keys()].filter(isPlain);
};

/** Transpiles all of `src`, and of `test` what needs no vitest to be imported, into `folder`, as they lie here. */
export const transpileSources = async (folder: string): Promise<void> => {
  const configurations = new TsconfigCache();
  const transpile = async (source: string): Promise<void> => {
    const file = join(root, source);
    const { code, map, errors } = await transform(
      file,
      readFileSync(file, 'utf8'),
      {
        tsconfig: true,
        sourcemap: true,
        typescript: { rewriteImportExtensions: 'rewrite' },
        // A test finds what lies beside it.
        ...(source.startsWith('test/') ? { define: placeOf(file) } : {}),
      },
      configurations,
    );
    if (errors[0] !== undefined) throw errors[0];
    // A failure names the line of the source that it has: Node reads these where it is asked to.
    const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
    const target = join(folder, source.replace(/\.tsx?$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`);
  };
  const sources = modulesIn(join(root, 'src')).map((file) => join('src', file));
  const tests = plainTests(join(root, 'test')).map((file) => join('test', file));
  await Promise.all([...sources, ...tests].map(transpile));
  for (const [source, name] of Object.entries(replaceable))
    makeReplaceable(join(folder, 'src'), source, name);
};

const placeOf = (file: string): Record<string, string> => ({
  'import.meta.dirname': JSON.stringify(dirname(file)),
  'import.meta.filename': JSON.stringify(file),
  'import.meta.url': JSON.stringify(pathToFileURL(file).href),
});
