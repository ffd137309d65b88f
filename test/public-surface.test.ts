import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiReporter, entryPoints, reportPath, undocumented } from '../scripts/api-report.ts';

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
  });

  describe.each(entryPoints)('of $name', (entry) => {
    it('[QITOS-106] is the one that was reviewed (after a change: npm run api:update)', () => {
      expect(report(entry, false)).toEqual({ upToDate: true, problems: [] });
    });

    it('has a docstring on each export', () => {
      expect(undocumented(entry)).toEqual([]);
    });
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
});
