import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { ListedRun } from '../../src/inspect/local/session-board.ts';
import { isAlive } from '../../src/inspect/local/processes/registration.ts';
import { ask, Looker, portOf } from '../inspect/local/local-kit.ts';
import { startNode } from '../inspect/processes/inspected-process.ts';
import { processFile } from '../support/built-package.ts';
import { command, troupe } from './run-command.ts';
import { isThorough } from '../support/thorough.ts';

/** A project of two files: an agent, and the words that it answers. */
const makeProject = () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-dev-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text);
  };
  write('package.json', '{ "type": "module" }');
  write('words.js', `export const words = 'one';`);
  write(
    'clerk.js',
    `import { agent, answer } from '${pathToFileURL(processFile('index.js')).href}';
import { words } from './words.js';
export default agent({ name: 'clerk', decide: () => answer(words) });`,
  );
  return { folder, write, file: join(folder, 'clerk.js') };
};

const opened = (said: string) => {
  const [, url = ''] = /Inspector: (\S+)/.exec(said) ?? [];
  const token = new URL(url).searchParams.get('token') ?? '';
  const get = async (path: string): Promise<unknown> =>
    JSON.parse((await ask(portOf({ url }), path, { headers: { authorization: `Bearer ${token}` } })).text);
  const rows = async (): Promise<readonly ListedRun[]> =>
    ((await get('/api/runs')) as { readonly rows: readonly ListedRun[] }).rows;
  const note = async (): Promise<string | undefined> =>
    ((await get('/api/session')) as { readonly note?: string }).note;
  return { url, token, rows, note };
};

/** Asks until the answer is as it should be. */
const once = async <T>(question: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> => {
  for (;;) {
    const found = await question();
    if (isThere(found)) return found;
  }
};

test('troupe dev runs a file again when what it imports has changed, and its page keeps what was before', async () => {
  const { folder, write, file } = makeProject();
  const environment = { HOME: folder, TMPDIR: folder };
  const { until, said, kill, ended } = startNode(
    [command(), 'dev', file, 'hello', '--store', 'none'],
    environment,
  );
  await until(/Inspector: \S+/);
  const page = opened(said());
  const looker = new Looker(page);
  const [first] = await once(page.rows, (rows) => rows.some(({ status }) => status === 'completed'));
  expect(first).toMatchObject({ agent: 'clerk', process: { isOver: false, control: true } });
  await until(/one/);

  write('words.js', `export const words = 'two';`);
  await until(/words\.js changed/);
  await until(/two/);
  const both = await once(
    page.rows,
    (rows) => rows.length === 2 && rows.every(({ status }) => status === 'completed'),
  );
  const byRun = new Map(both.map((row) => [row.run, row]));
  expect(byRun.get(first?.run ?? '')?.process?.isOver).toBe(true);
  const before = new Looker(page, `/api/processes/${first?.process?.id}/recording`);
  await before.until(({ entries }) => JSON.stringify(entries).includes('one'));

  write('words.js', `export const words = ;`);
  await until(/Cannot load/);
  const problem = await once(page.note, (note) => note !== undefined);
  expect(problem).toContain('clerk.js failed: Cannot load');
  await until(/clerk\.js ended \(exit code 2\): change it to run it again/);
  expect(await page.rows()).toHaveLength(2);

  write('words.js', `export const words = 'three';`);
  await until(/three/);
  const all = await once(page.rows, (rows) => rows.length === 3);
  expect(await page.note()).toBeUndefined();
  expect(looker.isClosed).toBe(false);

  const last = all.find(({ process: of }) => of?.isOver === false)?.process?.pid ?? 0;
  kill('SIGINT');
  expect(await ended).toBe(0);
  expect(isAlive(last)).toBe(false);
});

if (isThorough)
  test('troupe dev says what it needs', async () => {
    const { folder, write, file } = makeProject();
    write('run.jsonl', '{ "troupe": "log" }');
    expect(await troupe(['dev'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('no file was named') as unknown,
    });
    expect(await troupe(['dev', join(folder, 'run.jsonl')])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('a trace does not change: write troupe inspect') as unknown,
    });
    expect(await troupe(['dev', `${file}.missing`])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('there is no such file') as unknown,
    });
  });
