import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import type { FileOps, HttpOps } from '../../src/contracts/environments/operations.ts';
import type { EnvironmentWorld } from '../../src/testing/environment-laws.ts';
import { environmentLaws } from '../../src/testing/environment-laws.ts';
import { memoryEnvironment } from '../../src/tools/environments/memory-environment.ts';

const page = { url: 'https://pages.example/notes', text: '# Notes' };

const sound = () =>
  memoryEnvironment({
    files: { 'notes.md': '# Notes', 'src/main.ts': 'one\ntwo' },
    commands: { echo: (args) => args.join(' ') },
    pages: { [page.url]: page.text },
  });

/** The names of the laws that do not hold. */
const brokenLaws = async (make: () => EnvironmentWorld): Promise<readonly string[]> => {
  const broken: string[] = [];
  for (const law of environmentLaws(make))
    await law.check().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'environment.unfit' });
      broken.push(law.name);
    });
  return broken;
};

/** An environment whose files do one thing otherwise. */
const withFiles = (change: (files: FileOps) => Partial<FileOps>): Environment => {
  const environment = sound();
  const opened = environment.ops;
  const { files } = opened;
  if (files === undefined) throw new Error('it offers no files');
  const bound: FileOps = {
    read: (...given) => files.read(...given),
    write: (...given) => files.write(...given),
    list: (...given) => files.list(...given),
    stat: (...given) => files.stat(...given),
    remove: (...given) => files.remove(...given),
  };
  return Object.create(environment, {
    ops: { value: { ...opened, files: { ...bound, ...change(bound) } } },
  }) as Environment;
};

describe('[QITOS-40] the laws of environments', () => {
  test('hold for one that is sound, with commands and without', async () => {
    expect(await brokenLaws(() => ({ environment: sound(), print: 'echo' }))).toEqual([]);
    expect(await brokenLaws(() => ({ environment: sound(), page }))).toEqual([]);
    expect(await brokenLaws(() => ({ environment: sound() }))).toEqual([]);
  });

  test('hold for one that offers files and nothing else', async () => {
    const { files } = sound().ops;
    expect(await brokenLaws(() => ({ environment: { ...sound(), ops: { files } } }))).toEqual([]);
  });

  test.each<readonly [string, (files: FileOps) => Partial<FileOps>, string]>([
    [
      'lets paths out',
      (files) => ({ stat: (path) => files.stat(path.replace('../', '')) }),
      'lets nobody out',
    ],
    [
      'says it removed nothing',
      (files) => ({ remove: (path) => files.remove(path).then(() => true) }),
      'removes a file once',
    ],
    [
      'lists as it likes',
      (files) => ({ list: async (path) => (await files.list(path)).toReversed() }),
      'lists in the order of the names',
    ],
    ['hides a file', () => ({ list: () => Promise.resolve([]) }), 'lists a folder'],
    [
      'loses what is written',
      () => ({ write: () => Promise.resolve({ bytes: 8, isNew: true }) }),
      'writes what',
    ],
  ])('find one that %s', async (_, change, name) => {
    const broken = await brokenLaws(() => ({ environment: withFiles(change), print: 'echo' }));
    expect(broken).toContainEqual(expect.stringContaining(name));
  });

  test.each<readonly [string, (http: HttpOps) => HttpOps, string]>([
    [
      'says that all pages are there',
      (http) => ({ request: async (request) => ({ ...(await http.request(request)), status: 200 }) }),
      'fetches a page',
    ],
    [
      'throws for a status',
      (http) => ({
        request: async (request) => {
          const response = await http.request(request);
          if (response.status >= 400) throw new Error(String(response.status));
          return response;
        },
      }),
      'fetches a page',
    ],
    [
      'fetches anything',
      () => ({
        request: ({ url }) => Promise.resolve({ url, status: 404, headers: {}, text: '', isCut: false }),
      }),
      'refuses to fetch',
    ],
  ])('find one that %s', async (_, change, name) => {
    const make = () => {
      const environment = sound();
      const { http } = environment.ops;
      if (http === undefined) throw new Error('it offers no pages');
      return { environment: { ...environment, ops: { ...environment.ops, http: change(http) } }, page };
    };
    expect(await brokenLaws(make)).toContainEqual(expect.stringContaining(name));
  });

  test('dispose of a world also where they do not hold', async () => {
    let disposed = 0;
    const make = () => ({
      environment: withFiles(() => ({ list: () => Promise.resolve([]) })),
      dispose: () => {
        disposed += 1;
      },
    });
    await brokenLaws(make);
    expect(disposed).toBe(environmentLaws(make).length);
  });
});
