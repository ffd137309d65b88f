import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { sqliteStore } from '../../src/persistence/sqlite/sqlite-store.ts';
import { leaseRequestFor } from '../../src/runtime/journal/resume/stored-run.ts';
import { builtConfiguration } from '../support/built-package.ts';
import { until } from '../support/run-over-http.ts';
import { command, compiledModuleOf, root, troupe, typeScriptOptions } from './run-command.ts';

const home = mkdtempSync(join(tmpdir(), 'troupe-serve-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

/** `troupe serve` in a process of its own, as soon as it says where. */
const served = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const module = await compiledModuleOf('served.ts');
  const given = [...typeScriptOptions, command(), 'serve', module, '--port', '0', '--json', ...args];
  const child = spawn(process.execPath, given, {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: home, TSX_TSCONFIG_PATH: builtConfiguration(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
  const ended = once(child, 'close');
  const first = (async () => {
    let text = '';
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      text += chunk.toString();
      if (text.includes('\n')) return text;
    }
    throw new Error(stderr);
  })();
  const { url } = JSON.parse(await first) as { readonly url: string };
  return { child, url, ended, said: () => stderr };
};

test('a server that is killed during a run resumes it when it boots, and its clients follow it to the end', async () => {
  const store = ['--store', join(home, 'killed.db')];
  const first = await served(store, { HANGS: '1' });
  const run = await connect(first.url).start('clerk', 'Where is my order?', { key: 'order-17' });
  for await (const event of run) if (event.type === 'tool.started') break;
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await served(store);
  const again = await connect(second.url).start('clerk', 'Where is my order?', { key: 'order-17' });
  expect(again.runId).toBe(run.runId);
  expect(await again.result).toMatchObject({ status: 'completed', output: 'Order 17 is on its way.' });
  expect(second.said()).toBe('');
});

test('a server says how many runs other processes hold as it boots, and resumes them when these let go', async () => {
  const file = join(home, 'held.db');
  const first = await served(['--store', file], { HANGS: '1' });
  const run = await connect(first.url).start('clerk', 'Where is my order?');
  for await (const event of run) if (event.type === 'tool.started') break;
  first.child.kill('SIGKILL');
  await first.ended;
  const store = sqliteStore(file);
  const lease = await store.acquire(run.runId, leaseRequestFor(store));
  const second = await served(['--store', file]);
  await until(() => second.said().includes('\n'));
  expect(second.said()).toContain(
    '! 1 run is held by other processes: it goes on here once these have ended',
  );
  await store.release(lease);
  expect(await connect(second.url).at(run.runId).result).toMatchObject({ status: 'completed' });
  await store.close();
});

test('a server that is told to end suspends its runs, ends in order, and the next one has them', async () => {
  const store = ['--store', join(home, 'drained.db')];
  const first = await served(store);
  const run = await connect(first.url).start('curious', 'go');
  for await (const event of run) if (event.type === 'person.asked') break;
  first.child.kill('SIGTERM');
  expect(await first.ended).toEqual([0, null]);
  const second = await served(store);
  const later = connect(second.url).at(run.runId);
  const [request] = await later.requests();
  await later.reply(request?.id ?? '', 'Bergen');
  expect(await later.result).toMatchObject({ output: 'You said: Bergen' });
});

test('a run that a server has is answered by a command on the same store', async () => {
  const store = ['--store', join(home, 'answered.db')];
  const { url } = await served(store);
  const run = await connect(url).start('curious', 'go');
  for await (const event of run) if (event.type === 'person.asked') break;
  const { exit, stderr } = await troupe(['answer', run.runId, 'Bergen', ...store]);
  expect(exit).toBe(0);
  expect(stderr).toContain('sent through the store: the process that holds the run continues');
  expect(await run.result).toMatchObject({ output: 'You said: Bergen' });
});

test('a host that others reach needs a token, and so does each request then', async () => {
  const module = await compiledModuleOf('served.ts');
  const refused = await troupe(['serve', module, '--host', '0.0.0.0', '--store', 'none']);
  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining('TROUPE_SERVE_TOKEN') as string });
  const { url } = await served(['--host', '0.0.0.0', '--store', 'none'], { TROUPE_SERVE_TOKEN: 'let-me-in' });
  const here = url.replace('0.0.0.0', '127.0.0.1');
  expect((await fetch(`${here}/runs`)).status).toBe(401);
  expect((await fetch(`${here}/runs`, { headers: { authorization: 'Bearer let-me-out' } })).status).toBe(401);
  const desk = connect(here, { headers: { authorization: 'Bearer let-me-in' } });
  expect(await desk.run('clerk', 'go')).toMatchObject({ output: 'Order 17 is on its way.' });
});

test('with --openai the agents are models of OpenAI, too, and without it there are none', async () => {
  const { url } = await served(['--openai', '--store', 'none']);
  const models = (await (await fetch(`${url}/v1/models`)).json()) as { readonly data: readonly unknown[] };
  expect(models.data).toContainEqual(expect.objectContaining({ id: 'clerk', object: 'model' }));
  const completion = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'clerk', messages: [{ role: 'user', content: 'Where is my order?' }] }),
  });
  expect(await completion.json()).toMatchObject({
    choices: [{ message: { content: 'Order 17 is on its way.' } }],
  });
  const plain = await served(['--store', 'none']);
  expect((await fetch(`${plain.url}/v1/models`)).status).toBe(404);
});

/** Hides the SQLite of Node, and libsql, from a process that loads it first. */
const HIDES_SQLITE = `data:text/javascript,${encodeURIComponent(`
  import Module from 'node:module';
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (name) => (name === 'node:sqlite' ? undefined : getBuiltinModule(name));
  const load = Module._load;
  Module._load = (name, ...rest) => {
    if (name === 'libsql') throw new Error('it is not installed');
    return load(name, ...rest);
  };
`)}`;

for (const command of ['serve', 'inspect', 'mcp'] as const)
  test(`without SQLite, ${command} says at its start that the store it was given cannot be used, and what to install`, async () => {
    const module = await compiledModuleOf('priced.ts');
    const args = [command, module, '--store', join(home, `none-${command}.db`)];
    const { exit, stdout, stderr } = await troupe(args, { imports: [HIDES_SQLITE] });
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^✗ Cannot open \S+ as this Node has no SQLite of its own, and the package libsql .*npm install libsql/,
    );
  });

test('without SQLite and without a store that was named, it serves what is not stored, and says so', async () => {
  const module = await compiledModuleOf('served.ts');
  const options = [...typeScriptOptions, '--import', HIDES_SQLITE];
  const child = spawn(process.execPath, [...options, command(), 'serve', module, '--port', '0'], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: home, TSX_TSCONFIG_PATH: builtConfiguration() },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.add(child);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  await until(() => /Serving .*: /.test(said));
  expect(said).toMatch(
    /^ {2}! This run is not stored, as there is no store: Cannot open .*npm install libsql/,
  );
  const [, url = ''] = /at (http:\S+):/.exec(said) ?? [];
  expect(await connect(url).run('clerk', 'go')).toMatchObject({ output: 'Order 17 is on its way.' });
});
