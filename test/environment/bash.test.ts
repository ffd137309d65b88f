import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BashLike } from '../../src/tools/environments/bash-environment.ts';
import { bashEnvironment } from '../../src/tools/environments/bash-environment.ts';
import { callUntyped } from '../support/call-untyped.ts';
import { codeOf } from './contract.ts';
import { hostBash } from './host-bash.ts';
import type { TemporaryWorld } from './temporary-world.ts';
import { CANARY, temporaryWorld } from './temporary-world.ts';

let world: TemporaryWorld;
beforeEach(async () => {
  world = await temporaryWorld();
});
afterEach(() => world.dispose());

type Exec = BashLike['exec'];

const opsOf = (exec?: Exec, options = {}) => {
  const bash = hostBash(exec === undefined ? {} : { exec });
  const { files, processes } = bashEnvironment(bash, { root: world.root, ...options }).ops;
  if (files === undefined || processes === undefined) throw new Error('there are no operations');
  return { files, processes };
};

describe('[QITOS-40] a shell in memory', () => {
  test('leads out of its root by no link', async () => {
    await symlink(world.top, join(world.root, 'up'));
    await symlink(world.canary, join(world.root, 'link.txt'));
    const { files, processes } = opsOf();
    const attempts = [
      (path: string) => files.read(path),
      (path: string) => files.remove(path),
      (path: string) => files.write(path, 'x'),
    ];
    for (const path of ['up/canary.txt', 'link.txt'])
      for (const attempt of attempts) expect(await attempt(path).catch(codeOf)).toBe('tool.denied');
    expect(await files.write('up/new/x', 'x').catch(codeOf)).toBe('tool.denied');
    expect(await files.list('up').catch(codeOf)).toBe('tool.denied');
    expect(await processes.run('pwd', [], { cwd: 'up' }).catch(codeOf)).toBe('tool.denied');
    expect(await readFile(world.canary, 'utf8')).toBe(CANARY);
  });

  test('gets the arguments apart from the command, which is a plain name', async () => {
    const seen: unknown[] = [];
    const { processes } = opsOf(async (command, { args, cwd, stdin } = {}) => {
      seen.push({ command, args, cwd, stdin });
      return { stdout: '', stderr: '', exitCode: 3 };
    });
    const said = ['$(id)', '; rm -rf /', ''];
    expect((await processes.run('grep', said, { cwd: 'src', input: 'x' })).exitCode).toBe(3);
    expect(seen).toEqual([{ command: 'grep', args: said, cwd: join(world.root, 'src'), stdin: 'x' }]);
    for (const command of ['grep x', 'a;b', '$x', '(id)', ''])
      expect(await processes.run(command, []).catch(codeOf)).toBe('tool.denied');
    expect(seen).toHaveLength(1);
  });

  test('is not waited for where it does not stop: a time limit and an abort hold', async () => {
    const { processes } = opsOf(() => new Promise(() => undefined));
    expect(await processes.run('loop', [], { timeoutMs: 20 })).toMatchObject({
      exitCode: null,
      isTimedOut: true,
    });
    const abort = new AbortController();
    const running = processes.run('loop', [], { signal: abort.signal }).catch(codeOf);
    abort.abort();
    expect(await running).toBe('tool.cancelled');
    expect(await processes.run('loop', [], { signal: abort.signal }).catch(codeOf)).toBe('tool.cancelled');
  });

  test('has the start and the end of an output that is too long', async () => {
    const long = async () => ({ stdout: `start${'x'.repeat(1_000)}end`, stderr: '', exitCode: 0 });
    const { processes } = opsOf(long, { maxOutputBytes: 20 });
    const { stdout, isCut } = await processes.run('say', []);
    expect({ stdout, isCut }).toEqual({
      stdout: 'startxxxxx\n[… 988 bytes left out …]\nxxxxxxxend',
      isCut: true,
    });
  });

  test('has a root below everything, by a plain path', () => {
    for (const root of ['/', '', 'work', '/a/../b', '/a/', '/a//b'])
      expect(() => bashEnvironment(hostBash(), { root })).toThrow('not an absolute path below /');
  });

  test.each([
    [{ exec: () => undefined }, {}, 'write new Bash() of the package just-bash'],
    [hostBash(), { timeoutMs: 0 }, 'its timeoutMs is not a time above 0, in ms: found 0'],
    [hostBash(), { maxFileBytes: Number.NaN }, 'its maxFileBytes is not a whole number from 1'],
    [hostBash(), { commands: 'ls' }, 'its commands is not a list'],
    [hostBash(), { folder: '/x' }, 'its option `folder` is unknown'],
  ])('says what is wrong with its options: %#', (bash, options, problem) => {
    expect(() => callUntyped({ bashEnvironment }, 'bashEnvironment', bash, options)).toThrow(problem);
  });
});
