import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RunHandle } from '../../../src/contracts/runs/run-handle.ts';
import { resume } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/persistence/index.ts';
import { LineProcess } from '../../../src/tools/built-in/host/line-process.ts';
import { compileProgram } from '../../support/built-package.ts';
import { keeper } from './keeper.ts';
import type { KeeperOrder } from './keeper.ts';
import { calling, EverythingOverHttp, finished, realServer, serverProgram } from './real-servers.ts';
import type { MadeCall } from './real-servers.ts';

const work: MadeCall = ['trigger-long-running-operation', { duration: 0.6, steps: 3 }];
const after: MadeCall = ['echo', { message: 'still there' }];

/** Does something once, at the first progress of a run. */
const atFirstProgress = (handle: RunHandle<unknown, unknown>, act: () => void): void => {
  let isDone = false;
  const watching = handle.events$.subscribe(({ type }) => {
    if (type !== 'tool.progressed' || isDone) return;
    isDone = true;
    act();
  });
  onTestFinished(() => {
    watching.unsubscribe();
  });
};

const retries = ({ events }: Awaited<RunHandle<unknown, unknown>['result']>): number =>
  events.filter(({ type }) => type === 'tool.retrying').length;

/** The last program that was started as a server. */
const lastServer = () => {
  const started = vi.spyOn(LineProcess, 'start');
  onTestFinished(() => {
    started.mockRestore();
  });
  return async (): Promise<number> => (await started.mock.results.at(-1)?.value)?.pid ?? 0;
};

test('a program that is killed within a call that reads is started anew, and the call is repeated', async () => {
  const pid = lastServer();
  const handle = calling(realServer('everything', ['stdio']), work, after).stream('go');
  atFirstProgress(handle, () => void pid().then((each) => process.kill(each, 'SIGKILL')));
  const result = await handle.result;
  expect(finished(result).map(({ ok, text }) => [ok, text])).toEqual([
    [true, expect.stringContaining('completed')],
    [true, 'Echo: still there'],
  ]);
  expect(retries(result)).toBe(1);
});

test('a program that is killed within a call that may not be repeated fails it by mcp.lost, and serves the next', async () => {
  const pid = lastServer();
  const asked: string[] = [];
  const answer = async (question: string): Promise<string> => {
    asked.push(question);
    process.kill(await pid(), 'SIGKILL');
    return 'Ada';
  };
  const form: MadeCall = ['trigger-elicitation-request', {}];
  const result = await calling(realServer('everything', ['stdio']), form, after).run('go', {
    person: { answer },
  });
  expect(finished(result)).toMatchObject([
    { ok: false, error: { code: 'mcp.lost' } },
    { ok: true, text: 'Echo: still there' },
  ]);
  expect(finished(result)[0]?.text).toMatch(/the connection was lost: .*SIGKILL/);
  expect(retries(result)).toBe(0);
});

test('a server over HTTP that is killed within a call, and back at once, serves its repetition', async () => {
  await using server = await EverythingOverHttp.start();
  const options = { name: 'everything', url: server.url };
  const handle = calling(options, work, after).stream('go');
  atFirstProgress(handle, () => void server.kill().then(() => server.start()));
  const result = await handle.result;
  expect(result.output).toBe('Done.');
  expect(finished(result).map(({ ok, text }) => [ok, text])).toEqual([
    [true, expect.stringContaining('completed')],
    [true, 'Echo: still there'],
  ]);
});

test('a server over HTTP that is killed within a call, and gone, fails this and the next by its code', async () => {
  await using server = await EverythingOverHttp.start();
  const options = { name: 'everything', url: server.url, attempts: 1 };
  const handle = calling(options, work, after).stream('go');
  atFirstProgress(handle, () => void server.kill());
  const result = await handle.result;
  expect(result.output).toBe('Done.');
  expect(finished(result)).toMatchObject([
    { ok: false, error: { code: expect.stringMatching(/^mcp\.(lost|unavailable)$/) } },
    { ok: false, error: { code: 'mcp.unavailable' } },
  ]);
});

test('a stored run that is killed within a call of a real server is resumed: what was done is not done again', async () => {
  const home = mkdtempSync(join(tmpdir(), 'troupe-judged-'));
  const order: KeeperOrder = {
    store: join(home, 'runs.db'),
    memory: join(home, 'memory.jsonl'),
    memoryServer: serverProgram('memory'),
    everythingServer: serverProgram('everything'),
  };
  const child = spawn(
    process.execPath,
    [await compileProgram('test/judges/mcp/keeper-program.ts'), JSON.stringify(order)],
    { env: { PATH: process.env['PATH'], HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  // It says when the second call is under way.
  child.stdout.once('data', () => child.kill('SIGKILL'));
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');

  const store = sqliteStore(order.store);
  onTestFinished(() => store.close());
  const handle = await resume(keeper(order, ['Done.']), 'kept', { store });
  const result = await handle.result;
  expect(result.output).toBe('Done.');
  expect(finished(result).map(({ ok, tool }) => [tool, ok])).toEqual([
    ['memory.create_entities', true],
    ['everything.trigger-long-running-operation', true],
  ]);
  // Its first call was committed, so the server was asked once; a second would be another line.
  expect(readFileSync(order.memory, 'utf8').match(/"Ada"/g)).toHaveLength(1);
  expect(result.events.filter(({ type }) => type === 'toolset.opened').length).toBeGreaterThan(2);
});
