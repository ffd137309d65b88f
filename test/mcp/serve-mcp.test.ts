import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, answer, askPerson, ofType, tool } from '../../src/index.ts';
import { ServedRun } from '../../src/mcp/served-run.ts';
import { mcpServer, serveMcp } from '../../src/mcp/index.ts';
import type { McpService } from '../../src/mcp/serve-mcp.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { deferred } from '../support/runs.ts';

const NOWHERE = 'https://troupe.test/mcp';

/** An agent of ours that calls tools of a service of ours. */
const visitor = (service: McpService, ...made: readonly (readonly [name: string, input: object])[]) =>
  agent({
    name: 'visitor',
    tools: [
      mcpServer({
        name: 'desk',
        url: NOWHERE,
        fetch: (input, init) => service.fetch(new Request(input, init)),
      }),
    ],
    model: scriptedModel([
      ...made.map(([name, input]) => calls({ name, input: JSON.parse(JSON.stringify(input)) })),
      'Done.',
    ]),
  });

/** A client of the official package, of either protocol. */
const connected = async (service: McpService, mode: 'legacy' | 'auto'): Promise<Client> => {
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(NOWHERE), {
      fetch: (input, init) => service.fetch(new Request(input, init)),
    }),
  );
  return client;
};

const echo = agent({
  name: 'echo',
  description: 'Repeats.',
  decide: ({ input }) => answer(`heard ${input}`),
});

const sum = agent({
  name: 'sum',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  decide: ({ input: { a, b } }) => answer({ sum: a + b }),
});

test.each(['legacy', 'auto'] as const)(
  'agents and teams are tools with their own schemas, for a client of mode %s',
  async (mode) => {
    const team = pipeline({ name: 'line', stages: [echo, echo] });
    const client = await connected(serveMcp([echo, sum, team], { name: 'ours' }), mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['echo', 'Repeats.'],
      ['sum', 'Adds.'],
      ['line', expect.any(String)],
    ]);
    expect(tools[1]?.inputSchema).toMatchObject({ required: ['a', 'b'] });
    const called = async (name: string, given: Record<string, unknown>) =>
      client.callTool({ name, arguments: given });
    expect(await called('echo', { input: 'a' })).toMatchObject({ content: [{ text: 'heard a' }] });
    expect(await called('sum', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
    expect(await called('line', { input: 'a' })).toMatchObject({ content: [{ text: 'heard heard a' }] });
    // All that is wrong, so that a model need not find out one after the other.
    expect(await called('sum', { a: 'x' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/b: .*; a: /) }],
    });
    await client.close();
  },
);

test('a run that fails, and one that ends at a limit, are failed calls that say so', async () => {
  const broken = agent({ name: 'broken', model: scriptedModel([new Error('no power')]) });
  const endless = agent({
    name: 'endless',
    tools: [tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => 'x' })],
    model: scriptedModel([calls({ name: 'look', input: {} })]),
  });
  const service = serveMcp([broken, endless], { run: { limits: { budget: { steps: 1 } } } });
  const { events } = await visitor(
    service,
    ['desk.broken', { input: 'a' }],
    ['desk.endless', { input: 'a' }],
  ).run('go');
  const texts = events.flatMap((event) => (event.type === 'tool.finished' ? [[event.ok, event.text]] : []));
  expect(texts).toEqual([
    [false, expect.stringContaining('no power')],
    [false, expect.stringContaining('ended without an answer')],
  ]);
});

test('the activity of a run is progress of the call', async () => {
  const looker = agent({
    name: 'looker',
    tools: [
      tool({
        name: 'look',
        description: 'Looks.',
        input: z.object({}),
        describe: () => 'Looking out',
        execute: () => 'rain',
      }),
    ],
    model: scriptedModel([calls({ name: 'look', input: {} }), 'Rain.']),
  });
  const { events } = await visitor(serveMcp([looker]), ['desk.looker', { input: 'Weather?' }]).run('go');
  const said = events.flatMap((event) => (event.type === 'tool.progressed' ? [event.text] : []));
  expect(said.join('\n')).toContain('Looking out');
});

test('what a run asks is asked of the client, over as many rounds as it takes, in one run', async () => {
  let runs = 0;
  const curious = agent({
    name: 'curious',
    tools: [
      askPerson,
      tool({
        name: 'wipe',
        description: 'Wipes.',
        safety: 'danger',
        input: z.object({}),
        execute: () => {
          runs += 1;
          return 'wiped';
        },
      }),
    ],
    model: scriptedModel([
      calls({ name: 'ask_person', input: { question: 'Which desk?' } }),
      calls({ name: 'wipe', input: {} }),
      'All done.',
    ]),
  });
  const asked: string[] = [];
  const person = {
    answer: (question: string) => {
      asked.push(question);
      return asked.length === 1 ? 'The left one.' : 'yes';
    },
  };
  const service = serveMcp([curious]);
  const { events } = await visitor(service, ['desk.curious', { input: 'Tidy up.' }]).run('go', { person });
  expect(events.find((event) => event.type === 'tool.finished')).toMatchObject({
    ok: true,
    text: 'All done.',
  });
  expect(asked[0]).toContain("The MCP server 'desk' asks: Which desk?");
  expect(asked[1]).toContain('May it be done?');
  expect(runs).toBe(1);
});

describe('a client of the older protocol over HTTP', () => {
  const curious = () =>
    agent({
      name: 'curious',
      tools: [askPerson],
      model: scriptedModel([
        calls({ name: 'ask_person', input: { question: 'Which desk?' } }),
        ({ messages }) => `I heard: ${JSON.stringify(messages.at(-1))}`,
      ]),
    });

  /** A client that answers what it is asked, or cannot. */
  const older = async (service: McpService, reply: string | undefined, seen: Request[] = []) => {
    const capabilities = reply === undefined ? {} : { elicitation: {} };
    const client = new Client(
      { name: 'official', version: '1' },
      { versionNegotiation: { mode: 'legacy' }, capabilities },
    );
    if (reply !== undefined)
      client.setRequestHandler('elicitation/create', () => ({
        action: 'accept',
        content: { answer: reply },
      }));
    const transport = new StreamableHTTPClientTransport(new URL(NOWHERE), {
      fetch: (input, init) => {
        const request = new Request(input, init);
        seen.push(request.clone());
        return service.fetch(request);
      },
    });
    await client.connect(transport);
    return { client, transport };
  };
  const called = async (client: Client) => {
    const { content } = await client.callTool({ name: 'curious', arguments: { input: 'Tidy up.' } });
    return content[0]?.type === 'text' ? content[0].text : '';
  };

  test('is asked within its call, in a session of its own', async () => {
    const service = serveMcp([curious()]);
    const { client, transport } = await older(service, 'The left one.');
    expect(transport.sessionId).toMatch(/./);
    expect(await called(client)).toContain('The left one.');
    await service.close();
  });

  test('that cannot answer is given no session, and is not asked', async () => {
    const service = serveMcp([curious()]);
    const { client, transport } = await older(service, undefined);
    expect(transport.sessionId).toBeUndefined();
    expect(await called(client)).not.toContain('The left one.');
    await client.close();
  });

  test('whose session is over is told so, and one of another process is served without', async () => {
    const seen: Request[] = [];
    const service = serveMcp([curious(), echo]);
    const { client, transport } = await older(service, 'The left one.', seen);
    const list = (name: string): Request =>
      new Request(NOWHERE, {
        method: 'POST',
        headers: {
          'mcp-session-id': name,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' }),
      });
    const own = transport.sessionId ?? '';
    expect((await service.fetch(list(own))).status).toBe(200);
    await transport.terminateSession();
    expect((await service.fetch(list(own))).status).toBe(404);
    expect((await service.fetch(list('of another'))).status).toBe(200);
    await client.close();
    expect(seen.map(({ method }) => method)).toContain('DELETE');
  });
});

test('an answer for a run that was never there is refused before anything is called', async () => {
  const service = serveMcp([echo]);
  const client = await connected(service, 'auto');
  const forged = { name: 'echo', arguments: { input: 'a' }, requestState: 'forged' };
  const call = client.callTool(forged);
  await expect(call).rejects.toThrow(/requestState/);
  await client.close();
});

test.each(['yes, but not today', 'ok is not what I call this', 'true enough, leave it'])(
  'only a plain yes approves a call: %s',
  async (said) => {
    let runs = 0;
    const eager = agent({
      name: 'eager',
      tools: [
        tool({
          name: 'wipe',
          description: 'Wipes.',
          safety: 'danger',
          input: z.object({}),
          execute: () => {
            runs += 1;
            return 'wiped';
          },
        }),
      ],
      model: scriptedModel([calls({ name: 'wipe', input: {} }), 'Left as it is.']),
    });
    const person = { answer: () => said };
    await visitor(serveMcp([eager]), ['desk.eager', { input: 'Tidy up.' }]).run('go', { person });
    expect(runs).toBe(0);
  },
);

test('a question of a run that is over is not asked any more', async () => {
  const curious = agent({
    name: 'curious',
    tools: [askPerson],
    model: scriptedModel([calls({ name: 'ask_person', input: { question: 'Which desk?' } })]),
  });
  const run = ServedRun.begin(curious, 'Tidy up.', {});
  await firstValueFrom(run.handle.events$.pipe(ofType('person.asked')));
  run.handle.abort('enough');
  await run.handle.result.catch(() => undefined);
  expect(await run.next().catch(() => 'failed')).not.toHaveProperty('wish');
});

test('a client that cancels aborts the run', async () => {
  const begun = deferred<unknown>();
  const stopped = deferred<unknown>();
  const waiting = agent({
    name: 'waiting',
    tools: [
      tool({
        name: 'wait',
        description: 'Waits.',
        input: z.object({}),
        execute: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            begun.resolve(undefined);
            signal.addEventListener('abort', () => {
              stopped.resolve(signal.reason);
              reject(new Error('stopped'));
            });
          }),
      }),
    ],
    model: scriptedModel([calls({ name: 'wait', input: {} })]),
  });
  const client = await connected(serveMcp([waiting]), 'auto');
  const stop = new AbortController();
  const call = client.callTool({ name: 'waiting', arguments: { input: 'a' } }, { signal: stop.signal });
  await begun.promise;
  stop.abort(new Error('enough'));
  await expect(call).rejects.toThrow(/enough/);
  await stopped.promise;
  await client.close();
});

test('anything but agents, and two of one name, is refused', () => {
  expect(() => serveMcp([echo, echo])).toThrow(/two agents of one name: 'echo'/);
  const other = { ...echo, name: 'other' };
  expect(() => serveMcp([other])).toThrow(/not made by agent\(\)/);
});
