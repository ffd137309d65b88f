import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { agent } from '../../../src/index.ts';
import type { RunResult } from '../../../src/contracts/runs/run-result.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import type { McpServerOptions } from '../../../src/mcp/index.ts';
import { calls, scriptedModel } from '../../../src/testing/index.ts';
import { LineProcess } from '../../../src/tools/built-in/host/line-process.ts';
import type { Json } from '../../../src/base/json/json.ts';
import { base64, png } from '../../content/pictures.ts';
import { greeting, handWritten, program, served, withEcho } from './servers.ts';
import { isThorough, sampled } from '../../support/thorough.ts';

/** Has an agent call tools of a server, one call per step, and answer. */
const calling = (options: McpServerOptions, ...made: readonly (readonly [name: string, input: Json])[]) =>
  agent({
    name: 'host',
    tools: [mcpServer(options)],
    model: scriptedModel([...made.map(([name, input]) => calls({ name, input })), 'Done.']),
  });

const finished = ({ events }: RunResult<unknown>) =>
  events.flatMap((event) => (event.type === 'tool.finished' ? [event] : []));

/** A process that is over may still wait to be collected. */
const isRunning = (pid: string): boolean => {
  try {
    process.kill(Number(pid), 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** The session that a server of the older protocol keeps for a client. */
const SESSION = { 'mcp-session-id': 'session-7' };

/** An answer by a stream of events, of which something becomes before the answer is sent. */
const streamed = (
  end: (stream: ReadableStreamDefaultController<Uint8Array>) => void,
  event = ': nothing yet\n\n',
): Response => {
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      stream.enqueue(new TextEncoder().encode(event));
      setImmediate(end, stream);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

const deniedIn = ({ events }: RunResult<unknown>) =>
  events.flatMap((event) => (event.type === 'tool.denied' ? [event.tool] : []));

describe.each([
  { era: '2026-07-28', handling: { legacy: 'reject' } as const, isOlder: false },
  { era: '2025-11-25', handling: {}, isOlder: true },
])('over HTTP, with the protocol of $era', ({ handling, isOlder }) => {
  /** An older server refuses the first question of a newer client. */
  const older = (options: McpServerOptions): McpServerOptions => ({
    ...options,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const text = await request.clone().text();
      if (text.includes('server/discover')) return new Response('no such method', { status: 400 });
      return options.fetch?.(request) ?? new Response(null, { status: 500 });
    },
  });
  const with_ = (options: McpServerOptions) => (isOlder ? older(options) : options);

  test('the tools of a server are called, and what they send is their result', async () => {
    const options = served(
      (server) => {
        withEcho(server);
        server.registerTool(
          'sum',
          {
            description: 'Adds.',
            inputSchema: z.object({ a: z.number(), b: z.number() }),
            outputSchema: z.object({ sum: z.number() }),
          },
          ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }),
        );
        server.registerTool('fail', { description: 'Fails.' }, () => ({
          content: [{ type: 'text', text: 'There is no such order.' }],
          isError: true,
        }));
        server.registerTool('paint', { description: 'Paints.' }, () => ({
          content: [
            { type: 'text', text: 'Here it is.' },
            { type: 'image', data: base64(png()), mimeType: 'image/png' },
          ],
        }));
      },
      {},
      handling,
    );
    const host = calling(
      with_(options),
      ['srv.echo', { text: 'a' }],
      ['srv.sum', { a: 1, b: 2 }],
      ['srv.fail', {}],
      ['srv.paint', {}],
    );
    const result = await host.run('go');
    expect(finished(result).map(({ ok, text }) => [ok, text])).toEqual([
      [true, 'heard a'],
      [true, '{"sum":3}'],
      [false, 'There is no such order.'],
      [true, 'Here it is.\n\n[image image/png]'],
    ]);
    expect(result.events.find(({ type }) => type === 'toolset.opened')).toMatchObject({
      toolset: 'srv',
      tools: { echo: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  test('the input is validated by the schema of the server before anything is sent', async () => {
    const options = served(withEcho, {}, handling);
    const result = await calling(with_(options), ['srv.echo', { text: 7 }]).run('go');
    expect(finished(result)).toMatchObject([{ ok: false, error: { code: 'tool.input-invalid' } }]);
  });

  test('progress of the server is progress of the call, up to a limit', async () => {
    const options = served(
      (server) => {
        server.registerTool('slow', { description: 'Works.' }, async (context) => {
          const { _meta, notify } = context.mcpReq;
          for (let progress = 1; progress <= 300; progress += 1)
            await notify({
              method: 'notifications/progress',
              params: { progressToken: _meta?.progressToken ?? 0, progress, total: 300, message: 'Reading' },
            });
          return { content: [{ type: 'text', text: 'read' }] };
        });
      },
      {},
      handling,
    );
    const { events } = await calling(with_(options), ['srv.slow', {}]).run('go');
    const said = events.flatMap((event) => (event.type === 'tool.progressed' ? [event.text] : []));
    expect(said[0]).toBe('Reading (1 of 300)');
    expect(said).toHaveLength(200);
  });
});

test('annotations become safety: what destroys needs a yes, what reads does not; options are stronger', async () => {
  const fill: Parameters<typeof served>[0] = (server) => {
    for (const [name, annotations] of Object.entries({
      look: { readOnlyHint: true },
      wipe: { destructiveHint: true },
      put: { idempotentHint: true },
    }))
      server.registerTool(name, { description: name, annotations }, () => ({
        content: [{ type: 'text', text: `${name} done` }],
      }));
  };
  const made = [
    ['srv.look', {}],
    ['srv.wipe', {}],
    ['srv.put', {}],
  ] as const;
  const plain = await calling(served(fill), ...made).run('go');
  expect(deniedIn(plain)).toEqual(['srv.wipe']);
  const strict = await calling(served(fill, { approval: ['put'], safety: { wipe: 'write' } }), ...made).run(
    'go',
  );
  expect(deniedIn(strict)).toEqual(['srv.put']);
});

test('names that no provider takes are mapped, equal ones are told apart, and bad tools are left out', async () => {
  const tools = [
    {
      name: 'get weather!',
      inputSchema: { type: 'object' },
      description: `Tells.\u200B${'\u{E0041}'} ${'x'.repeat(9_000)}`,
    },
    { name: 'get weather?', inputSchema: { type: 'object' } },
    { name: '9lives', inputSchema: { type: 'object' } },
    { name: 'broken', inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } },
  ];
  const sent: string[] = [];
  const model = scriptedModel([
    ({ tools: shown }) => {
      sent.push(
        ...shown.map(({ name, description }) => `${name}: ${description.slice(0, 12)} ${description.length}`),
      );
      return 'Done.';
    },
  ]);
  const server = mcpServer(handWritten({ ...greeting, 'tools/list': { tools } }));
  const { events } = await agent({ name: 'host', tools: [server], model }).run('go');
  expect(sent).toEqual([
    'srv.get_weather_: Tells. xxxxx 2007',
    'srv.get_weather__2: get weather? 12',
    'srv.tool_9lives: 9lives 6',
  ]);
  expect(events.find((event) => event.type === 'toolset.opened')?.refused).toEqual({
    broken: expect.stringContaining('broken reference'),
  });
});

describe('a server over HTTP that misbehaves', () => {
  const echo = {
    name: 'echo',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', required: ['n'] },
  };
  const answering = (answer: unknown, options: Partial<McpServerOptions> = {}) =>
    calling(handWritten({ ...greeting, 'tools/list': { tools: [echo] }, 'tools/call': answer }, options), [
      'srv.echo',
      {},
    ]);
  test.each([
    {
      what: 'lies about its schema',
      answer: { content: [], structuredContent: { m: 1 } },
      code: 'mcp.protocol',
    },
    { what: 'sends no structure', answer: { content: [{ type: 'text', text: 'x' }] }, code: 'mcp.protocol' },
    { what: 'sends another shape', answer: { content: 'everything' }, code: 'mcp.protocol' },
    {
      what: 'sends HTML',
      answer: () => new Response('<html>Log in</html>', { headers: { 'content-type': 'text/html' } }),
      code: 'mcp.protocol',
    },
    {
      what: 'sends broken JSON',
      answer: () => new Response('{"jsonrpc"', { headers: { 'content-type': 'application/json' } }),
      code: 'mcp.protocol',
    },
    {
      what: 'floods',
      answer: () => new Response('x'.repeat(11_000_000), { headers: { 'content-type': 'application/json' } }),
      code: 'mcp.protocol',
    },
    {
      what: 'redirects to another host',
      answer: () => new Response(null, { status: 307, headers: { location: 'https://evil.test/' } }),
      code: 'mcp.protocol',
    },
    { what: 'is overloaded', answer: () => new Response('later', { status: 503 }), code: 'mcp.unavailable' },
    { what: 'forbids', answer: () => new Response('no', { status: 403 }), code: 'mcp.auth' },
    { what: 'refuses', answer: undefined, code: 'tool.failed' },
    {
      what: 'hangs',
      answer: () => new Promise(() => undefined),
      options: { timeoutMs: 30 },
      code: 'tool.timeout',
    },
    {
      what: 'loses the network',
      answer: () => Promise.reject(new TypeError('fetch failed')),
      code: 'mcp.unavailable',
    },
    {
      what: 'ends the stream of its answer',
      answer: () => streamed((stream) => stream.close()),
      code: 'mcp.lost',
    },
    {
      what: 'dies while it streams its answer',
      answer: () => streamed((stream) => stream.error(new TypeError('terminated'))),
      code: 'mcp.lost',
    },
    {
      what: 'dies while it streams its answer, and does not know the stream when it is back',
      answer: () => streamed((stream) => stream.close(), 'id: 1\ndata: \n\n'),
      code: 'mcp.lost',
    },
  ])('$what: its call fails by $code, and the run goes on', async ({ answer, options, code }) => {
    const result = await answering(answer, options).run('go');
    expect(result.output).toBe('Done.');
    expect(finished(result)).toMatchObject([{ ok: false, error: { code } }]);
    expect(finished(result)[0]?.text).toContain("MCP server 'srv'");
  });

  test('an unreachable server is a problem of the run, unless it is optional; others are unharmed', async () => {
    const down = handWritten({ initialize: () => new Response('gone', { status: 410 }) });
    await expect(calling(down).run('go')).rejects.toMatchObject({
      code: 'tool.setup',
      data: { details: { toolset: 'srv', code: 'mcp.unavailable' } },
    });
    const host = agent({
      name: 'host',
      tools: [mcpServer({ ...down, name: 'down', optional: true }), mcpServer(served(withEcho))],
      model: scriptedModel([calls({ name: 'srv.echo', input: { text: 'a' } }), 'Done.']),
    });
    const result = await host.run('go');
    expect(finished(result)).toMatchObject([{ ok: true, text: 'heard a' }]);
    expect(result.events.find(({ type }) => type === 'toolset.opened')).toMatchObject({
      toolset: 'down',
      refused: { down: expect.stringContaining('410') },
    });
  });
});

test('a token is asked for before each request, again when it is refused, and is in no log', async () => {
  const asked: boolean[] = [];
  const options = served(withEcho, {
    headers: { 'X-Api-Key': 'key-of-the-desk-1' },
    auth: (refused) => {
      asked.push(refused);
      return asked.includes(true) ? 'token-of-new-99' : 'token-of-old-88';
    },
  });
  const guarded: McpServerOptions = {
    ...options,
    fetch: (input, init) => {
      const request = new Request(input, init);
      const isKnown = request.headers.get('authorization') === 'Bearer token-of-new-99';
      if (request.headers.get('x-api-key') !== 'key-of-the-desk-1' || !isKnown)
        return Promise.resolve(new Response('who is it?', { status: 401 }));
      return options.fetch?.(request) ?? Promise.reject(new Error('no fetch'));
    },
  };
  const host = calling(guarded, ['srv.echo', { text: 'token-of-new-99 and key-of-the-desk-1' }]);
  const result = await host.run('go');
  expect(finished(result)[0]?.ok).toBe(true);
  expect(asked).toContain(true);
  expect(JSON.stringify(result.events)).not.toMatch(/token-of-new-99|key-of-the-desk-1/);
});

test.each([
  { what: 'ends it', answer: () => new Response(null, { status: 204 }) },
  { what: 'keeps it', answer: () => new Response(null, { status: 405 }) },
  { what: 'fails', answer: () => Promise.reject(new TypeError('fetch failed')) },
])('the session of an older server is ended with the run, where the server $what', async ({ answer }) => {
  const options = handWritten({
    ...greeting,
    initialize: ({ id }: { readonly id: number }) =>
      Response.json({ jsonrpc: '2.0', id, result: greeting.initialize }, { headers: SESSION }),
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'heard' }] },
  });
  const ended: (string | null)[] = [];
  const recorded: McpServerOptions = {
    ...options,
    fetch: (input, init) => {
      const request = new Request(input, init);
      if (request.method !== 'DELETE')
        return options.fetch?.(request) ?? Promise.reject(new Error('no fetch'));
      ended.push(request.headers.get('mcp-session-id'));
      return Promise.resolve(answer());
    },
  };
  const result = await calling(recorded, ['srv.echo', {}]).run('go');
  expect(finished(result)).toMatchObject([{ ok: true, text: 'heard' }]);
  expect(ended).toEqual(['session-7']);
});

describe('over HTTP, a server that does not answer the handshake is left', () => {
  /** A server on this machine that takes requests and never answers: how many it was sent, and of those that wait. */
  const mute = async () => {
    const requests = { sent: 0, open: 0 };
    const server = createServer((request, response) => {
      requests.sent += 1;
      requests.open += 1;
      request.resume();
      response.once('close', () => (requests.open -= 1));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
  };
  const isLeft = (requests: { readonly open: number }) =>
    vi.waitFor(() => expect(requests.open).toBe(0), 5_000);

  if (isThorough)
    test('when the time to connect has passed, after each attempt', async () => {
      const { requests, url } = await mute();
      const host = calling({ name: 'mute', url, connectTimeoutMs: 400, attempts: 2 });
      await expect(host.run('go')).rejects.toThrow(/does not answer: .*00 ?ms/);
      expect(requests.sent).toBeGreaterThanOrEqual(2);
      await isLeft(requests);
    });

  test('when the run is aborted meanwhile, and it stays closed', async () => {
    const { requests, url } = await mute();
    const seen: string[] = [];
    const host = calling({ name: 'mute', url, onStatus: (status) => seen.push(status) });
    const handle = host.stream('go');
    await vi.waitFor(() => expect(requests.sent).toBe(1), 5_000);
    handle.abort('enough');
    await expect(handle.result).resolves.toMatchObject({ stopReason: { kind: 'aborted' } });
    await isLeft(requests);
    expect(seen).toEqual(['connecting', 'closed']);
    expect(requests.sent).toBe(1);
  });
});

describe('over standard input and output', () => {
  test('a server sees its own variables and a few of this process, and is gone with all it started', async () => {
    process.env['TROUPE_TEST_HIDDEN'] = '1';
    const options = program('leaves', { env: { OWN: 'yes' } });
    const result = await calling(options, ['child.env', {}], ['child.pids', {}]).run('go');
    const [names, pids] = finished(result).map(({ text }) => text.split(' '));
    expect(names).toEqual(expect.arrayContaining(['OWN', 'PATH']));
    expect(names).not.toContain('TROUPE_TEST_HIDDEN');
    expect(pids).toHaveLength(2);
    expect(pids?.filter(isRunning)).toEqual([]);
  });

  test('a server that ends at the first question of a newer client is asked the older one', async () => {
    const result = await calling(program('strict'), ['child.echo', { text: 'a' }]).run('go');
    expect(finished(result)).toMatchObject([{ ok: true, text: 'heard a' }]);
  });

  test('progress that comes in one piece with the result is heard before it', async () => {
    const { events } = await calling(program('at-once'), ['child.echo', { text: 'a' }]).run('go');
    const said = events.flatMap((event) =>
      event.type === 'tool.progressed' || event.type === 'tool.finished' ? [event.text] : [],
    );
    expect(said).toEqual(['1 of 2', '2 of 2', 'both done']);
  });

  test('a server that refuses a call is quoted, and not what it prints to its error output', async () => {
    const result = await calling(program('refuses'), ['child.echo', { text: 'a' }]).run('go');
    expect(finished(result)).toMatchObject([{ ok: false, error: { code: 'tool.failed' } }]);
    expect(finished(result)[0]?.text).toMatch(/the server refused it: .*no such order$/);
  });

  test('a server that dies within a call is started again, and what may be repeated is repeated', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'mcp-')), 'died');
    const seen: string[] = [];
    const options = program('dies-once', { onStatus: (status) => seen.push(status) });
    const args = [...(options.args ?? []), path];
    const result = await calling({ ...options, args }, ['child.echo', { text: 'a' }]).run('go');
    expect(finished(result)).toMatchObject([{ ok: true, text: 'heard a' }]);
    expect(result.events.filter(({ type }) => type === 'tool.retrying')).toHaveLength(1);
    expect(seen).toEqual(['connecting', 'ready', 'lost', 'connecting', 'ready', 'closed']);
  });

  const faults = [
    { mode: 'dies', options: {}, code: 'mcp.lost', says: /exit code 9/ },
    { mode: 'hangs', options: { timeoutMs: 50 }, code: 'tool.timeout', says: /50 ms/ },
    { mode: 'floods', options: {}, code: 'mcp.lost', says: /more than 10000000 bytes/ },
  ];
  test.each(sampled(faults, 2))(
    'a server that $mode fails its call by $code',
    async ({ mode, options, code, says }) => {
      const server = program(mode, { ...options, safety: { echo: 'write' }, attempts: 1 });
      const result = await calling(server, ['child.echo', { text: 'a' }]).run('go');
      expect(result.output).toBe('Done.');
      expect(finished(result)).toMatchObject([{ ok: false, error: { code } }]);
      expect(finished(result)[0]?.text).toMatch(says);
    },
  );

  if (isThorough)
    describe('a program that does not answer is over', () => {
      /** A program that never answers, and the processes that were made of it. */
      const silent = (options: Partial<McpServerOptions>) => {
        const start = vi.spyOn(LineProcess, 'start');
        onTestFinished(() => {
          start.mockRestore();
        });
        const pids = async () =>
          (await Promise.all(start.mock.results.map(({ value }) => value))).map(({ pid }) => String(pid));
        return { host: calling({ name: 'silent', command: 'sleep', args: ['30'], ...options }), pids };
      };

      test('when the time to connect has passed, after each attempt', async () => {
        const { host, pids } = silent({ connectTimeoutMs: 40, attempts: 2 });
        await expect(host.run('go')).rejects.toThrow(/does not answer: 40 ms/);
        expect(await pids()).toHaveLength(2);
        expect((await pids()).filter(isRunning)).toEqual([]);
      });

      test('when the run is aborted meanwhile, and it stays closed', async () => {
        const seen: string[] = [];
        const { host, pids } = silent({
          onStatus: (status) => {
            seen.push(status);
            if (status === 'connecting')
              setImmediate(() => {
                handle.abort('enough');
              });
          },
        });
        const handle = host.stream('go');
        await expect(handle.result).resolves.toMatchObject({ stopReason: { kind: 'aborted' } });
        // An abort waits 50 ms for what is torn down, a program has 300 to end by itself.
        await vi.waitFor(async () => expect((await pids()).filter(isRunning)).toEqual([]), 5_000);
        expect(await pids()).toHaveLength(1);
        expect(seen).toEqual(['connecting', 'closed']);
      });
    });

  test.each([
    { mode: 'exits', options: {}, says: /exit code 3.*no licence found/ },
    { mode: 'html', options: {}, says: /exit code 0.*no JSON.*doctype/ },
    { mode: 'plain', options: { command: '/nowhere/at/all' }, says: /cannot be started|ENOENT/ },
  ])('a program that cannot serve ($mode) says why', async ({ mode, options, says }) => {
    await expect(calling(program(mode, { attempts: 1, ...options })).run('go')).rejects.toMatchObject({
      code: 'tool.setup',
      message: expect.stringMatching(says),
    });
  });
});

test('bad options are named, all at once', () => {
  const given = { name: 'a.b', onChange: 'ignore', timeout: 5 } as unknown as McpServerOptions;
  expect(() => mcpServer(given)).toThrow(
    /its name is not a name.*its onChange is not one of.*`timeout` is unknown/,
  );
  expect(() => mcpServer({ name: 'a' })).toThrow(/neither a command nor a url/);
  expect(() => mcpServer({ name: 'a', url: 'https://a.test', args: ['x'] })).toThrow(
    /`args` does not go with `url`/,
  );
  expect(() => mcpServer({ name: 'a', url: 'ftp://a.test' })).toThrow(/begins with http/);
});
