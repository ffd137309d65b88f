import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

const ESC = String.fromCodePoint(0x1b);

/** Cells by Unicode's East Asian width and emoji, counted apart from the command's own way to count them. */
const cellsOf = (text: string): number =>
  [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].reduce((sum, { segment }) => {
    const isWide =
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u.test(
        segment,
      );
    return sum + (isWide ? 2 : 1);
  }, 0);

let folder = '';
let runId = '';
let trace = '';
const store = (): readonly string[] => ['--store', join(folder, 'runs.db')];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-cells-'));
  const traces = join(folder, 'traces');
  await play(['run', moduleOf('wide.ts'), '東京', '--trace', traces, ...store()]);
  trace = join(traces, readdirSync(traces)[0] ?? '');
  runId = /"runId":"(\w+)"/.exec((await play(['runs', '--json', ...store()])).stdout)?.[1] ?? '';
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each([40, 80, 120, 200])('a terminal of %i columns', (columns) => {
  test('has no line of the live view wider than it, in cells, however wide the characters are', async () => {
    const { code, stdout, stderr } = await play(['run', moduleOf('wide.ts'), '東京'], {
      isTTY: true,
      columns,
    });
    expect(code).toBe(0);
    const lines = stripVTControlCharacters(stderr).split(/[\r\n]+/);
    expect(lines.filter((line) => cellsOf(line) > columns)).toEqual([]);
    // As much is shown as there is room for: what is cut leaves at most one cell, of half a wide character.
    const cut = lines.filter((line) => line.endsWith('…'));
    expect(cut.length).toBeGreaterThan(0);
    for (const line of cut) expect(cellsOf(line)).toBeGreaterThanOrEqual(columns - 1);
    const answer = stripVTControlCharacters(stdout).split('\n');
    expect(answer.filter((line) => line.includes('晴れ') && cellsOf(line) > columns)).toEqual([]);
  });
});

/** All commands that show something, on a run that is there. */
const showing = (): readonly (readonly string[])[] => [
  ['runs', ...store()],
  ['show', runId, ...store()],
  ['show', runId, '--step', '0', ...store()],
  ['replay', runId, ...store()],
  ['compare', runId, runId, ...store()],
  ['prune', '--older-than', '1d', '--dry-run', ...store()],
  ['trace', 'list', join(folder, 'traces')],
  ['trace', 'show', trace],
  ['trace', 'check', trace],
  ['trace', 'replay', trace, '--speed', '1000'],
  ['graph', moduleOf('wide.ts')],
  ['graph', moduleOf('wide.ts'), '--of', 'chart'],
  ['graph', moduleOf('wide.ts'), '--taken', ...store()],
  ['run', moduleOf('wide.ts'), 'x', ...store()],
];

describe('every command that lists or shows something', () => {
  test('gives with --json nothing but lines of JSON on standard output', async () => {
    for (const args of showing()) {
      const { code, stdout, stderr } = await play([...args, '--json']);
      const name = args.slice(0, 2).join(' ');
      expect({ code, stderr }, name).toEqual({ code: 0, stderr: '' });
      const lines = stdout.trimEnd().split('\n');
      for (const line of lines) expect(typeof JSON.parse(line), name).toBe('object');
    }
  });

  test('writes no colour and no cursor code into a pipe, also where colours are asked for', async () => {
    for (const args of showing()) {
      const { stdout, stderr } = await play(args, { environment: { FORCE_COLOR: '1', TERM: 'xterm' } });
      expect(stdout + stderr, args.join(' ')).not.toContain(ESC);
    }
  });

  test('has no colour on a terminal with NO_COLOR', async () => {
    for (const args of showing()) {
      const options = { isTTY: true, environment: { NO_COLOR: '1' } };
      const { stdout, stderr } = await play(args, options);
      expect(stdout + stderr, args.join(' ')).not.toMatch(new RegExp(`${ESC}\\[[\\d;]*m`));
    }
  });
});
