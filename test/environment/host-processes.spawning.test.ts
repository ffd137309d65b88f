import { access, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProcessOps } from '../../src/contracts/environments/operations.ts';
import type { AllowedCommands } from '../../src/tools/built-in/host/allowed-commands.ts';
import { hostEnvironment } from '../../src/tools/built-in/host/host-environment.ts';
import { codeOf } from './contract.ts';
import type { TemporaryWorld } from './temporary-world.ts';
import { temporaryWorld } from './temporary-world.ts';

let world: TemporaryWorld;
beforeEach(async () => {
  world = await temporaryWorld();
});
afterEach(() => world.dispose());

const anything = (path: string) => ({ path, paths: 'any', refuse: () => undefined }) as const;
const NODE = anything(process.execPath);

const processesOf = async (commands: AllowedCommands, options = {}): Promise<ProcessOps> => {
  const environment = hostEnvironment({ root: world.root, commands, ...options });
  await environment.setup?.({ runId: 'r', path: 'a' });
  if (environment.ops.processes === undefined) throw new Error('there are no processes');
  return environment.ops.processes;
};

describe('[QITOS-37] [M27] commands of this machine', () => {
  test('get each argument as it is: there is no shell to make something of it', async () => {
    const processes = await processesOf({ echo: '/bin/echo' });
    const canary = join(world.root, 'made');
    for (const payload of [
      '; touch made',
      '$(touch made)',
      '`touch made`',
      '| touch made',
      '&& touch made',
      '\n touch made',
      '-e x',
      '"\'',
      '> made',
    ]) {
      const { stdout } = await processes.run('echo', ['[', payload, ']']);
      expect(stdout).toBe(`[ ${payload} ]\n`);
      await expect(access(canary)).rejects.toThrow('ENOENT');
    }
  });

  test('see no variables but those given, and the mark by which what they start is found again', async () => {
    const processes = await processesOf({ env: anything('/usr/bin/env') }, { env: { ONLY: 'this' } });
    expect((await processes.run('env', [])).stdout).toMatch(/^ONLY=this\nTROUPE_COMMAND=[\da-f-]{36}\n$/);
  });

  test('work in the root, or in a folder below it that no link leads to', async () => {
    const processes = await processesOf({ pwd: '/bin/pwd' });
    expect((await processes.run('pwd', [])).stdout.trim()).toBe(world.root);
    expect((await processes.run('pwd', [], { cwd: 'src' })).stdout.trim()).toBe(join(world.root, 'src'));
    await symlink(world.top, join(world.root, 'up'));
    for (const cwd of ['up', '..', '/', 'nowhere'])
      expect(await processes.run('pwd', [], { cwd }).catch(codeOf)).toBe('tool.denied');
  });

  test('[DODO-63] are killed with all that they started when their time is over', async () => {
    const processes = await processesOf({ node: NODE });
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      console.log(child.pid);
      setInterval(() => {}, 1000);`;
    const { isTimedOut, exitCode, stdout } = await processes.run('node', ['-e', script], {
      timeoutMs: 1_500,
    });
    expect({ isTimedOut, exitCode }).toEqual({ isTimedOut: true, exitCode: null });
    await expectGone(Number(stdout));
  });

  test('[DODO-64] [DODO-63] get no more time than the environment gives, whatever they ask for', async () => {
    const processes = await processesOf({ node: NODE }, { timeoutMs: 100 });
    const result = await processes.run('node', ['-e', 'setInterval(() => {}, 1000)'], { timeoutMs: 600_000 });
    expect(result).toMatchObject({ isTimedOut: true, exitCode: null });
  });

  test('leave nothing behind in the background when they end by themselves', async () => {
    const processes = await processesOf({ sh: anything('/bin/sh') });
    const { exitCode, stdout } = await processes.run('sh', ['-c', 'sleep 1000 & echo $!; exit 3']);
    expect(exitCode).toBe(3);
    await expectGone(Number(stdout));
  });

  test('are called off with the run', async () => {
    const processes = await processesOf({ node: NODE });
    const abort = new AbortController();
    const running = processes.run('node', ['-e', 'setInterval(() => {}, 1000)'], { signal: abort.signal });
    abort.abort();
    expect(await running.catch(codeOf)).toBe('tool.cancelled');
    expect(await processes.run('node', [], { signal: abort.signal }).catch(codeOf)).toBe('tool.cancelled');
  });

  test('keep the start and the end of an output that is too long', async () => {
    const processes = await processesOf({ node: NODE }, { maxOutputBytes: 100 });
    const script = `process.stdout.write('a'.repeat(60) + 'b'.repeat(100000) + 'c'.repeat(60))`;
    const { stdout, isCut } = await processes.run('node', ['-e', script]);
    expect(isCut).toBe(true);
    expect(stdout).toMatch(/^a{50}\n\[… 100020 bytes left out …\]\nc{50}$/);
  });

  test('get their input, and an end of it', async () => {
    const processes = await processesOf({ cat: '/bin/cat' });
    expect(await processes.run('cat', [], { input: 'Grüße' })).toMatchObject({
      stdout: 'Grüße',
      exitCode: 0,
    });
    expect(await processes.run('cat', ['nowhere'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching('nowhere'),
    });
  });

  test.each([
    ['cat', ['/etc/passwd']],
    ['cat', ['../canary.txt']],
    ['cat', ['src/../../canary.txt']],
    ['cat', ['--file=/etc/passwd']],
    ['cat', ['-f/etc/passwd']],
    ['cat', ['~/x']],
    ['find', ['.', '-exec', 'id', ';']],
    ['find', ['.', '-delete']],
    ['git', ['-c', 'alias.x=!id', 'x']],
    ['git', ['-calias.x=!id', 'x']],
    ['tar', ['--checkpoint-action=exec=id']],
    ['cat', ['a\0b']],
    ['id', []],
    ['__proto__', []],
    ['/bin/cat', []],
  ])('[DODO-64] are refused: %s %j', async (command, args) => {
    const processes = await processesOf({
      cat: '/bin/cat',
      find: '/usr/bin/find',
      git: '/usr/bin/git',
      tar: '/bin/tar',
    });
    expect(await processes.run(command, args).catch(codeOf)).toBe('tool.denied');
  });

  test.each([
    [{ sh: '/bin/sh' }, "'sh' starts other programs"],
    [{ run: '/usr/bin/env' }, "'env' starts other programs"],
    [{ cat: 'cat' }, 'not absolute'],
  ])('cannot be allowed: %j', async (commands, reason) => {
    await expect(processesOf(commands)).rejects.toThrow(reason);
  });
});

/** A process that was killed may need a moment until the system has forgotten it. */
const expectGone = async (pid: number): Promise<void> => {
  expect(pid).toBeGreaterThan(1);
  await expect
    .poll(async () => {
      const { readFile } = await import('node:fs/promises');
      const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone');
      return status === 'gone' || / [ZX] /.test(status);
    })
    .toBe(true);
};
