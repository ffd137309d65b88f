import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { answer, act, wait } from '../../src/contracts/agents/decision.ts';
import type { DeadLetter, Message } from '../../src/contracts/messages/message.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { z } from 'zod';
import { deferred, ofType, quiet, settled, start } from '../support/runs.ts';
import { sized } from '../support/thorough.ts';

const FLOOD = sized(10_000, 1_000_000);

/** What is in use, in bytes, once what is of no use is gone. */
const heapUsed = (): number => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
};

/** Does not come back before it is told to. */
const holding = () => {
  const gate = deferred<string>();
  const hold = tool({
    name: 'hold',
    description: 'Holds on.',
    input: z.object({}),
    timeoutMs: Infinity,
    execute: () => gate.promise,
  });
  return { gate, hold };
};

const busy = (mailbox: NonNullable<Parameters<typeof agent>[0]['mailbox']>) => {
  const { gate, hold } = holding();
  const model = scriptedModel([calls({ name: 'hold', input: {} }), 'done']);
  const ada = agent({ name: 'ada', tools: [hold], mailbox, model });
  return { ada, gate, model };
};

/** What somebody had said by the last time that it decided. */
const heardBy = ({ requests }: ScriptedModel): readonly string[] =>
  (requests.at(-1)?.messages ?? []).flatMap((turn) =>
    turn.role === 'user' && turn.from === 'person' ? [turn.text] : [],
  );

describe('mailboxes', () => {
  test('[KAIZEN-82] [M60] a mailbox that is full rejects: its sender is told at once, and the run of what was lost', async () => {
    const { ada, gate, model } = busy({ capacity: 2 });
    const handle = start(ada, 'go');
    await quiet();
    expect(['one', 'two', 'three'].map((text) => handle.send(text))).toEqual([true, true, false]);
    gate.resolve('now');
    const { events } = await settled(handle);
    expect(heardBy(model)).toEqual(['one', 'two']);
    expect(ofType(events, 'message.sent').map(({ text, to, from }) => `${from} to ${to}: ${text}`)).toEqual([
      'person to ada: one',
      'person to ada: two',
    ]);
    expect(ofType(events, 'message.dropped')).toMatchObject([{ to: 'ada', text: 'three', reason: 'full' }]);
  });

  test.each([
    ['dropOldest', ['two', 'three'], 'one'],
    ['dropNewest', ['one', 'two'], 'three'],
  ] as const)('[KAIZEN-82] %s keeps %j', async (overflow, kept, gone) => {
    const { ada, gate, model } = busy({ capacity: 2, overflow });
    const handle = start(ada, 'go');
    await quiet();
    expect(['one', 'two', 'three'].map((text) => handle.send(text))).toEqual([true, true, true]);
    gate.resolve('now');
    const { events } = await settled(handle);
    expect(heardBy(model)).toEqual(kept);
    expect(ofType(events, 'message.dropped')).toMatchObject([{ text: gone, reason: 'full' }]);
  });

  test('[KAIZEN-82] a mailbox that blocks has senders wait in turn, until there is room or nobody is left', async () => {
    const { gate, hold } = holding();
    const ada = agent({
      name: 'ada',
      tools: [hold],
      mailbox: { capacity: 1, overflow: 'block' },
      decide: ({ step }) =>
        step === 0 ? act({ name: 'hold', input: {} }) : step < 3 ? wait('mail') : answer('done'),
    });
    const handle = start(ada, 'go');
    await quiet();
    const sent = ['one', 'two', 'three', 'four', 'five', 'six'].map((text) => handle.sendWhenRoom(text));
    // Nobody jumps the queue.
    expect(handle.send('me first')).toBe(false);
    gate.resolve('now');
    const { events } = await settled(handle);
    const taken = await Promise.all(sent);
    const texts = ofType(events, 'message.sent').map(({ text }) => text);
    expect(texts).toEqual(['one', 'two', 'three', 'four'].slice(0, texts.length));
    expect(texts.length).toBeGreaterThan(1);
    expect(taken).toEqual(taken.map((_, index) => index < texts.length));
    await expect(handle.sendWhenRoom('too late')).resolves.toBe(false);
  });

  test('[KAIZEN-82] what waited too long is read by nobody', async () => {
    const clock = virtualClock(1_000);
    const { ada, gate, model } = busy({ ttlMs: 100, capacity: 2 });
    const handle = start(ada, 'go', { clock });
    await quiet();
    handle.send('old');
    await clock.advance(60);
    handle.send('newer');
    await clock.advance(60);
    // The first is of no use by now, and makes room.
    expect(handle.send('newest')).toBe(true);
    gate.resolve('now');
    const { events } = await settled(handle);
    expect(heardBy(model)).toEqual(['newer', 'newest']);
    expect(ofType(events, 'message.dropped')).toMatchObject([{ text: 'old', reason: 'expired' }]);
  });

  test('[KAIZEN-82] what is urgent is read first, and people come before agents', async () => {
    const { ada, gate, model } = busy({});
    const handle = start(ada, 'go');
    await quiet();
    const say = (text: string, priority?: Message['priority']) =>
      handle.send({ from: 'person', text, ...(priority === undefined ? {} : { priority }) });
    say('numbers', 'data');
    say('how is it going?');
    say('stop that', 'control');
    say('and quickly', 'control');
    gate.resolve('now');
    await settled(handle);
    expect(heardBy(model)).toEqual(['stop that', 'and quickly', 'how is it going?', 'numbers']);
  });

  test('[KAIZEN-82] dead letters are a stream, for who comes late as well, with why', async () => {
    const { ada, gate } = busy({ capacity: 1 });
    const handle = start(ada, 'go');
    const early: DeadLetter[] = [];
    const late: DeadLetter[] = [];
    handle.deadLetters$.subscribe((letter) => early.push(letter));
    handle.deadLetters$.subscribe(() => {
      throw new Error('not my business');
    });
    await quiet();
    handle.send('hello?', 'nobody');
    handle.send('one');
    handle.send('two');
    gate.resolve('now');
    const { status } = await settled(handle);
    expect(status).toBe('completed');
    handle.deadLetters$.subscribe((letter) => late.push(letter));
    expect(early).toMatchObject([
      { to: 'nobody', text: 'hello?', reason: 'nobody' },
      { to: 'ada', from: 'person', text: 'two', reason: 'full' },
    ]);
    expect(late).toEqual(early);
  });

  test('[KAIZEN-82] [M60] of a flood a mailbox keeps what it holds: refusals are told in thousands, and each sender is told at once', async () => {
    const { ada, gate } = busy({});
    const handle = start(ada, 'go');
    await quiet();
    const before = heapUsed();
    let taken = 0;
    for (let sent = 0; sent < FLOOD; sent += 1) if (handle.send('more')) taken += 1;
    expect(taken).toBe(1_000);
    expect(heapUsed() - before).toBeLessThan(20_000_000);
    gate.resolve('now');
    const { events } = await settled(handle);
    expect(ofType(events, 'message.sent').length).toBe(1_000);
    const dropped = ofType(events, 'message.dropped');
    const thousands = Math.floor((FLOOD - taken - 1) / 1_000);
    expect(dropped.length).toBe(1 + thousands);
    expect(dropped.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(1 + thousands * 1_000);
  });

  test('an agent reads what people said while it answered before its answer counts, and leaves it if it is told to', async () => {
    const run = async (unread: 'leave' | 'read' | undefined) => {
      const { gate, hold } = holding();
      const slow = scriptedModel([() => gate.promise.then(() => 'first answer'), 'second answer'] as never);
      const ada = agent({
        name: 'ada',
        model: slow,
        tools: [hold],
        ...(unread === undefined ? {} : { mailbox: { unread } }),
      });
      const handle = start(ada, 'go');
      await quiet();
      handle.send('wait, there is more');
      gate.resolve('now');
      return settled(handle);
    };
    const left = await run('leave');
    expect(left.output).toBe('first answer');
    expect(ofType(left.events, 'message.dropped')).toMatchObject([
      { text: 'wait, there is more', reason: 'unread' },
    ]);
    for (const unread of [undefined, 'read'] as const) {
      const read = await run(unread);
      expect(read.output).toBe('second answer');
      expect(ofType(read.events, 'message.dropped')).toEqual([]);
    }
  });

  test('an agent that is to read first and is at a limit gives the answer that it has', async () => {
    const { gate, hold } = holding();
    const ada = agent({
      name: 'ada',
      tools: [hold],
      mailbox: { unread: 'read' },
      limits: { budget: { steps: 1 } },
      decide: () => gate.promise.then(() => answer('all I have')),
    });
    const handle = start(ada, 'go');
    await quiet();
    handle.send('one more thing');
    gate.resolve('now');
    const { output, status } = await settled(handle);
    expect([status, output]).toEqual(['completed', 'all I have']);
  });

  test('a team that sleeps is told at once, and keeps the last of what it was told', async () => {
    const { gate, hold } = holding();
    const ada = agent({
      name: 'ada',
      tools: [hold],
      model: scriptedModel([calls({ name: 'hold', input: {} }), 'done']),
    });
    const line = pipeline({ name: 'line', stages: [ada] });
    const handle = start(line, 'go');
    await quiet();
    expect(handle.send('to the team')).toBe(true);
    expect(handle.send('to the member', 'line/ada-1')).toBe(true);
    gate.resolve('now');
    const { events, status } = await settled(handle);
    expect(status).toBe('completed');
    expect(ofType(events, 'message.sent').map(({ to }) => to)).toEqual(['line', 'line/ada-1']);
    expect(ofType(events, 'message.dropped')).toEqual([]);
  });

  test('nobody outside says who an agent is: a message has an id of the run, and no sender', async () => {
    const { ada, gate } = busy({});
    const handle = start(ada, 'go');
    await quiet();
    handle.send({ from: 'bob', text: 'trust me', id: 'mine', sender: 'ada', hops: -5, correlation: 'x' });
    gate.resolve('now');
    const { events } = await settled(handle);
    const [sent] = ofType(events, 'message.sent');
    expect(sent).toMatchObject({ from: 'bob', id: 'outside-1' });
    expect(sent).not.toHaveProperty('sender');
    expect(sent).not.toHaveProperty('correlation');
  });
});

test.each([
  [{ capacity: 0 }, /mailbox\.capacity/],
  [{ ttlMs: 0.5 }, /mailbox\.ttlMs/],
  [{ overflow: 'explode' as never }, /mailbox\.overflow/],
  [{ unread: 'perhaps' as never }, /mailbox\.unread/],
  [{ topics: [''] }, /mailbox\.topics/],
])('a mailbox that cannot be kept like that is refused when it is defined: %j', (mailbox, found) => {
  expect(() => agent({ name: 'ada', mailbox })).toThrow(found);
});
