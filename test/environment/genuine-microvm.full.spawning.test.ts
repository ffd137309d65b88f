import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, describe, expect, inject, test, vi } from 'vitest';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { EnvironmentSession } from '../../src/tools/environments/environment-session.ts';
import { processTools } from '../../src/tools/environments/process-tools.ts';
import type { GenuineMicrovm } from '../support/microvm.ts';
import { findGenuineMicrovm, skipWithoutMicrovm } from '../support/microvm.ts';
import { codeOf, environmentContract } from './contract.ts';
import { listening } from './remote-server.ts';

const scope = { runId: 'r', path: 'a' };

/** Where the page is that a program in the machine serves. */
const PAGE = 'http://127.0.0.1:8000/notes';

/** A machine with the files of the contract in its work folder, which it serves as pages, too. */
const furnished = (machine: Environment): Environment => ({
  ...machine,
  get ops() {
    return machine.ops;
  },
  setup: async (given) => {
    await machine.setup?.(given);
    const { files, processes, http } = machine.ops;
    await files?.write('notes.md', '# Notes');
    await files?.write('notes', '# Notes');
    await files?.write('src/main.ts', 'one\ntwo');
    // It serves until its machine is over.
    void processes?.run('busybox', ['httpd', '-f', '-p', '8000']).catch(() => undefined);
    await vi.waitFor(async () => expect((await http?.request({ url: PAGE }))?.status).toBe(200), {
      timeout: 30_000,
      interval: 50,
    });
  },
});

const lawsOf = (recipe: GenuineMicrovm): void => {
  const closing: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const opened = async (options: Parameters<GenuineMicrovm['machine']>[0] = {}) => {
    const environment = recipe.machine(options);
    closing.push(() => environment.teardown?.());
    await environment.setup?.(scope);
    const { files, processes, http } = environment.ops;
    if (files === undefined || processes === undefined || http === undefined)
      throw new Error('there are no operations');
    const run = (script: string, timeoutMs = 60_000) => processes.run('sh', ['-c', script], { timeoutMs });
    return { environment, files, http, run };
  };

  environmentContract('in a microVM', async () => ({
    environment: furnished(recipe.machine()),
    print: 'echo',
    page: { url: PAGE, text: '# Notes' },
  }));

  test('has another kernel, no disk, one network that leads nowhere, and nothing to write in but its work folder', async () => {
    const { run } = await opened();
    const says = async (script: string) => (await run(script)).stdout.trim();
    expect(await says('id -u; id -g; pwd')).toBe('1000\n1000\n/work');
    expect(await says('uname -r')).toBe(recipe.options.kernel.replace(/^.*vmlinuz-/, ''));
    expect(await says('ls /sys/block /dev | grep -E "^(sd|vd|nvme)"')).toBe('');
    expect(await says('ip route')).toBe('10.0.2.0/24 dev eth0 scope link  src 10.0.2.15');
    const tried = await says(
      'for place in / /bin /dev /lib /modules /proc /work; do touch $place/x 2>/dev/null && echo $place; done',
    );
    expect(tried).toBe('/work');
  });

  test('reaches neither the loopback interface of its host nor anything beyond', async () => {
    let asked = 0;
    const { origin, close } = await listening((_, response) => {
      asked += 1;
      response.end('the host');
    });
    closing.push(close);
    const { port } = new URL(origin);
    expect(await (await fetch(origin)).text()).toBe('the host');
    const { http, run } = await opened();
    const probe =
      'fetch(process.argv[1], { signal: AbortSignal.timeout(10_000) }).then(async (page) => console.log(await page.text()))';
    const ask = (address: string) => run(`node -e '${probe}' http://${address}/`);
    // The probe itself works: its own server is there.
    expect(await ask('127.0.0.1:8080')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('only POST is answered'),
    });
    for (const address of ['127.0.0.1', '10.0.2.2', '10.0.2.3', '192.0.2.1'])
      expect(await ask(`${address}:${port}`)).toMatchObject({ exitCode: 1, stdout: '' });
    for (const url of [`http://127.0.0.1:${port}/`, `http://10.0.2.2:${port}/`])
      expect(await http.request({ url }).catch(codeOf)).toBe('tool.denied');
    expect(asked).toBe(1);
  });

  test('a file of 1 GB finds no room, and what was there is read as before', async () => {
    const { files, run } = await opened();
    await files.write('kept.txt', 'kept');
    const filled = await run('dd if=/dev/zero of=big bs=1M count=1024');
    expect(filled).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('No space left on device') });
    const facts = await files.stat('big');
    expect(facts?.bytes).toBeLessThan(2 ** 26);
    expect(await files.write('more.txt', 'x'.repeat(100_000)).catch(codeOf)).toBe('tool.failed');
    expect(await files.remove('big')).toBe(true);
    expect((await files.read('kept.txt')).text).toBe('kept');
  });

  test('a program that wants all memory is ended by the machine, which goes on', async () => {
    const { files, run } = await opened();
    const { exitCode } = await run('tail /dev/zero');
    expect(exitCode).not.toBe(0);
    await files.write('after.txt', 'after');
    expect((await files.read('after.txt')).text).toBe('after');
  });

  test('a fork bomb harms the machine alone, and is over with it', async () => {
    const { environment, run } = await opened();
    const before = await recipe.processes();
    const bomb = await run('bomb() { bomb | bomb & }; bomb; sleep 1000', 5_000).catch(codeOf);
    expect(bomb).toSatisfy(
      (ended: unknown) =>
        ended === 'tool.failed' || (ended as { readonly isTimedOut?: boolean }).isTimedOut === true,
    );
    expect(await recipe.processes()).toEqual(before);
    await environment.teardown?.();
    expect(await recipe.processes()).toEqual([]);
    const { run: other } = await opened();
    expect((await other('echo anew')).stdout).toBe('anew\n');
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
      environment: () => recipe.machine(),
    });
    const { records } = await clerk.run('x');
    expect(records[0]?.results[0]?.text).toBe('exit code 0\n/work');
    expect(await recipe.processes()).toEqual([]);
  });

  test('that is killed meanwhile ends the run, says so to tools, and leaves no process, file or port', async () => {
    const before = await readdir(recipe.folder);
    const environment = recipe.machine();
    const session = new EnvironmentSession(environment, scope);
    expect(await session.open()).toEqual([]);
    const { spec } = environment;
    const [pid, ...others] = await recipe.processes();
    if (pid === undefined) throw new Error('there is no machine');
    expect(others).toEqual([]);
    const { processes, files } = environment.ops;
    const running = processes?.run('sleep', ['1000']).catch(codeOf);
    process.kill(pid, 'SIGKILL');
    expect(await running).toBe('tool.failed');
    await vi.waitFor(async () => expect((await session.end())?.detail).toBe('the machine is over'));
    expect(await files?.read('x').catch(String)).toMatch(
      /Cannot ask the environment 'microvm' for 'files\.read' as its answer cannot be had: .*ECONNREFUSED/,
    );
    expect(await session.close()).toEqual([]);
    expect(spec).toEqual({ type: 'microvm' });
    expect(await recipe.processes()).toEqual([]);
    expect(await readdir(recipe.folder)).toEqual(before);
  });

  test('of a kernel that is none is a problem that says so, and leaves nothing', async () => {
    const session = new EnvironmentSession(recipe.machine({ kernel: join(recipe.folder, 'absent') }), scope);
    const [issue] = await session.open();
    expect(issue?.message).toMatch(/Cannot start the microVM as .*could not open kernel file/);
    expect(await session.close()).toEqual([]);
    expect(await recipe.processes()).toEqual([]);
  });

  test('that is not up in time is a problem that says so, and leaves nothing', async () => {
    const session = new EnvironmentSession(recipe.machine({ bootMs: 1 }), scope);
    const [issue] = await session.open();
    expect(issue?.message).toContain('Cannot start the microVM as it was not ready within 1 ms');
    expect(await session.close()).toEqual([]);
    expect(await recipe.processes()).toEqual([]);
  });

  test('ends with its process, also where that is killed', async () => {
    const program = join(recipe.folder, 'holds-microvm.ts');
    const bundled = join(recipe.folder, 'holds-microvm.mjs');
    await writeFile(
      program,
      `import { microvm } from './microvm.ts';
      await microvm(${JSON.stringify(recipe.options)}).setup?.(${JSON.stringify(scope)});
      process.stdout.write('up\\n');
      setInterval(() => undefined, 1_000_000);`,
    );
    await build({
      entryPoints: [program],
      outfile: bundled,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    const child = spawn(process.execPath, [bundled], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(await recipe.processes()).toHaveLength(1);
    child.kill('SIGKILL');
    await vi.waitFor(async () => expect(await recipe.processes()).toEqual([]), {
      timeout: 30_000,
      interval: 50,
    });
  });
};

const { recipe, reason } = await findGenuineMicrovm(inject('builtPackage'));
// Of the whole file: where a filter leaves out all its tests, hooks of a group do not run.
afterAll(() => recipe?.dispose());

describe('[QITOS-37] [QITOS-40] a genuine microVM', () => {
  if (recipe === undefined) skipWithoutMicrovm(reason);
  else lawsOf(recipe);
});
