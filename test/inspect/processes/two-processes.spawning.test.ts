import { expect, test } from 'vitest';
import type { Inspector } from '../../../src/inspect/local/inspect.ts';
import type { ListedRun } from '../../../src/inspect/local/session-board.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { answer } from '../../../src/contracts/agents/decision.ts';
import { askOpen, control, Looker, openInspector } from '../local/local-kit.ts';
import { startClerk } from './inspected-process.ts';
import { isThorough } from '../../support/thorough.ts';

/** Asks for the rows until they are as they should be: each time is a question to all processes. */
const rowsOnce = async (
  inspector: Inspector,
  isThere: (rows: readonly ListedRun[]) => boolean,
): Promise<readonly ListedRun[]> => {
  for (;;) {
    const { text } = await askOpen(inspector, '/api/runs');
    const { rows } = JSON.parse(text) as { readonly rows: readonly ListedRun[] };
    if (isThere(rows)) return rows;
  }
};

const withRun = (run: string) => (rows: readonly ListedRun[]) =>
  rows.some((row) => row.run === run && (row.requests ?? 0) > 0);

test('a page shows the runs of other processes under the names of these, and names those of one that is killed as such', async () => {
  const inspector = await openInspector({ alone: false });
  const page = new Looker(inspector);
  await agent({ name: 'own', decide: () => answer('so') }).run('Say so', {
    inspect: inspector,
    runId: 'run-own',
  });
  const ann = await startClerk('ann');
  const ben = await startClerk('ben');
  await rowsOnce(inspector, (rows) => withRun('run-ann')(rows) && withRun('run-ben')(rows));

  const rows = await rowsOnce(inspector, () => true);
  const row = (run: string, from = rows) => from.find((each) => each.run === run);
  expect(row('run-own')).toMatchObject({ status: 'completed', source: 'live' });
  expect(row('run-own')?.process).toBeUndefined();
  expect(row('run-ann')).toMatchObject({
    agent: 'ann',
    title: 'Pay three',
    isLive: true,
    process: {
      pid: ann.pid,
      isOver: false,
      control: false,
      program: expect.stringContaining('waiting-clerk') as unknown,
    },
  });
  expect(row('run-ben')?.process?.pid).toBe(ben.pid);

  const at = `/api/processes/${row('run-ann')?.process?.id}/recording`;
  const looker = new Looker(inspector, at);
  await looker.until(({ requests }) => requests.length === 1);
  expect(looker.requests[0]).toMatchObject({ tool: 'pay', run: 'run-ann' });

  ann.kill('SIGKILL');
  const after = await rowsOnce(inspector, (found) => row('run-ann', found)?.process?.isOver === true);
  expect(row('run-ann', after)).toMatchObject({ isLive: false, status: 'process ended', requests: 0 });
  expect(row('run-ben', after)).toMatchObject({ isLive: true, status: 'running' });
  // What was recorded of it stays.
  const again = await new Looker(inspector, at).until(
    ({ entries }) => entries.length === looker.entries.length,
  );
  expect(again.tableau).toBe(looker.tableau);
  expect([page.isClosed, looker.isClosed]).toEqual([false, false]);
});

if (isThorough)
  test('a command goes to the process of its run, which decides by its own control', async () => {
    const inspector = await openInspector({ alone: false });
    new Looker(inspector);
    const ann = await startClerk('ann', 'control');
    await startClerk('ben');
    const rows = await rowsOnce(inspector, (found) => withRun('run-ann')(found) && withRun('run-ben')(found));
    const id = rows.find(({ run }) => run === 'run-ann')?.process?.id ?? '';
    const looker = new Looker(inspector, `/api/processes/${id}/recording`);
    await looker.until(({ requests }) => requests.length > 0);
    const [request] = looker.requests;

    const refused = await control(inspector, { do: 'approve', run: 'run-ben', id: request?.id });
    expect(refused).toMatchObject({
      status: 403,
      error: { message: expect.stringContaining('without control') as unknown },
    });
    expect(await control(inspector, { do: 'approve', run: 'run-ann', id: 'none' })).toMatchObject({
      status: 404,
    });
    expect(await control(inspector, { do: 'approve', run: 'run-ann', id: request?.id })).toMatchObject({
      status: 200,
    });
    await ann.until(/done paid 3/);
    await looker.until(({ entries }) => JSON.stringify(entries.at(-1)).includes('paid 3'));
  });

if (isThorough)
  test('a process that ends by itself leaves all of its last run, and no registration', async () => {
    const inspector = await openInspector({ alone: false });
    new Looker(inspector);
    const ann = await startClerk('ann');
    await rowsOnce(inspector, withRun('run-ann'));
    const cleo = await startClerk('cleo', 'ends', 'under');
    expect(await cleo.ended).toBe(0);
    ann.kill('SIGTERM');
    const rows = await rowsOnce(
      inspector,
      (found) => found.length === 2 && found.every(({ process }) => process?.isOver === true),
    );
    expect(Object.fromEntries(rows.map(({ run, status }) => [run, status]))).toEqual({
      'run-ann': 'process ended',
      'run-cleo': 'completed',
    });
  });

if (isThorough)
  test('a process that ends waits for the inspector that started it, whoever else reads it before', async () => {
    const inspector = await openInspector({ alone: false });
    const cleo = await startClerk('cleo', 'ends', 'under');
    const url = (await cleo.until(/open \S+/)).slice('open '.length);
    const token = new URL(url).searchParams.get('token') ?? '';
    const other = new Looker({ url, token }, `/api/recording?relay=${process.ppid}`);
    await other.until(({ entries }) => JSON.stringify(entries).includes('nothing to pay'));
    new Looker(inspector);
    const rows = await rowsOnce(inspector, (found) =>
      found.some(({ run, process: of }) => run === 'run-cleo' && of?.isOver === true),
    );
    expect(rows.find(({ run }) => run === 'run-cleo')?.status).toBe('completed');
    expect(await cleo.ended).toBe(0);
  });

if (isThorough)
  test('an inspector that is alone neither shows others nor is shown by them', async () => {
    const alone = await openInspector({ alone: true });
    const together = await openInspector({ alone: false });
    const [page, other] = [new Looker(alone), new Looker(together)];
    await startClerk('ann');
    await rowsOnce(together, withRun('run-ann'));
    const { text } = await askOpen(alone, '/api/runs');
    expect(JSON.parse(text)).toMatchObject({ rows: [] });
    expect([page.isClosed, other.isClosed]).toEqual([false, false]);
  });
