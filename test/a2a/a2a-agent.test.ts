import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { a2aAgent } from '../../src/a2a/index.ts';
import { act, agent, answer, resume } from '../../src/index.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { policy } from '../../src/policy/index.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { deferred } from '../support/runs.ts';
import { listen } from '../runtime/serve/serve-kit.ts';
import { agentsServed, asking, data, echo, genuineAgent, messagesIn, text } from './a2a-kit.ts';

/** The code of the error that a run rejects with, and its message. */
const failureOf = async (
  run: Promise<unknown>,
): Promise<{ readonly code: string; readonly message: string }> =>
  run.then(
    () => ({ code: 'none', message: '' }),
    (thrown: unknown) => thrown as { readonly code: string; readonly message: string },
  );

test('an agent of another program is a member: it takes its task, and its answer is passed on', async () => {
  const { url, heard } = await agentsServed({ agents: { echo } });
  const line = pipeline({
    name: 'line',
    stages: [
      a2aAgent({ name: 'far', url }),
      agent({ name: 'near', decide: ({ input }) => answer(`${String(input)}!`) }),
    ],
  });
  const { output } = await line.run('Hello');
  expect(output).toBe('You said: Hello!');
  expect(heard.map(({ rpc, path }) => rpc ?? path)).toEqual([
    '/.well-known/agent-card.json',
    'SendStreamingMessage',
  ]);
});

test('its question is a request to a person of this run, whose answer is sent on', async () => {
  const { url } = await agentsServed({ agents: { asking } });
  const asked: string[] = [];
  const { output } = await a2aAgent({ name: 'far', url }).run('Book', {
    person: {
      answer: (question) => {
        asked.push(question);
        return 'Oslo';
      },
    },
  });
  expect(output).toBe('To Oslo.');
  expect(asked).toEqual(["'far' asks: Which town?"]);
});

test('a question that nobody answers fails the member, and the task is cancelled there', async () => {
  const far = await genuineAgent(({ tell }) => {
    tell(6, 'Which town?');
  });
  expect((await failureOf(a2aAgent({ name: 'far', url: far.url }).run('Book'))).message).toMatch(/nobody/);
  expect(far.cancelled).toHaveLength(1);
});

test('what it says on the way is progress, line by line, and the artifact at its end is the answer', async () => {
  const { url } = await genuineAgent(({ tell, give }) => {
    tell(2, 'Looking it up');
    give([text('First line\nSec')]);
    give([text('ond line')], true);
    tell(3);
  });
  const { output, events } = await a2aAgent({ name: 'far', url }).run('Go');
  expect(output).toBe('First line\nSecond line');
  expect(events.flatMap((event) => (event.type === 'tool.progressed' ? [event.text.trim()] : []))).toEqual([
    'Looking it up',
    'First line',
    'Second line',
  ]);
});

test('its data is parsed by the output schema, and its input is sent as data', async () => {
  const { url } = await genuineAgent(({ context, give, tell }) => {
    const [part] = context.userMessage.parts;
    const { n } = Object(part?.content?.value) as { readonly n: number };
    give([data({ double: n * 2 })]);
    tell(3);
  });
  const shape = { name: 'far', url, input: z.object({ n: z.number() }) } as const;
  const { output } = await a2aAgent({ ...shape, output: z.object({ double: z.number() }) }).run({ n: 21 });
  expect(output).toEqual({ double: 42 });
  const wrong = a2aAgent({ ...shape, output: z.object({ half: z.number() }) });
  expect((await failureOf(wrong.run({ n: 1 }))).code).toBe('output.invalid');
});

test('an end without success is an error with its own code', async () => {
  const codeAt = async (state: number) => {
    const { url } = await genuineAgent(({ tell }) => {
      tell(state, 'not today');
    });
    const { code, message } = await failureOf(a2aAgent({ name: 'far', url }).run('Go'));
    expect(message).toContain('not today');
    return code;
  };
  expect(await codeAt(4)).toBe('tool.failed');
  expect(await codeAt(7)).toBe('message.refused');
  expect(await codeAt(5)).toBe('tool.cancelled');
});

test('an agent that answers by a message alone, and one without streams, are understood, too', async () => {
  const plain = await genuineAgent(
    ({ give, tell }) => {
      give([text('Done.')]);
      tell(3);
    },
    { card: { capabilities: { streaming: false, extensions: [] } } },
  );
  expect((await a2aAgent({ name: 'far', url: plain.url }).run('Go')).output).toBe('Done.');
  expect(plain.heard.some(({ rpc }) => rpc === 'SendMessage')).toBe(true);
});

test('where it waits for authorization a person is told, and what they say is not sent', async () => {
  const granted = deferred<undefined>();
  const { url, told } = await genuineAgent(async ({ tell, give }) => {
    tell(8, 'Log in at https://login.example');
    await granted.promise;
    give([text('Read.')]);
    tell(3);
  });
  const asked: string[] = [];
  const { output } = await a2aAgent({ name: 'far', url }).run('Read my mail', {
    person: {
      answer: (question) => {
        asked.push(question);
        granted.resolve(undefined);
        return 'my password';
      },
    },
  });
  expect(output).toBe('Read.');
  expect(asked.join()).toContain('https://login.example');
  expect(told).toEqual(['Read my mail']);
});

test('a run that is aborted, or too late, cancels the task there', async () => {
  const begun = deferred<undefined>();
  const far = await genuineAgent(({ tell }) => {
    tell(2);
    begun.resolve(undefined);
    return new Promise(() => undefined);
  });
  const handle = a2aAgent({ name: 'far', url: far.url }).stream('Go');
  await begun.promise;
  handle.abort('enough');
  expect((await handle.result).status).toBe('aborted');
  const late = await failureOf(a2aAgent({ name: 'far', url: far.url, timeoutMs: 300 }).run('Go'));
  expect(late.code).toBe('tool.timeout');
  expect(far.cancelled.length).toBe(2);
});

test('a run that is suspended leaves the task there, and follows it when it is resumed: it is sent once', async () => {
  const begun = deferred<undefined>();
  const done = deferred<undefined>();
  const far = await genuineAgent(async ({ tell, give }) => {
    tell(2, 'Working');
    begun.resolve(undefined);
    await done.promise;
    give([text('Finished.')]);
    tell(3);
  });
  const store = memoryStore();
  const member = a2aAgent({ name: 'far', url: far.url });
  const handle = member.stream('Go', { store });
  await new Promise<void>((resolve) => {
    handle.events$.subscribe((event) => {
      if (event.type === 'tool.progressed') resolve();
    });
  });
  await handle.suspend({ withinMs: 0 });
  expect(far.cancelled).toEqual([]);
  const again = await resume(member, handle.runId, { store });
  done.resolve(undefined);
  expect((await again.result).output).toBe('Finished.');
  expect(far.told).toEqual(['Go']);
  expect(messagesIn(far.heard)).toHaveLength(1);
});

test('a message that may have arrived is looked for before it is sent again, and has the same id', async () => {
  let isLost = true;
  // The message arrives, and its response is lost.
  const far = await genuineAgent(
    ({ give, tell }) => {
      give([text('Finished.')]);
      tell(3);
    },
    {
      wrap: (handler) => async (request) => {
        const isSending = (await request.clone().text()).includes('SendStreamingMessage');
        const response = await handler(request);
        if (!isSending || !isLost) return response;
        isLost = false;
        await response.text();
        return new Response('gone', { status: 503 });
      },
    },
  );
  expect((await a2aAgent({ name: 'far', url: far.url }).run('Go')).output).toBe('Finished.');
  expect(far.told).toEqual(['Go']);
  expect(messagesIn(far.heard)).toHaveLength(1);
  expect(far.heard.some(({ rpc }) => rpc === 'ListTasks')).toBe(true);
});

test('a server of troupe that is sent a message again begins nothing new', async () => {
  const { url, heard } = await agentsServed({ agents: { echo }, store: memoryStore() });
  let isLost = true;
  const fetching: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const isSending = (typeof init?.body === 'string' ? init.body : '').includes('SendStreamingMessage');
    if (!isSending || !isLost) return response;
    isLost = false;
    await response.text();
    throw Object.assign(new TypeError('fetch failed'), { cause: new Error('socket hang up') });
  };
  const { output } = await a2aAgent({ name: 'far', url, fetch: fetching }).run('Go');
  expect(output).toBe('You said: Go');
  expect(new Set(messagesIn(heard)).size).toBe(1);
  const listed = (await (await fetch(`${url}/runs`)).json()) as { readonly runs: readonly unknown[] };
  expect(listed.runs).toHaveLength(1);
});

test('where nobody can tell if a message arrived, it is not sent again', async () => {
  const far = await genuineAgent(
    ({ tell }) => {
      tell(3);
    },
    {
      wrap: (handler) => async (request) => {
        const body = await request.clone().text();
        if (body.includes('ListTasks'))
          return Response.json({
            jsonrpc: '2.0',
            id: (JSON.parse(body) as { readonly id: number }).id,
            error: { code: -32_601, message: 'unknown method' },
          });
        const response = await handler(request);
        return body.includes('SendStreamingMessage') ? new Response('gone', { status: 503 }) : response;
      },
    },
  );
  expect((await failureOf(a2aAgent({ name: 'far', url: far.url }).run('Go'))).code).toBe('tool.ambiguous');
  expect(messagesIn(far.heard)).toHaveLength(1);
});

test('a card leads to its own host, and to those that are named, alone; no redirect is followed', async () => {
  const elsewhere: string[] = [];
  await using other = await listen((request) => {
    elsewhere.push(request.url);
    return Promise.resolve(new Response('no'));
  });
  const supportedInterfaces = [
    { url: `${other.url}/rpc`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
  ];
  const far = await genuineAgent(() => undefined, { card: { supportedInterfaces } });
  const secret = { headers: { 'x-key': 'secret' } };
  expect((await failureOf(a2aAgent({ name: 'far', url: far.url, ...secret }).run('Go'))).code).toBe(
    'tool.denied',
  );
  expect(elsewhere).toEqual([]);
  const hosts = [`127.0.0.1:${other.port}`];
  expect(
    (await failureOf(a2aAgent({ name: 'far', url: far.url, hosts, ...secret }).run('Go'))).code,
  ).not.toBe('tool.denied');
  expect(elsewhere.length).toBeGreaterThan(0);
  const before = elsewhere.length;
  await using moved = await listen(() =>
    Promise.resolve(new Response(null, { status: 307, headers: { location: other.url } })),
  );
  expect((await failureOf(a2aAgent({ name: 'far', url: moved.url, hosts }).run('Go'))).code).toBe(
    'tool.denied',
  );
  expect(elsewhere).toHaveLength(before);
});

test('a token that is refused is asked for once more; none of them is in an event', async () => {
  const { url } = await agentsServed({
    agents: { echo },
    auth: (request) =>
      request.headers.get('authorization') === 'Bearer fresh-token-7' ? { who: 'ada' } : undefined,
  });
  const tokens: boolean[] = [];
  const auth = (refused: boolean) => {
    tokens.push(refused);
    return refused ? 'fresh-token-7' : 'stale-token-7';
  };
  const { output, events } = await a2aAgent({ name: 'far', url, auth }).run('my fresh-token-7');
  expect(output).toContain('You said');
  expect(tokens).toContain(true);
  expect(JSON.stringify(events.filter(({ type }) => type === 'tool.finished'))).not.toContain(
    'fresh-token-7',
  );
  expect((await failureOf(a2aAgent({ name: 'far', url, auth: () => 'stale' }).run('Hi'))).code).toBe(
    'server.refused',
  );
});

test('an agent that cannot be reached fails, and is restarted by the policy of its team', async () => {
  let attempts = 0;
  const { url } = await agentsServed({ agents: { echo } });
  const fetching: typeof fetch = (input, init) => {
    attempts += 1;
    return attempts === 1 ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init);
  };
  const far = a2aAgent({ name: 'far', url, fetch: fetching });
  expect((await failureOf(far.run('Hi'))).code).toBe('message.undelivered');
  attempts = 0;
  const line = pipeline({
    name: 'line',
    stages: [far],
    failures: { supervision: { backOff: { leastMs: 1, mostMs: 1 } } },
  });
  const { output, events } = await line.run('Hi');
  expect(output).toBe('You said: Hi');
  expect(events.some(({ type }) => type === 'child.restarted')).toBe(true);
});

test('what it says is of an origin of its own, by which a policy holds what follows from it', async () => {
  const { url } = await agentsServed({ agents: { echo } });
  const sent: unknown[] = [];
  const send = tool({
    name: 'send',
    description: 'Sends.',
    safety: 'write',
    input: z.object({}),
    execute: (input) => sent.push(input),
  });
  const sender = agent({
    name: 'sender',
    tools: [send],
    decide: ({ results: [said] }) =>
      said === undefined ? act({ name: 'send', input: {} }) : answer(said.ok ? 'sent' : 'held'),
  });
  const line = pipeline({ name: 'line', stages: [a2aAgent({ name: 'far', url }), sender] });
  const safety = policy({
    rules: [{ name: 'tainted', effect: 'deny', tool: 'send', after: 'a2a.far' }],
    mode: 'bypass',
  });
  expect((await line.run('Hi', { safety })).output).toBe('held');
  expect(sent).toEqual([]);
});

test('a task counts as a call of a budget', async () => {
  const { url, heard } = await agentsServed({ agents: { echo } });
  const far = a2aAgent({ name: 'far', url, limits: { budget: { toolCalls: 0 } } });
  await failureOf(far.run('Hi'));
  expect(messagesIn(heard)).toEqual([]);
});

test('options that do not fit are refused by name', () => {
  expect(() => a2aAgent({ name: 'far', url: 'agents.example.com' })).toThrow(
    /the agent 'far' over A2A as its url is not an address/,
  );
  expect(() => a2aAgent({ name: 'far', url: 'https://x.example', hosts: ['https://y.example'] })).toThrow(
    /not a host/,
  );
  expect(() => a2aAgent({ name: 'far', url: 'https://x.example', timeoutMS: 1 } as never)).toThrow(
    /`timeoutMs`/,
  );
});

test('a run ends while another run of the same agent still waits for the other party', async () => {
  const going = deferred<void>();
  const { url } = await agentsServed({
    agents: {
      echo: agent({
        name: 'echo',
        decide: async ({ input }) => {
          if (input === 'slowly') await going.promise;
          return answer(`You said: ${String(input)}`);
        },
      }),
    },
  });
  const far = a2aAgent({ name: 'far', url });
  const slow = far.stream('slowly');
  // Whoever waits for a time limit waits for ever.
  const limits = vi.spyOn(systemClock, 'setTimeout').mockImplementation(() => undefined);
  expect((await far.run('fast')).output).toBe('You said: fast');
  limits.mockRestore();
  going.resolve();
  expect((await slow.result).output).toBe('You said: slowly');
}, 30_000);
