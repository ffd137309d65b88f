import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { agent } from '../../src/index.ts';
import { mcpServer } from '../../src/mcp/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { builtConfiguration } from '../support/built-package.ts';
import { command, compiledModuleOf, root, troupe, typeScriptOptions } from './run-command.ts';
import { isThorough } from '../support/thorough.ts';

const home = mkdtempSync(join(tmpdir(), 'troupe-mcp-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

/** An agent here, and the command in a process of its own that serves a module. */
const visitor = (file: string, ...made: readonly (readonly [name: string, input: object])[]) =>
  agent({
    name: 'visitor',
    tools: [
      mcpServer({
        name: 'desk',
        command: process.execPath,
        args: [...typeScriptOptions, command(), 'mcp', file, '--store', join(home, 'runs.db')],
        cwd: root,
        env: { HOME: home, TSX_TSCONFIG_PATH: builtConfiguration() },
      }),
    ],
    model: scriptedModel([
      ...made.map(([name, input]) => calls({ name, input: JSON.parse(JSON.stringify(input)) })),
      'Done.',
    ]),
  });

const textsOf = async (
  running: ReturnType<ReturnType<typeof visitor>['run']>,
  type: 'tool.finished' | 'tool.progressed' = 'tool.finished',
) => (await running).events.flatMap((event) => (event.type === type ? [event.text] : []));

if (isThorough)
  test('troupe mcp serves all that a module exports, prints of tools do no harm, and its runs are stored', async () => {
    const host = visitor(
      await compiledModuleOf('desk.ts'),
      ['desk.scout', { input: 'Go.' }],
      ['desk.curious', { input: 'Go.' }],
    );
    const asked: string[] = [];
    const answer = (question: string) => {
      asked.push(question);
      return 'Bergen';
    };
    const running = host.run('go', { person: { answer } });
    expect(await textsOf(running)).toEqual(['It is rain.', 'You said: Bergen']);
    expect((await textsOf(running, 'tool.progressed')).join('\n')).toContain('look');
    expect(asked.join()).toContain('Which town?');
    const listed = await troupe(['runs', '--json', '--store', join(home, 'runs.db')]);
    const runs = listed.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(runs).toMatchObject([{ agent: 'curious' }, { agent: 'scout' }]);
  });

if (isThorough)
  test('troupe mcp serves one export, by its name', async () => {
    const host = visitor(
      `${await compiledModuleOf('desk.ts')}#scout`,
      ['desk.scout', { input: 'Go.' }],
      ['desk.curious', { input: 'Go.' }],
    );
    const texts = await textsOf(host.run('go'));
    expect(texts).toEqual([
      'It is rain.',
      expect.stringContaining("'desk.curious' as there is no such tool"),
    ]);
  });

const anything = z.looseObject({});

/** A client of the official package, with the protocol of 2025-11-25, and the process that it starts. */
const official = async (file: string, answer?: string) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...typeScriptOptions, command(), 'mcp', file, '--store', join(home, 'tasks.db')],
    cwd: root,
    env: { HOME: home, TSX_TSCONFIG_PATH: builtConfiguration() },
    stderr: 'ignore',
  });
  const client = new Client(
    { name: 'official', version: '1' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', () =>
    answer === undefined ? { action: 'decline' } : { action: 'accept', content: { answer } },
  );
  await client.connect(transport);
  const ask = (method: string, params: Record<string, unknown> = {}) =>
    client.request({ method, params }, anything);
  return { client, transport, ask };
};

if (isThorough)
  test('a task of troupe mcp outlives its process, which is killed while the task waits for an answer', async () => {
    const file = await compiledModuleOf('desk.ts');
    const first = await official(file);
    const given = { name: 'curious', arguments: { input: 'Go.' }, task: {} };
    const { task } = z
      .object({ task: z.object({ taskId: z.string() }) })
      .parse(await first.ask('tools/call', given));
    const isAsking = { status: 'input_required' };
    await expect.poll(() => first.ask('tasks/get', { ...task })).toMatchObject(isAsking);
    process.kill(first.transport.pid ?? 0, 'SIGKILL');
    await first.client.close();
    const second = await official(file, 'Bergen');
    expect(await second.ask('tasks/list')).toMatchObject({ tasks: [{ taskId: task.taskId }] });
    await expect.poll(() => second.ask('tasks/get', { ...task })).toMatchObject(isAsking);
    expect(await second.ask('tasks/result', { ...task })).toMatchObject({
      content: [{ text: 'You said: Bergen' }],
    });
    expect(await second.ask('tasks/get', { ...task })).toMatchObject({ status: 'completed' });
    await second.client.close();
  });

test('troupe mcp writes nothing but the protocol to standard output, and ends when its client is gone', async () => {
  const { exit, stdout, stderr } = await troupe(
    ['mcp', await compiledModuleOf('desk.ts'), '--store', 'none'],
    {
      input: '',
    },
  );
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' });
  expect(stderr).toContain('Serving 2 agents by MCP on standard input and output: curious, scout');
});

if (isThorough)
  test('troupe mcp of a module without an agent says so', async () => {
    const { exit, stdout, stderr } = await troupe(['mcp', await compiledModuleOf('no-agent.ts')]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/exports neither an agent nor a team/);
  });
