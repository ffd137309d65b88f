import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  agent,
  tool,
  type Agent,
  type Decision,
  type ErrorData,
  type RunHandle,
  type RunOptions,
  type RuntimeEvent,
} from '../../src/index.ts';
import type { LogSink } from '../../src/contracts/events/log.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel, virtualClock } from '../../src/testing/index.ts';
import { commandSchema } from '../../src/inspect/local/control.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { readCommand } from '../../src/runtime/embed/agent-command.ts';
import { letterSchema } from '../../src/runtime/journal/letters/letters.ts';
import { answerRequest, openRequests } from '../../src/runtime/journal/letters/requests.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { callUntyped } from '../support/call-untyped.ts';
import { quiet } from '../support/runs.ts';

const stream = (made: Agent, options?: RunOptions): RunHandle => made.stream('go', options);

const typesOf = (events: readonly RuntimeEvent[], pattern: RegExp): readonly string[] =>
  events.map(({ type }) => type).filter((type) => pattern.test(type));

const payments = () => {
  const paid: unknown[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    safety: 'write',
    exclusive: false,
    approval: true,
    input: z.object({ amount: z.number() }),
    execute: (input) => paid.push(input),
  });
  return { paid, pay };
};

const asks = tool({
  name: 'asks',
  description: 'Asks.',
  input: z.object({ question: z.string() }),
  execute: ({ question }, { ask }) => ask(question),
});

const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  execute: () => Promise.resolve('seen'),
});

const once = (
  name: string,
  tools: Parameters<typeof agent>[0]['tools'],
  ...wanted: { name: string; input: object }[]
) =>
  agent({
    name,
    tools,
    decide: ({ step, results }): Decision =>
      step === 0
        ? {
            kind: 'act',
            calls: wanted.map((each) => ({ name: each.name, input: JSON.parse(JSON.stringify(each.input)) })),
          }
        : { kind: 'answer', answer: results.map(({ text }) => text).join(' | ') },
  });

test('[KAIZEN-75] everything that waits for a person is in one inbox: of members, of their teams, of agents that tools run', async () => {
  const { pay } = payments();
  const helper = once('helper', [asks], { name: 'asks', input: { question: 'Which?' } });
  const help = tool({
    name: 'help',
    description: 'Helps.',
    input: z.object({}),
    execute: async (_, { run }) => (await run(helper, 'go')).output ?? '',
  });
  const member = once(
    'member',
    [pay, help],
    { name: 'pay', input: { amount: 1 } },
    { name: 'help', input: {} },
  );
  const team = pipeline({ name: 'team', stages: [pipeline({ name: 'inner', stages: [member] })] });
  const handle = stream(team);
  await quiet();
  const [approval, question] = handle.requests;
  expect(handle.requests).toHaveLength(2);
  expect(approval).toMatchObject({
    kind: 'approval',
    agent: 'member',
    callId: 'call_0_0',
    tool: 'pay',
    input: { amount: 1 },
  });
  expect(question).toMatchObject({
    kind: 'question',
    agent: 'helper',
    callId: 'call_0_0',
    question: 'Which?',
  });
  expect(handle.reply('that', approval?.id), 'a call takes no text').toBe(false);
  expect(handle.approve(question?.id ?? ''), 'a question takes no yes').toBe(false);
  expect(handle.approve('0000'), 'nobody asked for that').toBe(false);
  expect(handle.reply('that', question?.id)).toBe(true);
  expect(handle.reply('this', question?.id), 'an answer is used once').toBe(false);
  expect(handle.approve(approval?.id ?? '')).toBe(true);
  expect((await handle.result).output).toContain('that');
  expect(handle.requests).toEqual([]);
});

test('[QITOS-89] a call is made with the arguments that a person gives it, and they are what everybody is told', async () => {
  const { paid, pay } = payments();
  const model = scriptedModel([calls({ name: 'pay', input: { amount: 500 } }), 'done']);
  const handle = stream(agent({ name: 'a', tools: [pay], model }));
  await quiet();
  const id = handle.requests[0]?.id ?? '';
  expect(handle.approve(id, { input: { amount: 'all' } }), 'they have to fit').toBe(false);
  expect(handle.requests, 'and leave it open').toHaveLength(1);
  expect(handle.approve(id, { input: { amount: 5 } })).toBe(true);
  const { events, records } = await handle.result;
  expect(paid).toEqual([{ amount: 5 }]);
  expect(records[0]).toMatchObject({
    decision: { calls: [{ input: { amount: 5 } }] },
    results: [{ ok: true, input: { amount: 5 } }],
  });
  expect(model.requests[1]?.messages).toMatchObject([{}, { calls: [{ input: { amount: 5 } }] }, {}]);
  expect(events.find(({ type }) => type === 'tool.approved')).toMatchObject({
    id,
    input: { amount: 5 },
    hash: expect.stringMatching(/^[\da-f]{64}$/),
  });
  expect(events.find(({ type }) => type === 'tool.started')).toMatchObject({ input: { amount: 5 } });
});

test('the id of an approval is bound to run, call, tool and arguments', async () => {
  const idOf = async (runId: string, amount: number) => {
    const { pay } = payments();
    const handle = stream(once('a', [pay], { name: 'pay', input: { amount } }), { runId });
    await quiet();
    const { id } = handle.requests[0] ?? {};
    handle.abort();
    await handle.result;
    return id;
  };
  expect(await idOf('r', 1)).toBe(await idOf('r', 1));
  expect(new Set([await idOf('r', 1), await idOf('r', 2), await idOf('s', 1)]).size).toBe(3);
});

test('siblings go on while a call waits, and whoever answers in the very event is heard', async () => {
  const { pay } = payments();
  const handle = stream(
    once(
      'a',
      [pay, look],
      { name: 'pay', input: { amount: 1 } },
      { name: 'look', input: {} },
      { name: 'pay', input: { amount: 2 } },
    ),
  );
  handle.events$.subscribe((event) => {
    if (event.type === 'tool.approval-requested' && event.callId === 'call_0_2') handle.approve(event.id);
  });
  await quiet();
  expect(handle.requests).toMatchObject([{ callId: 'call_0_0' }]);
  handle.deny('call_0_0', 'not today');
  const { events } = await handle.result;
  const finished = events.flatMap((event) => (event.type === 'tool.finished' ? [event.callId] : []));
  expect(finished).toEqual(['call_0_1', 'call_0_2']);
});

test('[KAIZEN-64] a call that nobody answers in time is denied, and not a moment before', async () => {
  const run = async (at: number) => {
    const clock = virtualClock();
    const { paid, pay } = payments();
    const handle = stream(once('a', [pay], { name: 'pay', input: { amount: 1 } }), {
      clock,
      requests: { expireAfterMs: 60_000 },
    });
    await clock.advance(at);
    const isTaken = handle.approve('call_0_0');
    await clock.advance(60_000);
    return { isTaken, paid, result: await handle.result };
  };
  const inTime = await run(59_999);
  expect(inTime).toMatchObject({ isTaken: true, paid: [{ amount: 1 }] });
  const late = await run(60_000);
  expect(late).toMatchObject({ isTaken: false, paid: [] });
  expect(late.result.events.find(({ type }) => type === 'tool.denied')).toMatchObject({
    reason: 'nobody answered in time',
  });
  expect(late.result.output).toContain('nobody answered in time');
});

test('a question that nobody answers in time fails, and the inbox is empty', async () => {
  const clock = virtualClock();
  const handle = stream(once('a', [asks], { name: 'asks', input: { question: 'Which?' } }), {
    clock,
    requests: { expireAfterMs: 1_000 },
  });
  await clock.advance(999);
  expect(handle.requests).toMatchObject([
    { question: 'Which?', askedAt: clock.now() - 999, expiresAt: clock.now() + 1 },
  ]);
  await clock.advance(10_000);
  const { events, output } = await handle.result;
  expect(output).toContain('nobody answered in time');
  expect(typesOf(events, /person|request\./)).toEqual(['person.asked', 'request.withdrawn']);
  expect(handle.requests).toEqual([]);
});

test('what nobody waits for any more is withdrawn: its tool had another answer, or never awaited it', async () => {
  const clock = virtualClock();
  const short = tool({
    name: 'short',
    description: 'Asks.',
    input: z.object({}),
    execute: (_, { ask }) => Promise.race([ask('Now?'), Promise.resolve('at once')]),
  });
  const hasty = tool({
    name: 'hasty',
    description: 'Asks.',
    input: z.object({}),
    execute: (_, { ask }) => {
      ask('Ever?').catch(() => undefined);
      return 'gone';
    },
  });
  const handle = stream(
    once('a', [short, hasty], { name: 'short', input: {} }, { name: 'hasty', input: {} }),
    { clock },
  );
  await clock.advance(1_000);
  const { events } = await handle.result;
  expect(typesOf(events, /person|request\./).toSorted()).toEqual([
    'person.asked',
    'person.asked',
    'request.withdrawn',
    'request.withdrawn',
  ]);
  expect(handle.reply('now')).toBe(false);
});

test('options that are no time are refused', () => {
  const { pay } = payments();
  for (const expireAfterMs of [0, -1, Number.NaN])
    expect(() =>
      stream(once('a', [pay], { name: 'pay', input: { amount: 1 } }), { requests: { expireAfterMs } }),
    ).toThrow(/expireAfterMs/);
});

test('[KAIZEN-81] what an instance is told that its life has no place for changes nothing, and says so', async () => {
  const { pay } = payments();
  const made = () =>
    once('a', [pay, asks], { name: 'pay', input: { amount: 1 } }, { name: 'asks', input: { question: '?' } });
  const commands = {
    approve: (handle: RunHandle) => handle.approve('call_0_0'),
    deny: (handle: RunHandle) => handle.deny('call_0_0'),
    reply: (handle: RunHandle) => handle.reply('x'),
    send: (handle: RunHandle) => handle.send('x'),
  };
  const lives: Record<string, { live: () => Promise<RunHandle>; takes: string[] }> = {
    pending: { live: () => Promise.resolve(stream(made(), { paused: true })), takes: ['send'] },
    waiting: {
      live: async () => {
        const handle = stream(made());
        await quiet();
        return handle;
      },
      takes: ['approve', 'deny', 'reply', 'send'],
    },
    completed: {
      live: async () => ended((handle) => (handle.deny('call_0_0'), handle.reply('x'))),
      takes: [],
    },
    aborted: { live: async () => ended((handle) => handle.abort()), takes: [] },
  };
  const ended = async (end: (handle: RunHandle) => unknown) => {
    const handle = stream(made());
    await quiet();
    end(handle);
    await handle.result;
    return handle;
  };
  for (const [life, { live, takes }] of Object.entries(lives))
    for (const [name, command] of Object.entries(commands)) {
      const handle = await live();
      expect([life, name, command(handle)]).toEqual([life, name, takes.includes(name)]);
      handle.abort();
      await handle.result;
    }
});

test.each<[unknown, string]>([
  [{ inputs: { amount: 39 } }, 'its option `inputs` is unknown: did you mean `input`?'],
  ['n=1', "its options are not an object: found 'n=1'"],
])('an approval by %j is refused, and the call still waits', async (given, problem) => {
  const { paid, pay } = payments();
  const buyer = () => once('buyer', [pay], { name: 'pay', input: { amount: 390 } });
  const handle = stream(buyer());
  await quiet();
  const id = handle.requests[0]?.id ?? '';
  const refusal = expect.objectContaining({
    code: 'input.invalid',
    message: `Cannot approve the call as ${problem}`,
  }) as Error;
  expect(() => callUntyped(handle, 'approve', id, given)).toThrow(refusal);
  expect(handle.requests).toHaveLength(1);
  expect(handle.approve(id, { input: { amount: 39 } })).toBe(true);
  await handle.result;
  expect(paid).toEqual([{ amount: 39 }]);
});

test('an approval with a misspelt option is refused by letter and by command, too, and the call still waits', async () => {
  const { paid, pay } = payments();
  const buyer = once('buyer', [pay], { name: 'pay', input: { amount: 390 } });
  const store = memoryStore();
  const handle = stream(buyer, { store, runId: 'r1' });
  await expect.poll(() => handle.requests.length).toBe(1);
  const id = handle.requests[0]?.id ?? '';
  const misspelt = { id, yes: true, inputs: { amount: 39 } } as const;
  await expect(answerRequest(store, 'r1', misspelt)).rejects.toThrow(
    expect.objectContaining({
      code: 'input.invalid',
      message: 'Cannot answer the request as its option `inputs` is unknown: did you mean `input`?',
    }) as Error,
  );
  expect(readCommand({ type: 'approve', id, inputs: { amount: 39 } })).toBeUndefined();
  expect(letterSchema.safeParse({ kind: 'approve', id, inputs: { amount: 39 } }).success).toBe(false);
  expect(commandSchema.safeParse({ do: 'approve', run: 'r1', id, inputs: { amount: 39 } }).success).toBe(
    false,
  );
  expect(paid).toEqual([]);
  handle.abort();
  await handle.result;
});

describe('what fails around an approval', () => {
  const called = (tools: Parameters<typeof agent>[0]['tools']) =>
    once('buyer', tools, { name: 'pay', input: { amount: 390 } });
  const logged = () => {
    const entries: string[] = [];
    const log: LogSink = ({ type, error }) => void entries.push(`${type}: ${error.message}`);
    return { entries, log };
  };

  test('an `approval` that throws asks a person, and says why in the request, to the log and in the denial', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      approval: () => {
        throw new Error('rules engine is down');
      },
      input: z.object({ amount: z.number() }),
      execute: () => 'paid',
    });
    const why = "Cannot tell whether 'pay' needs approval as its `approval` threw: rules engine is down";
    const { entries, log } = logged();
    const { records } = await called([pay]).run('go', { log });
    expect(records[0]?.results).toMatchObject([
      { ok: false, text: `Cannot run 'pay' as nobody is there to approve it: ${why}` },
    ]);
    expect(entries).toContain(`tool.approval-requested: ${why}`);
    const store = memoryStore();
    const handle = stream(called([pay]), { store, runId: 'r1' });
    await expect
      .poll(() => handle.requests)
      .toMatchObject([{ error: { code: 'tool.failed', message: why } }]);
    expect((await openRequests(store, 'r1'))[0]).toMatchObject({ error: { message: why } });
    handle.approve(handle.requests[0]?.id ?? '');
    const { events } = await handle.result;
    expect((await replay(called([pay]), 'r1', { store })).events).toEqual(events);
  });

  test('a person who fails is said in the events, to the log, and to the model in plain words', async () => {
    const { pay } = payments();
    const { entries, log } = logged();
    const person = {
      approve: () => {
        throw new Error('slack is down');
      },
    };
    const { records, events } = await called([pay]).run('go', { person, log });
    const why = "Cannot run 'pay' as the person who was to approve it failed: slack is down";
    expect(records[0]?.results).toMatchObject([{ ok: false, text: why, error: { message: why } }]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'request.withdrawn',
        error: expect.objectContaining({ message: why }) as ErrorData,
      }),
    );
    expect(entries).toContain(`request.withdrawn: ${why}`);
  });

  test('a denial says that a person denied it, and why; one without a reason, that they said no', async () => {
    const { pay } = payments();
    const textOf = async (approve: () => string | boolean) =>
      (await called([pay]).run('go', { person: { approve } })).records[0]?.results[0]?.text;
    expect(await textOf(() => 'too dear')).toBe("Cannot run 'pay' as a person denied it: too dear");
    expect(await textOf(() => false)).toBe("Cannot run 'pay' as a person said no");
  });

  test('a hook that throws is logged, and a log that throws is not given its own failure', async () => {
    const { entries, log } = logged();
    const handle = (): never => {
      throw new Error('hook broke');
    };
    await called([]).run('go', { hooks: [{ name: 'ear', on: 'run.started', handle }], log });
    expect(entries.filter((entry) => entry.startsWith('observer.failed'))).toEqual([
      "observer.failed: Cannot notify 'ear' as it failed: hook broke",
    ]);
    let times = 0;
    const { events } = await called([]).run('go', {
      log: ({ type }) => {
        times += Number(type === 'observer.failed');
        throw new Error('disk is full');
      },
    });
    expect(events.map(({ type }) => type)).toContain('observer.failed');
    expect(times).toBe(0);
  });
});
