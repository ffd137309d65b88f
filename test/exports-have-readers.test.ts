import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

interface Source {
  readonly path: string;
  readonly text: string;
}

const sourcesIn = (room: string): readonly Source[] =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map((path) => ({ path: `${room}/${path}`, text: readFileSync(join(root, room, path), 'utf8') }));

/** The functions, classes and constants of `sources` that are exported although no other file says their names. */
const unread = (sources: readonly Source[], readers: readonly Source[] = []): readonly string[] => {
  const files = new Map<string, Set<string>>();
  for (const { path, text } of [...sources, ...readers])
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g)))
      files.set(word, (files.get(word) ?? new Set()).add(path));
  return sources.flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(/^export (?:const|(?:async )?function\*?|(?:abstract )?class) ([A-Za-z_$][\w$]*)/gm),
      ([, name = '']) => name,
    )
      .filter((name) => files.get(name)?.size === 1)
      .map((name) => `${path}: ${name}`),
  );
};

describe('what a file of the sources exports', () => {
  test('is found where nobody else says its name', () => {
    const one = {
      path: 'a.ts',
      text: 'export const kept = 1;\nexport function lost() {}\nexport class Read {}',
    };
    const other = { path: 'b.ts', text: "import { kept } from './a.ts';" };
    expect(unread([one, other], [{ path: 'c.test.ts', text: 'new Read()' }])).toEqual(['a.ts: lost']);
  });

  test('[FIND-39] has a reader: another source, a test, an example or a script', () => {
    expect(unread(sourcesIn('src'), ['test', 'examples', 'scripts', 'bench'].flatMap(sourcesIn))).toEqual([]);
  });
});
