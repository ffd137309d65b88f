import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiReporter, entryPoints, reportPath, undocumented } from '../scripts/api-report.ts';
import type { EntryPoint } from '../scripts/entry-points.ts';

const root = resolve(import.meta.dirname, '..');

/** Everything that is loaded at once with an entry point: its own files, and packages by their names. */
const loadedWith = async (entry: string): Promise<string[]> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const loaded = new Set([entry]);
  for (const path of loaded) {
    for (const each of metafile.inputs[path]?.imports ?? []) {
      if (each.kind === 'import-statement') loaded.add(each.path);
    }
  }
  return [...loaded];
};

describe('the surface, as its reports have it', () => {
  let report: ReturnType<typeof apiReporter>;
  beforeAll(() => {
    report = apiReporter();
  }, 300_000);

  describe.each(entryPoints)('of $name', (entry) => {
    it('[QITOS-106] is the one that was reviewed (after a change: npm run api:update)', () => {
      expect(report(entry, false)).toEqual({ upToDate: true, problems: [] });
    });

    it('has a docstring on each export', () => {
      expect(undocumented(entry)).toEqual([]);
    });
  });

  it('is no bound to what a module of a user may export: the compiler finds a name for all that it infers', () => {
    expect(complaintsOf(MODULE_OF_A_USER)).toEqual([]);
  });
});

/** A module of a user, who publishes what ours infer for it. */
const MODULE_OF_A_USER = `
import { agent, agentMachine, delegate, fanOut, locks, perProvider, signature, tool } from 'troupe';
import { debate, patternRegistry, pipeline, rotation, workflow } from 'troupe/patterns';
import { memoryEnvironment, protocol } from 'troupe/tools';
import { keyValueMemory } from 'troupe/memory';
import { publishTo, traceFiles, type Publisher } from 'troupe/inspect';
import { metrics, profiler } from 'troupe/telemetry';
import * as z from 'zod';
declare const publisher: Publisher;
export const clerk = agent({ name: 'clerk', input: z.object({ order: z.string() }), output: 'total: number', state: { seen: 0 } });
export const logic = clerk.logic;
export const add = tool({ name: 'add', description: 'Adds one.', input: z.object({ to: z.number() }), execute: ({ to }) => to + 1 });
export const passOn = delegate({ to: [agent({ name: 'colleague' })] });
export const ask = fanOut({ to: [agent({ name: 'colleague' })] });
export const shared = [locks(), perProvider({ limits: {} }), rotation(), signature('question -> answer')];
export const talk = debate({ name: 'talk', debaters: { one: agent({ name: 'one' }), other: agent({ name: 'other' }) } });
export const line = pipeline({ name: 'line', stages: [agent({ name: 'one' }), agent({ name: 'other' })] });
export const patterns = patternRegistry();
export const flow = workflow({ name: 'flow' }).node('one', agent({ name: 'one' }));
export const files = memoryEnvironment();
export const words = protocol({ from: 'one', to: 'other', messages: {} });
export const facts = keyValueMemory();
export const hooks = [metrics(), profiler(), traceFiles({ folder: 'traces' }), publishTo(publisher)];
export const machine = agentMachine;
`;

/** What the compiler says to a module of a user, beside the declarations that the reports were made from. */
const complaintsOf = (text: string): readonly string[] => {
  const home = join(root, '.tmp/user');
  const installed = join(home, 'node_modules/troupe');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, '.tmp/types'), join(installed, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'user', type: 'module' }));
  writeFileSync(join(home, 'module.ts'), text);
  const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true };
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, declaration: true, emitDeclarationOnly: true, types: ['node'] },
      files: ['module.ts'],
    }),
  );
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', home], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
};

/** The names that an entry point exports, each with its kind and how the report declares it. */
const exportsOf = (
  entry: EntryPoint,
): readonly { readonly name: string; readonly kind: string; readonly text: string }[] =>
  readFileSync(reportPath(entry), 'utf8')
    .split(/\n\n(?=\/\/ )/)
    .flatMap((block) => {
      const [, kind = 'alias', name] =
        /^export (?:abstract )?(?:(const|function|class|interface|type) |\{ (?:[\w$]+ as )?)([\w$]+)/m.exec(
          block,
        ) ?? [];
      if (name === undefined) return [];
      return [{ name, kind, text: block.replaceAll(/^\/\/.*$/gm, '') }];
    });

/** Types that users write for an option whose own type needs no name. */
const WRITTEN_BY_USERS = new Set([
  'Budget',
  'ChatProfile',
  'ExternalEngine',
  'Member',
  'RecoveryPolicy',
  'SupervisionPolicy',
  'TeamSetup',
  'TokenCounter',
  'VectorIndex',
]);

describe('a face that a person can hold', () => {
  const exported = entryPoints.flatMap(exportsOf);

  it('has at most 16 entries: nine that one guesses, and those for pages, React, telemetry, policies and three protocols', () => {
    expect(entryPoints.map(({ name }) => name)).toEqual([
      'troupe',
      ...['patterns', 'tools', 'models', 'memory', 'stores', 'inspect', 'testing', 'server'].map(
        (name) => `troupe/${name}`,
      ),
      ...['client', 'react', 'telemetry', 'policy', 'mcp', 'a2a', 'acp'].map((name) => `troupe/${name}`),
    ]);
  });

  it('has at most 450 names', () => {
    expect(exported.length).toBeGreaterThan(400);
    expect(exported.length).toBeLessThanOrEqual(450);
  });

  it('has no name twice', () => {
    const names = exported.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('exports no type that no exported signature shows', () => {
    const wordsOf = (text: string): readonly string[] => text.match(/[\w$]+/g) ?? [];
    const users = new Map<string, Set<string>>();
    for (const { name, text } of exported)
      for (const word of wordsOf(text)) users.set(word, (users.get(word) ?? new Set()).add(name));
    const isShown = (name: string): boolean => [...(users.get(name) ?? [])].some((user) => user !== name);
    const types = exported.filter(({ kind }) => kind === 'interface' || kind === 'type');
    expect(
      types.map(({ name }) => name).filter((name) => !isShown(name) && !WRITTEN_BY_USERS.has(name)),
    ).toEqual([]);
  });

  it('has no inferred type that spells itself out: no report of an entry has more than 2,000 lines', () => {
    const lines = entryPoints.map((entry) => readFileSync(reportPath(entry), 'utf8').split('\n').length);
    expect(Math.max(...lines)).toBeLessThanOrEqual(2_000);
  });
});

describe('the package', () => {
  it('names only entry points and commands that have a source', () => {
    const manifest = readFileSync(join(root, 'package.json'), 'utf8');
    const built = [...manifest.matchAll(/"\.\/dist\/(.*)\.js"/g)].map(([, path]) => `src/${path}.ts`);
    expect(built).not.toEqual([]);
    expect(built.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('[DODO-67] exports nothing of old: what is replaced is gone', () => {
    const exported = entryPoints.flatMap((entry) =>
      [...readFileSync(reportPath(entry), 'utf8').matchAll(/^export \S+ (?:class |abstract )?(\w+)/gm)].map(
        ([, name]) => name,
      ),
    );
    expect(exported.length).toBeGreaterThan(100);
    expect(exported.filter((name) => /legacy|compat|deprecat|adapter/i.test(name ?? ''))).toEqual([]);
    expect(
      entryPoints.flatMap((entry) => readFileSync(reportPath(entry), 'utf8').match(/@deprecated/g) ?? []),
    ).toEqual([]);
  });

  it('[KAIZEN-31] loads no provider SDK, database or inspector, and nothing of Node, when it is imported', async () => {
    const heavy =
      /^(openai|@anthropic-ai\/|node:|libsql|@statelyai\/|@opentelemetry\/|src\/(inspect|testing|cli)\/)/;
    expect((await loadedWith('src/index.ts')).filter((path) => heavy.test(path))).toEqual([]);
  });

  /** Stores, the inspector's server and the tools of tests live in processes. */
  const ofProcesses = /stores|inspect$|testing/;

  it.each(entryPoints.filter(({ name }) => !ofProcesses.test(name)))(
    '$name loads nothing of Node until it is used: a page may import it',
    async ({ source }) => {
      expect((await loadedWith(source)).filter((path) => path.startsWith('node:'))).toEqual([]);
    },
  );
});
