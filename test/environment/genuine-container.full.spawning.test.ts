import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { hostMark } from '../../src/tools/built-in/container/container-owner.ts';
import type { ContainerEnvironmentOptions } from '../../src/tools/built-in/container/container-plan.ts';
import { containerEnvironment } from '../../src/tools/built-in/container/container-environment.ts';
import { EnvironmentSession } from '../../src/tools/environments/environment-session.ts';
import { processTools } from '../../src/tools/environments/process-tools.ts';
import { codeOf, environmentContract } from './contract.ts';
import type { GenuineEngine } from '../support/container-engines.ts';
import { findGenuineEngine, skipWithout } from '../support/container-engines.ts';
import { temporaryWorld } from './temporary-world.ts';

const programs = ['podman', 'docker'] as const;
type Program = (typeof programs)[number];

const scope = { runId: 'r', path: 'a' };

/** A user who is not root, to whom a mounted folder has to belong where this process is of root. */
const USER = 1_000;

/** A folder with the files of the contract, which the container's user may write. */
const mountedWorld = async () => {
  const world = await temporaryWorld();
  if (process.getuid?.() === 0)
    for (const place of ['.', 'notes.md', 'src', 'src/main.ts'])
      await chown(join(world.root, place), USER, USER);
  return world;
};

const lawsOf = (program: Program, engine: GenuineEngine): void => {
  const [gnu] = engine.images;
  beforeAll(() => {
    for (const [name, value] of Object.entries(engine.variables)) vi.stubEnv(name, value);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });

  const box = (options: Partial<ContainerEnvironmentOptions> = {}) =>
    containerEnvironment({ image: gnu?.name ?? '', engine: program, ...options });

  const closing: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const opened = async (options: Partial<ContainerEnvironmentOptions> = {}) => {
    const environment = box(options);
    await environment.setup?.(scope);
    const close = async (): Promise<void> => {
      closing.splice(0);
      await environment.teardown?.();
    };
    closing.push(close);
    const { files, processes } = environment.ops;
    if (files === undefined || processes === undefined) throw new Error('there are no operations');
    /** The output of a script inside. */
    const says = async (script: string) => (await processes.run('sh', ['-c', script])).stdout.trim();
    return { files, processes, says, close };
  };

  /** Names of our containers, running or not. */
  const containers = async (): Promise<readonly string[]> => {
    const filter = `label=troupe.host=${hostMark()}`;
    const listed = await engine.ask('ps', '--all', '--filter', filter, '--format', '{{.Names}}');
    return listed.split('\n').filter((name) => name !== '');
  };

  for (const { commands, name } of engine.images)
    environmentContract(`in a container of ${program} with the commands of ${commands}`, async () => {
      const world = await mountedWorld();
      const environment = box({ image: name, folder: world.root, commands: ['echo'] });
      return { environment, print: 'echo', dispose: () => world.dispose() };
    });

  test('has no network, no capability, no other user than its own, and nothing to write in but its work folder and its memory', async () => {
    const { says } = await opened();
    expect(await says('id -u; id -g; pwd')).toBe(`${USER}\n${USER}\n/work`);
    expect(await says('cat /proc/self/status')).toMatch(/CapEff:\s0+\n[^]*CapBnd:\s0+\n[^]*NoNewPrivs:\s1/);
    expect((await says('cat /proc/net/dev')).split('\n').slice(2).join('')).toMatch(/^\s*lo:[^:]*$/);
    const places = await says(
      String.raw`while read -r _ place _; do printf '%s\n' "$place"; done </proc/mounts; printf '%s\n' / /bin /etc /run /var /var/tmp /dev /proc /sys`,
    );
    const tried = await says(
      `for place in ${places.split('\n').join(' ')}; do touch "$place/x" 2>/dev/null && echo "$place"; done`,
    );
    // Shared memory and queues between its processes are of the container alone, and of the sizes that the engine gives them.
    const ofProcesses = ['/dev/shm', '/dev/mqueue'];
    const writable = tried.split('\n').filter((place) => !ofProcesses.includes(place));
    expect([...new Set(writable)].toSorted()).toEqual(['/tmp', '/work']);
    expect(await says('echo "echo ran" >/tmp/x; chmod +x /tmp/x; /tmp/x || echo refused')).toBe('refused');
  });

  test('keeps programs within its memory and its number of processes', async () => {
    const { processes, says, close } = await opened({ memoryMb: 64, pids: 20 });
    expect(
      (await processes.run('sh', ['-c', 'head -c 200000000 /dev/zero | tail -c 200000000'])).stdout,
    ).toBe('');
    expect(
      await says('i=0; while [ $i -lt 40 ]; do sleep 1000 & i=$((i + 1)); done 2>&1; echo all'),
    ).not.toContain('all');
    await close();
    expect(await containers()).toEqual([]);
    // What an engine leaves behind is not left in the folder of its caller.
    await expect(access('oom')).rejects.toThrow('ENOENT');
  });

  test('a command that is out of time or cancelled ends inside, with what it started', async () => {
    const { files, processes, says } = await opened();
    const script = 'setsid sleep 5432 & echo $! > pid; sleep 5432';
    const late = await processes.run('sh', ['-c', script], { timeoutMs: 2_000 });
    expect(late).toMatchObject({ isTimedOut: true, exitCode: null });
    const abort = new AbortController();
    const running = processes.run('sh', ['-c', 'echo $$ > other; sleep 5431'], { signal: abort.signal });
    const cancelled = running.catch(codeOf);
    await vi.waitFor(async () => expect((await files.read('other')).text).toMatch(/^\d+\n$/), {
      timeout: 30_000,
      interval: 20,
    });
    abort.abort();
    expect(await cancelled).toBe('tool.cancelled');
    for (const file of ['pid', 'other'])
      expect(await says(`grep -q sleep "/proc/$(cat ${file})/cmdline" || echo over`)).toBe('over');
  });

  test('is there for a run, and gone after it', async () => {
    const model = scriptedModel([
      calls({ name: 'processes.run', input: { command: 'pwd', args: [] } }),
      'Done.',
    ]);
    const clerk = agent({
      name: 'clerk',
      model,
      tools: [processTools({ approval: false })],
      environment: () => box(),
    });
    const { records } = await clerk.run('x');
    expect(records[0]?.results[0]?.text).toBe('exit code 0\n/work');
    expect(await containers()).toEqual([]);
  });

  test('that is removed meanwhile ends the run, and says so to tools', async () => {
    const environment = box();
    const session = new EnvironmentSession(environment, scope);
    expect(await session.open()).toEqual([]);
    await engine.ask('rm', '-f', ...(await containers()));
    await vi.waitFor(async () => expect((await session.end())?.detail).toContain('the container is over'), {
      timeout: 30_000,
      interval: 20,
    });
    expect(await environment.ops.files?.read('x').catch(String)).toContain('as it is over');
    expect(await session.close()).toEqual([]);
    expect(await containers()).toEqual([]);
  });

  test('of an image that is nowhere is a problem that says so, and leaves nothing', async () => {
    const absent = new EnvironmentSession(box({ image: 'localhost/troupe-absent:none' }), scope);
    const [issue] = await absent.open();
    expect(issue?.message).toMatch(
      /Cannot start a container of the image 'localhost\/troupe-absent:none' as it ended \(exit code 125\): /,
    );
    expect(await containers()).toEqual([]);
  });

  test('ends with its process, also where that is killed, and what an engine left is removed by the next one', async () => {
    const world = await temporaryWorld();
    const bundled = join(world.top, 'program.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'programs/holds-container.ts')],
      outfile: bundled,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
      logLevel: 'error',
    });
    const child = spawn(process.execPath, [bundled, program, '/work', gnu?.name ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(await containers()).toHaveLength(1);
    child.kill('SIGKILL');
    await vi.waitFor(async () => expect(await containers()).toEqual([]), { timeout: 30_000, interval: 100 });
    const orphan = `troupe-${hostMark()}-99999999-7-aaaaaaaa`;
    const label = `troupe.host=${hostMark()}`;
    await engine.ask('create', '--name', orphan, '--label', label, gnu?.name ?? '', 'true');
    await opened();
    const left = await containers();
    expect(left).not.toContain(orphan);
    expect(left).toHaveLength(1);
    await world.dispose();
  });
};

const made: GenuineEngine[] = [];
// Of the whole file: where a filter leaves out all tests of an engine, its own hooks do not run.
afterAll(async () => {
  for (const engine of made) await engine.dispose();
});

for (const program of programs) {
  const { engine, reason } = await findGenuineEngine(program);
  describe(`[QITOS-37] [QITOS-40] a genuine container of ${program}`, () => {
    if (engine === undefined) {
      skipWithout(reason);
      return;
    }
    made.push(engine);
    lawsOf(program, engine);
  });
}
