import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entryPointsOf, type EntryPoint } from '../scripts/entry-points.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The cells of each row of the tables in a Markdown text, heads left out. */
const rowsIn = (text: string): readonly (readonly string[])[] =>
  text
    .split('\n')
    .filter((line) => /^\| (?!-)/.test(line))
    .map((line) =>
      line
        .slice(2, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
    .filter(([first]) => first !== 'there' && first !== 'row');

const page = read('docs/names.md');
const sections = page.split('\n## ').slice(1);
const ROW = /^(?:ENG|TENEX|KAIZEN|DODO|QITOS)-/;

/** The files that an entry exports from. */
const exportingFiles = ({ source }: EntryPoint): readonly string[] =>
  Array.from(read(source).matchAll(/ from '(\..+)';/g), ([, file = '']) =>
    posix.join(posix.dirname(source), file),
  );

/** What the package has, by entry: the reports of its surface. */
const reports = new Map(
  readdirSync(join(root, 'docs/api')).map((file) => [
    file.replace('.api.md', '').replace('troupe-', 'troupe/'),
    read(`docs/api/${file}`),
  ]),
);
const surface = [
  ...reports.keys(),
  ...reports.values(),
  // Options are of types that have no name in the reports: the files that have what is exported say them.
  ...entryPointsOf().flatMap(exportingFiles).map(read),
  read('src/cli/usage/command-shapes.ts'),
  read('docs/guide/command-line.md'),
].join('\n');

const has = (text: string, word: string): boolean =>
  new RegExp(`(?<![\\w$])${word.replaceAll('$', '\\$')}(?![\\w$])`).test(text);

describe('[FIND-36] the page "your name → ours"', () => {
  test('has the names of all five systems', () => {
    const titles = sections.map((section) => section.split('\n')[0]);
    expect(titles).toEqual(['Execution engine sketch', 'TENEX', 'Kaizen', 'dodo', 'QitOS']);
    for (const section of sections) expect(rowsIn(section).length, section.slice(0, 20)).toBeGreaterThan(8);
  });

  test('has each row whose name or number differs, in the words of the page of rows', () => {
    const differing = rowsIn(read('docs/coverage.md').split('## Where the design wins')[1] ?? '').filter(
      ([, there = '', here = '']) =>
        /[0-9`]|\b(?:one|two|three|four|six|seven|temperature)\b/.test(there + here),
    );
    const shown = new Map(
      rowsIn(page)
        .filter(([row = '']) => ROW.test(row))
        .map(([row = '', ...cells]) => [row, cells] as const),
    );
    expect(differing.length).toBeGreaterThanOrEqual(39);
    for (const [row = '', there, here] of differing) expect(shown.get(row), row).toEqual([there, here]);
    expect(shown.size).toBe(differing.length);
  });

  test('names nothing of ours that there is not', () => {
    const lost = rowsIn(page).flatMap((cells) =>
      Array.from(cells.at(-1)?.matchAll(/`([^`]+)`/g) ?? [], ([, code = '']) => code)
        .filter((code) => !/[<'"]/.test(code) && !/^(?:yes|maybe|no|null)$/.test(code))
        .flatMap((code) => code.match(/[A-Za-z][\w$-]{2,}/g) ?? [])
        .filter((word) => !has(surface, word)),
    );
    expect(lost).toEqual([]);
  });

  test('names each entry of the package by what is in it', () => {
    const { exports } = z
      .object({ exports: z.record(z.string(), z.unknown()) })
      .parse(JSON.parse(read('package.json')));
    const wrong = rowsIn(page).flatMap(([, here = '']) =>
      Array.from(
        here.matchAll(/((?:`[^`]+`(?:, | and )?)+) of `(troupe\/\w+)`/g),
        ([, names = '', entry = '']) => {
          if (exports[`./${entry.replace('troupe/', '')}`] === undefined) return entry;
          const report = reports.get(entry) ?? '';
          return Array.from(names.matchAll(/`([\w$]+)/g), ([, name = '']) => name).filter(
            (name) => !has(report, name),
          );
        },
      ).flat(),
    );
    expect(wrong).toEqual([]);
  });
});
