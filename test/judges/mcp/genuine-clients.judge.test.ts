import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { act, agent, answer, askPerson, tool } from '../../../src/index.ts';
import { serveMcp } from '../../../src/mcp/index.ts';
import { deferred } from '../../support/runs.ts';
import { command, compiledModuleOf } from '../../cli/run-command.ts';
import { newerNode } from './newer-node.ts';
import { packageFolder } from './real-servers.ts';
import type { LocalServer } from './serve-over-http.ts';
import { serveOverHttp } from './serve-over-http.ts';

/** What a run does that its client waits for. */
const waits = { begun: deferred<unknown>(), stopped: deferred<unknown>() };

const wait = tool({
  name: 'wait',
  description: 'Waits until it is stopped.',
  input: z.object({}),
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      waits.begun.resolve(undefined);
      signal.addEventListener('abort', () => {
        waits.stopped.resolve(signal.reason);
        reject(new Error('stopped'));
      });
    }),
});

const agents = [
  agent({
    name: 'adder',
    description: 'Adds two numbers.',
    input: z.object({ a: z.number(), b: z.number().describe('The other one.') }),
    output: z.object({ sum: z.number() }),
    decide: ({ input: { a, b } }) => answer({ sum: a + b }),
  }),
  agent({
    name: 'curious',
    description: 'Asks for a town.',
    tools: [askPerson],
    decide: ({ step, results }) =>
      step === 0
        ? act({ name: 'ask_person', input: { question: 'Which town?' } })
        : answer(`You said: ${results[0]?.text}`),
  }),
  agent({
    name: 'waiter',
    description: 'Waits.',
    tools: [wait],
    decide: () => act({ name: 'wait', input: {} }),
  }),
  agent({
    name: 'broken',
    description: 'Fails.',
    decide: () => {
      throw new Error('no power');
    },
  }),
];

/** A client of the protocol's authors, which answers what it is asked. */
const client = (mode: 'legacy' | 'auto'): Client => {
  const made = new Client(
    { name: 'genuine', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
  );
  made.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'Bergen' } }));
  onTestFinished(() => made.close());
  return made;
};

const home = mkdtempSync(join(tmpdir(), 'troupe-judged-'));

let local: LocalServer | undefined;
beforeAll(async () => {
  const service = serveMcp(agents, { name: 'desk', instructions: 'Ask the adder for sums.' });
  local = await serveOverHttp((request) => service.fetch(request));
});
afterAll(() => local?.[Symbol.asyncDispose]());
const url = (): string => local?.url ?? '';

/** The command that serves a module with agents on its standard input and output. */
const served = async (): Promise<readonly string[]> => [
  command(),
  'mcp',
  await compiledModuleOf('desk.ts'),
  '--store',
  join(home, 'runs.db'),
];

const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
  content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');

describe.each(['legacy', 'auto'] as const)('the client of the authors, of mode %s', (mode) => {
  test('lists agents over HTTP, calls them, is asked, and reads their failures', async () => {
    const guest = client(mode);
    await guest.connect(new StreamableHTTPClientTransport(new URL(url())));
    expect(guest.getServerVersion()).toMatchObject({ name: 'desk' });
    expect(guest.getInstructions()).toBe('Ask the adder for sums.');
    const { tools } = await guest.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['adder', 'curious', 'waiter', 'broken']);
    // Results are validated by the client, too, against the schema that is declared.
    const sum = await guest.callTool({ name: 'adder', arguments: { a: 1, b: 2 } });
    expect(sum.structuredContent).toEqual({ sum: 3 });
    const progress: string[] = [];
    const asked = await guest.callTool(
      { name: 'curious', arguments: { input: 'Go.' } },
      { onprogress: ({ message }) => progress.push(message ?? '') },
    );
    expect(textOf(asked)).toBe('You said: Bergen');
    expect(progress.join('\n')).toMatch(/Which town/);
    const broken = await guest.callTool({ name: 'broken', arguments: { input: 'Go.' } });
    expect([broken.isError, textOf(broken)]).toEqual([true, expect.stringContaining('no power')]);
    const wrong = await guest
      .callTool({ name: 'adder', arguments: { a: 'x' } })
      .then(textOf)
      .catch((thrown: unknown) => String(thrown));
    expect(wrong).toMatch(/b: .*; a: /);
  });

  test('aborts a run over HTTP by cancelling its call', async () => {
    Object.assign(waits, { begun: deferred<unknown>(), stopped: deferred<unknown>() });
    const guest = client(mode);
    await guest.connect(new StreamableHTTPClientTransport(new URL(url())));
    const stop = new AbortController();
    const call = guest.callTool({ name: 'waiter', arguments: { input: 'Go.' } }, { signal: stop.signal });
    await waits.begun.promise;
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow(/enough/);
    await waits.stopped.promise;
  });

  test('calls what `troupe mcp` serves over standard input and output, and is asked', async () => {
    const guest = client(mode);
    await guest.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...(await served())],
        env: { PATH: process.env['PATH'] ?? '', HOME: home },
        stderr: 'ignore',
      }),
    );
    expect((await guest.listTools()).tools.map(({ name }) => name).toSorted()).toEqual(['curious', 'scout']);
    expect(textOf(await guest.callTool({ name: 'scout', arguments: { input: 'Go.' } }))).toBe('It is rain.');
    expect(textOf(await guest.callTool({ name: 'curious', arguments: { input: 'Go.' } }))).toBe(
      'You said: Bergen',
    );
  });
});

describe("the inspector's command", () => {
  const inspect = async (
    ...args: readonly string[]
  ): Promise<{ readonly exit: unknown; readonly said: string }> => {
    const file = resolve(packageFolder('@modelcontextprotocol/inspector'), 'clients/launcher/build/index.js');
    const child = spawn(newerNode(), [file, '--cli', ...args], {
      env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => (said += piece.toString()));
    const [exit] = (await once(child, 'close')) as [unknown];
    return { exit, said };
  };

  test('finds nothing in the schemas of agents over HTTP that some client would not take, and calls them', async () => {
    const list = await inspect('--method', 'tools/list', '--strict', url());
    expect(list).toMatchObject({ exit: 0, said: expect.stringContaining('"adder"') });
    const given = ['--tool-arg', 'a=1', 'b=2'];
    const call = await inspect(url(), '--method', 'tools/call', '--tool-name', 'adder', ...given);
    expect(call).toMatchObject({ exit: 0, said: expect.stringMatching(/"sum": 3/) });
  });

  test('lists and calls what `troupe mcp` serves over standard input and output', async () => {
    const program = [process.execPath, ...(await served())];
    const list = await inspect('--method', 'tools/list', '--strict', '--', ...program);
    expect(list).toMatchObject({ exit: 0, said: expect.stringContaining('"scout"') });
    const call = await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'scout',
      '--tool-arg',
      'input=Go.',
      '--',
      ...program,
    );
    expect(call).toMatchObject({ exit: 0, said: expect.stringContaining('It is rain.') });
  });
});
