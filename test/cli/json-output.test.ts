import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { compositionOf } from '../../src/runtime/define/composition.ts';
import { compare } from '../../src/runtime/journal/replay/compare.ts';
import { openRequests } from '../../src/runtime/journal/letters/requests.ts';
import { journaledDefinition } from '../../src/runtime/journal/resume/resume.ts';
import { readStoredRun } from '../../src/runtime/journal/resume/sound-run.ts';
import { loadAgent } from '../../src/cli/load-agent.ts';
import { play } from './fake-terminal.ts';
import { moduleOf } from './run-command.ts';

let folder = '';
let file = '';
let store: ReturnType<typeof sqliteStore>;

/** The only line that a command prints, as data. */
const dataOf = async (args: readonly string[], code = 0): Promise<unknown> => {
  const played = await play([...args, '--store', file, '--json'], { folder });
  expect({ ...played, stdout: '' }).toEqual({ code, stdout: '', stderr: '' });
  const [line = '', ...more] = played.stdout.split('\n');
  expect(more).toEqual(['']);
  return JSON.parse(line);
};

const idOf = async (agent: string): Promise<string> => {
  const found = (await store.list()).find((entry) => entry.agent === agent);
  if (found === undefined) throw new Error(`no run of ${agent}`);
  return found.runId;
};

const storedRun = async (runId: string) => {
  const entry = await store.entry(runId);
  if (entry === undefined) throw new Error(`no run ${runId}`);
  return readStoredRun(store, entry);
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-json-'));
  file = join(folder, 'runs.db');
  const clerk = await loadAgent(moduleOf('people.ts'), folder, undefined);
  const before = sqliteStore(file);
  const handle = clerk.stream('x', { store: before });
  for await (const { type } of handle) if (type === 'person.asked') break;
  await handle.suspend();
  await before.close();
  await play(['run', moduleOf('hostile.ts'), '東京 \u001b[2J', '--store', file]);
  await play(['run', moduleOf('echo.ts'), 'Oslo', '--store', file]);
  await play(['run', moduleOf('failing-member.ts#fragile'), 'x', '--store', file]);
  store = sqliteStore(file);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('--json of', () => {
  test('runs is one line for each entry of the store, as the store has it, with what it took, used and cost', async () => {
    const { code, stdout, stderr } = await play(['runs', '--store', file, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const entries = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const figures = { durationMs: expect.any(Number) as number, tokens: 0, costUsd: 0 };
    expect(entries).toEqual((await store.list()).map((entry) => ({ ...entry, ...figures })));
  });

  test('show is the entry of the run, with its requests and its end', async () => {
    const clerk = await idOf('clerk');
    expect(await dataOf(['show', clerk])).toMatchObject({
      ...(await store.entry(clerk)),
      input: 'x',
      requests: [{ kind: 'question', question: 'To whom?' }],
    });
    const fragile = await idOf('fragile');
    const { events } = await storedRun(fragile);
    const end = events.at(-1);
    expect(end?.type).toBe('run.ended');
    if (end?.type !== 'run.ended') return;
    expect(await dataOf(['show', fragile])).toMatchObject({
      status: 'failed',
      error: end.error,
      totals: end.totals,
      events: events.length,
    });
  });

  test('compare is what the comparison of both journals says', async () => {
    const [one, other] = [await idOf('liar'), await idOf('echo')];
    const found = compare(await storedRun(one), await storedRun(other));
    expect(await dataOf(['compare', one, other], 1)).toEqual(JSON.parse(JSON.stringify(found)));
  });

  test('graph is the composition, and no drawing as well', async () => {
    const agent = await loadAgent(moduleOf('team.ts'), folder, undefined);
    const composition = compositionOf(journaledDefinition(agent));
    expect(await dataOf(['graph', moduleOf('team.ts')])).toEqual(JSON.parse(JSON.stringify(composition)));
    const both = await play(['graph', moduleOf('team.ts'), '--json', '--svg']);
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain('one excludes the other: --json and --svg');
  });

  test('replay says how many events are the same', async () => {
    const echo = await idOf('echo');
    const events = (await storedRun(echo)).events.length;
    expect(await dataOf(['replay', echo])).toEqual({ runId: echo, isEqual: true, events });
  });

  test('export and import say how many rows there are', async () => {
    const echo = await idOf('echo');
    const rows = (await store.read(echo)).length;
    expect(await dataOf(['export', echo, 'echo.journal'])).toEqual({
      runId: echo,
      file: 'echo.journal',
      rows,
    });
    const elsewhere = join(folder, 'elsewhere.db');
    const { code, stdout, stderr } = await play(['import', 'echo.journal', '--store', elsewhere, '--json'], {
      folder,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ runId: echo, store: `sqlite:${elsewhere}`, rows });
    const other = sqliteStore(elsewhere);
    expect(await other.read(echo)).toHaveLength(rows);
    await other.close();
  });

  test('answer names the request that is answered by now', async () => {
    const clerk = await idOf('clerk');
    const [request] = await openRequests(store, clerk);
    expect(request?.isAnswered).toBe(false);
    expect(await dataOf(['answer', clerk, 'To Ada.'])).toEqual({
      runId: clerk,
      request: request?.id,
      answer: 'answer',
      isOpen: false,
      isHeld: false,
    });
    expect((await openRequests(store, clerk)).map(({ isAnswered }) => isAnswered)).toEqual([true]);
  });

  test('what fails is nothing on standard output, and the same line and exit code as without it', async () => {
    for (const args of [
      ['show', 'nobody'],
      ['compare', 'nobody', 'nobody'],
      ['approve', 'nobody'],
      ['export', 'nobody'],
      ['import', 'nothing.journal'],
      ['graph', 'nothing.ts'],
    ]) {
      const plain = await play([...args, '--store', file], { folder });
      expect(plain.code, args.join(' ')).toBe(2);
      expect(await play([...args, '--store', file, '--json'], { folder })).toEqual({ ...plain, stdout: '' });
    }
  });
});
