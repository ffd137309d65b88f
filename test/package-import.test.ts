import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';
import { sampled } from './support/thorough.ts';
import { partial } from 'zod/mini';
import { entryPointsOf } from '../scripts/entry-points.ts';
import * as troupe from '../src/index.ts';
import { decisionSchema } from '../src/contracts/agents/decision.ts';
import { planSchema } from '../src/tools/plans/plan-state.ts';
import { taskSchema } from '../src/contracts/tasks/task.ts';

const folder = inject('builtPackage');
const root = resolve(import.meta.dirname, '..');

/** What is opened as soon as an entry point of the published package is imported. */
const openedBy = async (
  built: string,
): Promise<{ readonly files: number; readonly bytes: number; readonly packages: readonly string[] }> => {
  const entry = join(folder, built);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    outdir: 'out',
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    treeShaking: false,
    logLevel: 'silent',
  });
  const { inputs } = metafile;
  const files = new Set(Object.keys(inputs).filter((path) => resolve(root, path) === entry));
  const packages = new Set<string>();
  for (const path of files)
    for (const each of inputs[path]?.imports ?? []) {
      if (each.kind !== 'import-statement') continue;
      (each.external === true ? packages : files).add(each.path);
    }
  const bytes = [...files].reduce((sum, path) => sum + (inputs[path]?.bytes ?? 0), 0);
  return { files: files.size, bytes, packages: [...packages].sort() };
};

/** Packages that are loaded by somebody who has installed them. */
const OPTIONAL = ['openai', '@anthropic-ai/sdk', '@pydantic/genai-prices', '@opentelemetry/api'];

const builtAs = (name: string): string => entryPointsOf().find((each) => each.name === name)?.built ?? '';

describe('an import of the published package', () => {
  test('opens a few files of a bounded size', async () => {
    const { files, bytes } = await openedBy('index.js');
    expect(files).toBeGreaterThan(1);
    expect(files).toBeLessThanOrEqual(6);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(1_136_000);
  });

  test('opens no other package than those that every agent needs, and nothing of Node', async () => {
    const { packages } = await openedBy('index.js');
    expect(packages).toEqual([
      '@noble/hashes/sha2.js',
      '@noble/hashes/utils.js',
      'rxjs',
      'xstate',
      'zod',
      'zod/mini',
      'zod/v4/locales',
    ]);
  });

  test.each([
    ['troupe/client', 8, 80_000],
    ['troupe/stores', 20, 400_000],
    ['troupe/memory', 20, 400_000],
  ])('of %s alone opens neither XState nor RxJS', async (name, most, size) => {
    const { files, bytes, packages } = await openedBy(builtAs(name));
    expect(packages.filter((each) => each === 'xstate' || each === 'rxjs')).toEqual([]);
    expect(files).toBeLessThanOrEqual(most);
    expect(bytes).toBeLessThanOrEqual(size);
  });

  const forPages = [
    'troupe',
    'troupe/patterns',
    'troupe/models',
    'troupe/memory',
    'troupe/client',
    'troupe/react',
  ];
  test.each(sampled(forPages, 5))(
    '%s is bundled for a page as it is, where no optional package is installed',
    async (name) => {
      const { errors, metafile } = await build({
        absWorkingDir: root,
        entryPoints: [join(folder, builtAs(name))],
        bundle: true,
        write: false,
        metafile: true,
        splitting: true,
        outdir: 'out',
        format: 'esm',
        platform: 'browser',
        logLevel: 'silent',
        alias: Object.fromEntries(OPTIONAL.map((each) => [each, 'not-installed'])),
      });
      expect(errors).toEqual([]);
      expect(Object.keys(metafile.inputs).length).toBeGreaterThan(0);
    },
  );

  test.each(['src/index.ts', join(folder, 'index.js')])(
    'an agent of %s takes nothing of the large face of zod along',
    async (entry) => {
      const { metafile } = await build({
        absWorkingDir: root,
        stdin: {
          contents: `export { agent } from ${JSON.stringify(resolve(root, entry))}`,
          resolveDir: root,
        },
        bundle: true,
        write: false,
        metafile: true,
        splitting: true,
        outdir: 'out',
        format: 'esm',
        platform: 'browser',
        external: OPTIONAL,
        logLevel: 'silent',
      });
      const taken = new Map<string, number>();
      for (const { inputs } of Object.values(metafile.outputs))
        for (const [path, { bytesInOutput }] of Object.entries(inputs))
          taken.set(path, (taken.get(path) ?? 0) + bytesInOutput);
      const weightOf = (part: string): number =>
        [...taken].reduce((sum, [path, bytes]) => (path.includes(part) ? sum + bytes : sum), 0);
      expect(weightOf('zod/v4/mini/schemas.js')).toBeGreaterThan(0);
      expect(weightOf('zod/v4/classic/schemas.js')).toBe(0);
    },
  );

  test('of troupe/client opens no package at all', async () => {
    expect((await openedBy('client/index.js')).packages).toEqual([]);
  });

  test('gives from each entry point what its source gives, and no more', async () => {
    // The bundler must not add to what an entry point exports where it puts parts of several together.
    const exportsOf = async (base: string, end: string): Promise<Record<string, readonly string[]>> => {
      const names = entryPointsOf().map(({ built }) => built.replace(/\.js$/, ''));
      const { metafile } = await build({
        absWorkingDir: root,
        entryPoints: names.map((name) => ({ in: join(base, `${name}${end}`), out: name })),
        bundle: true,
        splitting: true,
        outdir: join(root, 'out'),
        write: false,
        metafile: true,
        format: 'esm',
        platform: 'node',
        packages: 'external',
        logLevel: 'silent',
      });
      const { outputs } = metafile;
      return Object.fromEntries(
        names.map((name) => [name, (outputs[`out/${name}.js`]?.exports ?? []).toSorted()]),
      );
    };
    const built = await exportsOf(folder, '.js');
    expect(built['index']).toContain('agent');
    expect(built).toEqual(await exportsOf(join(root, 'src'), '.ts'));
  });

  test('loads no locale, draws no random id, and makes hardly a schema', () => {
    const script = `
      import * as z from 'zod';
      const counts = { schemas: 0, locales: 0, ids: 0 };
      globalThis.__zod_globalConfig.postProcessor = () => { counts.schemas += 1; };
      z.string();
      if (counts.schemas !== 1) throw new Error('Cannot count schemas');
      counts.schemas = 0;
      for (const name of ['NumberFormat', 'DateTimeFormat', 'Segmenter', 'Collator'])
        Intl[name] = new Proxy(Intl[name], { construct(...args) { counts.locales += 1; return Reflect.construct(...args); } });
      const { crypto } = globalThis;
      for (const name of ['randomUUID', 'getRandomValues'])
        crypto[name] = () => { counts.ids += 1; throw new Error('Too early'); };
      await import(${JSON.stringify(pathToFileURL(join(folder, 'index.js')).href)});
      console.log(JSON.stringify(counts));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { schemas, ...others } = JSON.parse(stdout) as { readonly schemas: number };
    expect(others).toEqual({ locales: 0, ids: 0 });
    expect(schemas).toBeLessThanOrEqual(10);
  });
});

describe('a schema that is made when it is first used', () => {
  test('is one of zod all the same', () => {
    expect(Object.keys(taskSchema.shape)).toContain('objective');
    expect(taskSchema.shape.id).toBe(taskSchema.shape.id);
    expect(taskSchema.parse({ objective: 'Greet' })).toMatchObject({ id: 'task', resources: [] });
    expect(partial(taskSchema).parse({ id: 'a' })).toMatchObject({ id: 'a' });
    expect(planSchema.safeParse({ steps: [] }).success).toBe(false);
    expect(decisionSchema.parse({ kind: 'answer', answer: 1 })).toEqual({ kind: 'answer', answer: 1 });
  });

  test('checks decisions within decisions', () => {
    const branch = (decision: unknown): unknown => ({ kind: 'branch', candidates: [{ decision }] });
    expect(decisionSchema.safeParse(branch(branch({ kind: 'wait' }))).success).toBe(true);
    expect(decisionSchema.safeParse(branch(branch({ kind: 'sleep' }))).success).toBe(false);
  });
});

describe('a tool of the package', () => {
  const tools = Object.entries(troupe).filter(
    ([, value]) => typeof value === 'object' && 'execute' in value && 'parameters' in value,
  );

  test('is found', () => {
    expect(tools.map(([name]) => name)).toEqual(
      expect.arrayContaining(['askPerson', 'calculator', 'clock', 'complete', 'plan', 'respond']),
    );
  });

  test.each(tools)('%s is one that tool() would take', (_, own) => {
    const { name, description, parameters } = own as troupe.Tool;
    expect(() => troupe.tool({ name, description, parameters, execute: () => null })).not.toThrow();
    expect(parameters['type']).toBe('object');
  });
});
