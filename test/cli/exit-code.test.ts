import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { codeOfFailure, exitMeanings } from '../../src/cli/exit-code.ts';
import { errorCodes } from '../../src/contracts/errors/error-data.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { openSqlite } from '../../src/persistence/sqlite/sqlite-driver.ts';
import type { FakeOptions } from './fake-terminal.ts';
import { play } from './fake-terminal.ts';
import { moduleOf, root } from './run-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-exit-'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** The rows of a table in Markdown, or of the help, by their code. */
const rowsIn = (text: string, row: RegExp): readonly string[] =>
  [...text.matchAll(row)].map(([, code = '', meaning = '']) => `${code}: ${meaning.trim()}`);

test('one table says what an exit code means: in the help, and word for word in the guide', async () => {
  const known = exitMeanings.map(([code, meaning]) => `${code}: ${meaning}`);
  const guide = readFileSync(join(root, 'docs/guide/command-line.md'), 'utf8');
  const { stdout } = await play(['--help']);
  expect(rowsIn(stdout.slice(stdout.indexOf('Exit codes:')), /^ {2}(\d+) +(.+)$/gm)).toEqual(known);
  expect(rowsIn(guide.slice(guide.indexOf('| exit code')), /^\| (\d+) +\| (.+)\|$/gm)).toEqual(known);
});

describe('each row of the table is what the command does', () => {
  const codeOf = async (args: readonly string[], options: FakeOptions = {}): Promise<number> =>
    (await play(args, { folder, ...options })).code;
  /** The store of a test, and the ids of its runs, the newest first. */
  const storeOf = (name: string) => {
    const store = ['--store', join(folder, `${name}.db`)];
    const ids = async (): Promise<readonly string[]> =>
      [...(await play(['runs', '--json', ...store])).stdout.matchAll(/"runId":"(\w+)"/g)].map(
        ([, id = '']) => id,
      );
    return { store, ids, file: join(folder, `${name}.db`) };
  };

  test('0: answered, also if nothing was found', async () => {
    expect(await codeOf(['run', moduleOf('echo.ts'), 'x'])).toBe(0);
    const nothing = await play(['ask', 'Why do zebras xylophone?', join(root, 'docs/guide/teams'), '-q']);
    expect(nothing).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/could not find|nothing/i) as string,
    });
  });

  test('1: failed, or stopped without an answer', async () => {
    expect(await codeOf(['run', moduleOf('throwing.ts'), 'x'])).toBe(1);
    expect(await codeOf(['run', moduleOf('stopped.ts'), 'x'])).toBe(1);
    expect(await codeOf(['run', `${moduleOf('failing-member.ts')}#fragile`, 'x'])).toBe(1);
  });

  test('1: a journal is damaged; two runs differ', async () => {
    const { store, ids, file } = storeOf('damaged');
    for (const input of ['Oslo', 'Rome']) await play(['run', moduleOf('echo.ts'), input, ...store]);
    const [one = '', other = ''] = await ids();
    expect(await codeOf(['compare', one, other, ...store])).toBe(1);
    expect(await codeOf(['compare', one, one, ...store])).toBe(0);
    const database = openSqlite(file);
    database.prepare("update rows set text = replace(text, 'Rome', 'Roma') where n > 0").run();
    database.close();
    expect(await codeOf(['show', one, ...store])).toBe(1);
  });

  test('2: wrong usage, or a missing file or run', async () => {
    expect(await codeOf(['frobnicate'])).toBe(2);
    expect(await codeOf(['run', 'nowhere.ts', 'x'])).toBe(2);
    expect(await codeOf(['trace', 'show', './nowhere.jsonl'])).toBe(2);
    const { store, ids } = storeOf('runs');
    await play(['run', moduleOf('echo.ts'), 'x', ...store]);
    const [run = ''] = await ids();
    expect(await codeOf(['show', 'nobody', ...store])).toBe(2);
    expect(await codeOf(['show', run, '--step', '9', ...store])).toBe(2);
    expect(await codeOf(['fork', run, '--at', '9', ...store])).toBe(2);
  });

  test('2: a key that is missing, named on the command line or by the agent itself', async () => {
    vi.stubEnv('OPENAI_API_KEY', '');
    expect(await codeOf(['run', moduleOf('echo.ts'), 'x', '--model', 'openai:gpt-5.5'])).toBe(2);
    expect(await codeOf(['run', moduleOf('echo.ts'), 'x', '--model', 'mistral:large'])).toBe(2);
    expect(await codeOf(['run', moduleOf('own-model.ts'), 'x'])).toBe(2);
  });

  test('2: a price that is missing', async () => {
    const environment = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
    const args = ['ask', 'why?', join(root, 'docs/guide/teams'), '--model', 'compatible:x', '--budget', '1'];
    const { code, stderr } = await play(args, { folder, environment });
    expect(code).toBe(2);
    // What it advises can be done from the command line.
    expect(stderr).toContain(
      'Cannot hold --budget 1 as the price of a model is not known: compatible:x. Leave --budget out, name another --model, or install',
    );
    expect(stderr).not.toMatch(/✗.*(`prices`|unpriced)/);
  });

  test('2: a package that is missing, whichever it is', () => {
    const missing = errorCodes.filter((code) => code.endsWith('package-missing'));
    expect(missing.length).toBeGreaterThan(5);
    for (const code of missing) expect(codeOfFailure(new TroupeError(code, 'Cannot')), code).toBe(2);
  });

  test('75: parked', async () => {
    const { store } = storeOf('parked');
    expect(await codeOf(['run', moduleOf('people.ts'), 'x', '--park', ...store])).toBe(75);
  });

  test('130: aborted by Ctrl-C', async () => {
    expect(await codeOf(['run', moduleOf('slow.ts'), 'x'], { interruptAt: /Waiting for ever/ })).toBe(130);
  });
});

test('no library call speaks of a command: only the folder of the command knows the code of its usage', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/^cli[/\\]/.test(file),
  );
  expect(sources.length).toBeGreaterThan(500);
  const speaking = sources.filter((file) =>
    readFileSync(join(root, 'src', file), 'utf8').includes('command.usage'),
  );
  expect(speaking).toEqual([join('contracts', 'errors', 'error-data.ts')]);
});
