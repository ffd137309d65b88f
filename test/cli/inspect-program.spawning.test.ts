import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { Looker } from '../inspect/local/local-kit.ts';
import { command, compiledModuleOf, moduleOf, troupe } from './run-command.ts';

/** Runs `troupe inspect` on a command, and lets a test wait for what is printed. */
const inspecting = (...args: readonly string[]) => {
  const child = spawn(process.execPath, [command(), 'inspect', ...args], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let said = '';
  const looks = new Set<() => void>();
  for (const output of [child.stdout, child.stderr])
    output.on('data', (part: Buffer) => {
      said += part.toString();
      for (const look of looks) look();
    });
  const until = (isThere: (said: string) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isThere(said)) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, ended, until, said: () => said };
};

const PAGE = /Inspector of process (?<pid>\d+): (?<url>\S+)/g;

const pagesIn = (said: string) =>
  [...said.matchAll(PAGE)].map(({ groups }) => {
    const { pid = '', url = '' } = groups ?? {};
    return { pid, url, token: new URL(url).searchParams.get('token') ?? '' };
  });

test('troupe inspect --wait -- COMMAND shows the runs of each of its processes, which are held until somebody looks', async () => {
  const program = await compiledModuleOf('two-processes.ts');
  const { child, ended, until, said } = inspecting('--wait', '--', process.execPath, program, 'both');
  await until((text) => pagesIn(text).length === 2);
  const [one, other] = pagesIn(said());
  if (one === undefined || other === undefined) throw new Error(said());
  expect(one.pid).not.toBe(other.pid);
  expect(said()).not.toContain('done');

  const looker = new Looker(one);
  await until((text) => text.includes(`${one.pid} done`));
  expect(said()).not.toContain(`${other.pid} done`);
  await looker.until(() => looker.entries.some((each) => JSON.stringify(each).includes('"run.ended"')));
  const second = new Looker(other);
  await until((text) => text.includes(`${other.pid} done`));

  // Both stay, so that they can be looked at, until they are interrupted.
  expect([child.exitCode, looker.isClosed, second.isClosed]).toEqual([null, false, false]);
  process.kill(Number(other.pid), 'SIGINT');
  child.kill('SIGINT');
  expect(await ended).toBe(130);
});

test('a command without runs is as it is without us: what it prints, and its exit code', async () => {
  const code = 'console.log(process.argv.slice(1).join()); process.exitCode = 7';
  const found = await troupe(['inspect', '--', process.execPath, '-e', code, '--', '--port', 'x']);
  expect(found).toEqual({ exit: 7, stdout: '--port,x\n', stderr: '' });
});

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
