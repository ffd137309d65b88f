import { expect, test } from 'vitest';
import type { ListedRun } from '../../src/inspect/local/session-board.ts';
import { ask, Looker, portOf } from '../inspect/local/local-kit.ts';
import { startNode } from '../inspect/processes/inspected-process.ts';
import { command, compiledModuleOf, moduleOf, troupe } from './run-command.ts';
import { isThorough } from '../support/thorough.ts';

/** The page that was printed. */
const pageIn = (said: string): { readonly url: string; readonly token: string } => {
  const [, url = ''] = /Inspector: (\S+)/.exec(said) ?? [];
  return { url, token: new URL(url).searchParams.get('token') ?? '' };
};

const rowsOf = async ({ url, token }: ReturnType<typeof pageIn>): Promise<readonly ListedRun[]> => {
  const { text } = await ask(portOf({ url }), '/api/runs', { headers: { authorization: `Bearer ${token}` } });
  return (JSON.parse(text) as { readonly rows: readonly ListedRun[] }).rows;
};

test('troupe inspect --wait -- COMMAND shows the runs of all its processes on one page, and they are held until somebody looks', async () => {
  const program = await compiledModuleOf('two-processes.ts');
  const args = ['inspect', '--wait', '--', process.execPath, program, 'both'];
  const { kill, ended, until, said } = startNode([command(), ...args]);
  await until(/Inspector: \S+/);
  const page = pageIn(said());
  let held = await rowsOf(page);
  while (held.length < 2) held = await rowsOf(page);
  expect(said()).not.toContain('done');
  expect(held.map(({ isLive }) => isLive)).toEqual([true, true]);
  expect(new Set(held.map(({ process: of }) => of?.pid)).size).toBe(2);

  const looker = new Looker(page);
  await until(/done[^]*done/);
  // The command is over, and the page stays: what its processes did can be looked at.
  await until(/Ctrl-C closes the inspector/);
  for (;;) {
    const rows = await rowsOf(page);
    expect(rows).toHaveLength(2);
    if (rows.every(({ status, process: of }) => status === 'completed' && of?.isOver === true)) break;
  }
  const [row] = await rowsOf(page);
  const recording = new Looker(page, `/api/processes/${row?.process?.id}/recording`);
  await recording.until(({ entries }) => JSON.stringify(entries).includes('"run.ended"'));
  expect(looker.isClosed).toBe(false);
  kill('SIGINT');
  expect(await ended).toBe(0);
});

if (isThorough)
  test('a command without runs is as it is without us: what it prints, and its exit code', async () => {
    const code = 'console.log(process.argv.slice(1).join()); process.exitCode = 7';
    const found = await troupe(['inspect', '--', process.execPath, '-e', code, '--', '--port', 'x']);
    expect(found).toEqual({ exit: 7, stdout: '--port,x\n', stderr: '' });
  });

if (isThorough)
  test('a command that cannot be run is one clear line', async () => {
    const file = moduleOf('two-processes.ts');
    expect(await troupe(['inspect', '--', 'no-such-program'])).toEqual({
      exit: 2,
      stdout: '',
      stderr: '✗ Cannot run no-such-program as there is no such program\n',
    });
    expect((await troupe(['inspect', '--', file])).stderr).toContain(`: write node ${file}\n`);
    expect((await troupe(['inspect', '--'])).stderr).toContain('no command follows --');
    expect((await troupe(['inspect', file, '--', 'node', file])).stderr).toContain(
      `it has no use for ${file} before it`,
    );
  });
