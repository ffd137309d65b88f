import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { containerEnvironment } from '../../src/tools/built-in/container/container-environment.ts';
import { parseContainerPlan } from '../../src/tools/built-in/container/container-plan.ts';
import { runArguments } from '../../src/tools/built-in/container/engine-arguments.ts';
import { EnvironmentSession } from '../../src/tools/environments/environment-session.ts';
import { processTools } from '../../src/tools/environments/process-tools.ts';
import { codeOf } from './contract.ts';
import type { FakeEngine } from './fake-engine.ts';
import { fakeEngine } from './fake-engine.ts';
import { isThorough } from '../support/thorough.ts';

let engine: FakeEngine;
beforeEach(async () => {
  engine = await fakeEngine();
});
afterEach(() => engine.dispose());

const scope = { runId: 'r', path: 'a' };

const box = (options = {}) =>
  containerEnvironment({ image: 'box', engine: engine.path, root: engine.root, ...options });

const opened = async (options = {}) => {
  const environment = box(options);
  await environment.setup?.(scope);
  const { files, processes } = environment.ops;
  if (files === undefined || processes === undefined) throw new Error('there are no operations');
  return { files, processes, close: async () => environment.teardown?.() };
};

const callsOf = async (verb: string) => (await engine.calls()).filter(([first]) => first === verb);

/** A file that a program in the container is asked to make once it runs, and that is waited for. */
const made = (name: string) =>
  vi.waitFor(() => access(join(engine.root, name)), { timeout: 30_000, interval: 20 });

describe('[QITOS-37] [QITOS-40] [M27] a container', () => {
  test('is started with nothing that it does not need, and its image is the last that the engine reads', () => {
    const plan = parseContainerPlan({ image: 'node:24-slim', env: { MODE: '--privileged' } });
    const place = {
      name: 'box',
      host: 'here',
      folder: undefined,
      user: '1000:1000',
      keepsIds: false,
      isPodman: false,
    };
    const args = runArguments(plan, place);
    const end = args.indexOf('--');
    expect(args.slice(end + 1, end + 3)).toEqual(['node:24-slim', '-c']);
    const before = args.slice(0, end).join(' ');
    for (const part of [
      'run --rm -i --init --name box --label troupe.host=here',
      '--network none --read-only --cap-drop ALL --security-opt no-new-privileges',
      '--pids-limit 256 --cpus 1 --memory 512m --memory-swap 512m --user 1000:1000 --workdir /work',
      '--tmpfs /tmp:rw,noexec,nosuid,nodev,size=64m,mode=1777',
      '--tmpfs /work:rw,exec,nosuid,nodev,size=256m,mode=1777,uid=1000,gid=1000',
      '--env MODE=--privileged --entrypoint sh',
    ])
      expect(before).toContain(part);
    for (const option of ['--privileged', '--mount', '--volume', '-v']) expect(args).not.toContain(option);
  });

  test('takes no option that is another argument of the engine, or that gives root or the host away', () => {
    for (const options of [
      { image: '--privileged' },
      { image: 'box --privileged' },
      { image: '' },
      { network: 'host' },
      { network: 'container:other' },
      { network: '--x' },
      { user: '0' },
      { user: '00:0' },
      { user: 'root' },
      { root: '/' },
      { root: '/a/../..' },
      { root: '/work:rw,exec' },
      { engine: 'docker --host x' },
      { env: { 'A=b': 'c' } },
      { env: { TROUPE_COMMAND: 'x' } },
      { env: { A: '\0' } },
      { memoryMb: 0 },
      { cpus: Number.NaN },
      { privileged: true },
    ])
      expect(() => box(options), JSON.stringify(options)).toThrow(
        'Cannot use a container as its options are',
      );
  });

  if (isThorough)
    test('gets each argument of a model after its own name, where the engine reads none', async () => {
      const { processes, files, close } = await opened();
      await files.write('a/b.txt', '--x');
      const said = '--privileged; $(id) | x';
      expect((await processes.run('echo', [said, '--env', 'A=b'], { cwd: 'a' })).stdout).toBe(
        `${said} --env A=b\n`,
      );
      for (const args of await callsOf('exec')) {
        const [verb, input, option, folder, ...rest] = args;
        expect([verb, input, option]).toEqual(['exec', '-i', '--workdir']);
        expect(folder?.startsWith(engine.root)).toBe(true);
        const end = rest.indexOf('--');
        expect(rest.slice(0, end)).toEqual(['--env', expect.stringMatching(/^TROUPE_COMMAND=[\da-f-]{36}$/)]);
        expect(rest[end + 1]).toMatch(/^troupe-[\w-]+$/);
      }
      expect(await processes.run('--env', ['A=b', 'id']).catch(codeOf)).toBe('tool.denied');
      expect(await processes.run('A=b', []).catch(codeOf)).toBe('tool.denied');
      for (const cwd of ['..', '/etc', 'a/b.txt', 'nowhere'])
        expect(await processes.run('echo', [], { cwd }).catch(codeOf)).toBe('tool.denied');
      await close();
    });

  test('of Podman, whatever its program is called, has no further folders that can be written', async () => {
    const { close } = await opened();
    await close();
    await engine.isCalled('podman version 5.8.1');
    const other = await opened();
    await other.close();
    const [ofDocker, ofPodman] = await callsOf('run');
    expect(ofDocker).not.toContain('--read-only-tmpfs=false');
    expect(ofPodman).toContain('--read-only-tmpfs=false');
    // Docker makes the owner of a folder in memory the user; Podman knows no such option.
    expect(ofDocker?.join(' ')).toContain('mode=1777,uid=1000,gid=1000');
    expect(ofPodman?.join(' ')).not.toContain('uid=');
  });

  test('mounts a folder only by a path that the engine reads as one', async () => {
    const odd = join(engine.top, 'x,readonly=false');
    await mkdir(odd);
    await expect(box({ folder: odd }).setup?.(scope)).rejects.toThrow('contains a comma');
    await expect(box({ folder: '/' }).setup?.(scope)).rejects.toThrow('the whole file system');
    await expect(box({ folder: join(engine.top, 'none') }).setup?.(scope)).rejects.toThrow('Cannot confine');
    expect(await callsOf('run')).toEqual([]);
  });

  test('is there for a run, and gone after it', async () => {
    const model = scriptedModel([
      calls({ name: 'processes.run', input: { command: 'pwd', args: [] } }),
      'Done.',
    ]);
    const made = agent({
      name: 'a',
      model,
      tools: [processTools({ approval: false })],
      environment: () => box(),
    });
    const { records } = await made.run('x');
    expect(records[0]?.results[0]?.text).toBe(`exit code 0\n${engine.root}`);
    expect(await engine.containers()).toEqual([]);
  });

  if (isThorough)
    test('is shared by runs that overlap, and removed after the last', async () => {
      const environment = box();
      await Promise.all([environment.setup?.(scope), environment.setup?.(scope)]);
      await environment.teardown?.();
      expect(await engine.containers()).toHaveLength(1);
      await environment.teardown?.();
      expect(await engine.containers()).toEqual([]);
      expect(await callsOf('run')).toHaveLength(1);
    });

  test('a command that is out of time ends inside, with what it started', async () => {
    const { processes, files, close } = await opened();
    const script = 'setsid sleep 5432 & echo $! > pid; sleep 5432';
    const result = await processes.run('sh', ['-c', script], { timeoutMs: 1_000 });
    expect(result).toMatchObject({ isTimedOut: true, exitCode: null });
    const pid = (await files.read('pid')).text.trim();
    // A process that is over, if it is listed at all, has no command line.
    expect((await processes.run('grep', ['-q', 'sleep', `/proc/${pid}/cmdline`])).exitCode).not.toBe(0);
    await close();
  });

  if (isThorough)
    test('a command that is cancelled ends inside, too', async () => {
      const { processes, files, close } = await opened();
      const abort = new AbortController();
      const script = 'echo $$ > pid; sleep 5431';
      const running = processes.run('sh', ['-c', script], { signal: abort.signal }).catch(codeOf);
      await made('pid');
      abort.abort();
      expect(await running).toBe('tool.cancelled');
      const pid = (await files.read('pid')).text.trim();
      // A process that is over, if it is listed at all, has no command line.
      expect((await processes.run('grep', ['-q', 'sleep', `/proc/${pid}/cmdline`])).exitCode).not.toBe(0);
      await close();
    });

  test('that ends by itself ends the run, and says so to tools', async () => {
    const environment = box();
    const session = new EnvironmentSession(environment, scope);
    expect(await session.open()).toEqual([]);
    await engine.remove();
    await vi.waitFor(async () => {
      expect((await session.end())?.detail).toContain('the container is over');
    });
    expect(await environment.ops.files?.read('x').catch(String)).toContain(
      'Cannot use the container as it is over',
    );
    expect(await session.close()).toEqual([]);
  });

  test('without an engine, a daemon or an image is a problem that says what to do', async () => {
    const problem = async (options: object) => {
      const [issue] = await new EnvironmentSession(box(options), scope).open();
      return issue?.message;
    };
    expect(await problem({ engine: '/nowhere/docker' })).toContain('Install it, or give its path');
    expect(await problem({ image: 'absent' })).toContain("Unable to find image 'absent:latest'");
    await engine.set('down');
    expect(await problem({})).toContain('Is the docker daemon running?');
  });

  if (isThorough)
    test('that does not come up in time, or whose run is aborted, leaves nothing', async () => {
      await engine.set('slow');
      const slow = box({ startMs: 200 });
      await expect(slow.setup?.(scope)).rejects.toThrow('it was not up within 200 ms');
      await slow.teardown?.();
      expect(await engine.containers()).toEqual([]);
      const abort = new AbortController();
      const aborted = box();
      const starting = Promise.resolve(aborted.setup?.({ ...scope, signal: abort.signal })).catch(codeOf);
      await vi.waitFor(async () => expect(await engine.containers()).toHaveLength(1));
      abort.abort();
      expect(await starting).toBe('tool.cancelled');
      await aborted.teardown?.();
      expect(await engine.containers()).toEqual([]);
    });

  test('ends with its process, also where that is killed', async () => {
    const program = join(engine.top, 'program.mjs');
    const source = join(import.meta.dirname, 'programs/holds-container.ts');
    await build({
      entryPoints: [source],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
      logLevel: 'error',
    });
    const child = spawn(process.execPath, [program, engine.path, engine.root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(await engine.containers()).toHaveLength(1);
    child.kill('SIGKILL');
    await vi.waitFor(async () => expect(await engine.containers()).toEqual([]));
  });

  if (isThorough)
    test('of a process that is gone is removed by the next one, and no other is', async () => {
      const { close } = await opened();
      const [own = ''] = await engine.containers();
      const [, host] = own.split('-');
      const dead = [`troupe-${host}-99999999-7-aaaaaaaa`, `troupe-${host}-${process.pid}-7-aaaaaaaa`];
      const others = [`troupe-0123456789ab-99999999-7-aaaaaaaa`, 'postgres'];
      for (const name of [...dead, ...others]) await writeFile(await engine.place(name), '');
      const second = await opened();
      const left = await engine.containers();
      for (const name of [own, ...others]) expect(left).toContain(name);
      for (const name of dead) expect(left).not.toContain(name);
      await second.close();
      await close();
    });
});
