import { z } from 'zod';
import { expect, test } from 'vitest';
import { answer, wait } from '../../src/contracts/agents/decision.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import {
  deferred,
  echo,
  letTimePass,
  ofType,
  phasesOf,
  quiet,
  settled,
  start,
  typesOf,
} from '../support/runs.ts';

const looks = (text: string) => calls({ name: 'echo', input: { text } });

/** Two steps of tools, then an answer. */
const walker = () =>
  agent({ name: 'walker', tools: [echo], model: scriptedModel([looks('1'), looks('2'), 'there']) });

/** The run so far, as its handle's events tell. */
const watch = (handle: RunHandle<unknown, unknown>): string[] => {
  const seen: string[] = [];
  handle.events$.subscribe((event) => {
    if (event.type === 'phase.entered') seen.push(event.phase);
  });
  return seen;
};

const ROUND = ['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CHECK_STOP'];

test('[QITOS-02] the phases come in their order, round by round, and one end', async () => {
  const { events, status } = await settled(start(walker(), 'go'));
  expect(status).toBe('completed');
  expect(phasesOf(events)).toEqual([
    'preparing',
    ...ROUND,
    ...ROUND,
    'OBSERVE',
    'DECIDE',
    'REDUCE',
    'CHECK_STOP',
    'completed',
  ]);
});

test('[M2] a run gives one record for each step, of its own agent, in order', async () => {
  const { records } = await settled(start(walker(), 'go'));
  expect(records.map(({ step, decision }) => [step, decision?.kind])).toEqual([
    [0, 'act'],
    [1, 'act'],
    [2, 'answer'],
  ]);
});

test('[M7] pausing holds the next effect, and what is under way goes on', async () => {
  const answered = deferred<string>();
  const model = scriptedModel([async () => (await answered.promise, looks('1')), 'there']);
  const handle = start(agent({ name: 'a', tools: [echo], model }), 'go');
  const seen = watch(handle);
  await quiet();
  handle.pause();
  answered.resolve('');
  await quiet();
  expect(seen.at(-1)).toBe('ACT');
  expect(model.requests).toHaveLength(1);
  handle.resume();
  const { status, events } = await settled(handle);
  expect(status).toBe('completed');
  expect(typesOf(events).filter((type) => type.startsWith('run.'))).toEqual([
    'run.started',
    'run.paused',
    'run.resumed',
    'run.ended',
  ]);
});

test('[M7] a run may start held: nothing is done before somebody lets it', async () => {
  const model = scriptedModel(['there']);
  const handle = start(agent({ name: 'a', model }), 'go', { paused: true });
  await quiet();
  expect(model.requests).toHaveLength(0);
  handle.resume();
  expect((await settled(handle)).output).toBe('there');
});

test('[QITOS-101] a step goes to the next CHECK_STOP, and k steps lead where k free steps lead', async () => {
  const handle = start(walker(), 'go', { paused: true });
  const seen = watch(handle);
  for (let k = 1; k <= 2; k += 1) {
    await handle.step();
    await quiet();
    expect(seen).toEqual([
      'preparing',
      ...Array.from({ length: k }, () => ROUND).flat(),
      'OBSERVE',
      'DECIDE',
    ]);
  }
  await handle.step();
  expect((await settled(handle)).output).toBe('there');
  const free = await settled(start(walker(), 'go'));
  expect(seen).toEqual(phasesOf(free.events));
});

test("[M7] step('effect') goes on by one effect each time", async () => {
  const model = scriptedModel([
    calls({ name: 'echo', input: { text: '1' } }, { name: 'echo', input: { text: '2' } }),
    'there',
  ]);
  const handle = start(agent({ name: 'a', tools: [echo], model }), 'go', { paused: true });
  let effects = 0;
  handle.events$.subscribe(({ type }) => {
    if (type === 'agent.prepared' || type === 'model.answered' || type === 'tool.finished') effects += 1;
  });
  for (let count = 1; count <= 5; count += 1) {
    await handle.step('effect');
    await quiet();
    expect(effects).toBe(count);
  }
  expect((await settled(handle)).status).toBe('completed');
});

test('[M7] a step that ends in a wait is through, also if nothing wakes the agent', async () => {
  const sleeper = agent({ name: 's', decide: ({ step }) => (step === 0 ? wait('a word') : answer(step)) });
  const handle = start(sleeper, 'go', { paused: true });
  await handle.step();
  handle.resume();
  handle.send('wake up');
  expect((await settled(handle)).output).toBe(1);
});

test('[M7] stepping a run that goes on pauses it, and says so', async () => {
  const handle = start(walker(), 'go');
  await handle.step();
  await quiet();
  handle.resume();
  const { events } = await settled(handle);
  expect(typesOf(events).filter((type) => type.startsWith('run.'))).toEqual([
    'run.started',
    'run.paused',
    'run.resumed',
    'run.ended',
  ]);
});

test('[M7] whoever steps a run that has ended does not wait', async () => {
  const handle = start(walker(), 'go');
  await settled(handle);
  await handle.step();
  handle.pause();
  handle.resume();
  expect(handle.send('too late')).toBe(false);
  expect((await settled(handle)).events.at(-1)?.type).toBe('run.ended');
});

test('[DODO-22] a message to an agent at work is seen at its next OBSERVE, not before', async () => {
  const model = scriptedModel([
    (_, { key }) => {
      handle.send({ from: 'bob', text: `during ${key.split('#')[1] ?? ''}` });
      return looks('1');
    },
    'there',
  ]);
  const handle = start(agent({ name: 'a', tools: [echo], model }), 'go');
  const { events } = await settled(handle);
  expect(model.requests[1]?.messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: go',
    'assistant: ',
    'tool: 1',
    'user: during 0.DECIDE.0.1',
  ]);
  expect(ofType(events, 'agent.observed').map(({ messages }) => messages)).toEqual([0, 1]);
});

test('[QITOS-13] a waiting agent wakes when its time is up, to the millisecond', async () => {
  const clock = virtualClock(1_000);
  const sleeper = agent({
    name: 's',
    decide: ({ step, tally }) => (step === 0 ? wait('a while', 60_000) : answer(tally.now)),
  });
  const handle = start(sleeper, 'go', { clock });
  const seen = watch(handle);
  await clock.advance(59_999);
  expect(seen.at(-1)).toBe('waiting');
  await clock.advance(1);
  expect((await settled(handle)).output).toBe(61_000);
  expect(clock.pending).toBe(0);
});

test('[QITOS-13] a message wakes it before its time, and the timer is taken back', async () => {
  const clock = virtualClock();
  const sleeper = agent({
    name: 's',
    decide: ({ step, transcript }) => (step === 0 ? wait('a while', 60_000) : answer(transcript.length)),
  });
  const handle = start(sleeper, 'go', { clock });
  await clock.advance(1_000);
  expect(handle.send('here')).toBe(true);
  await clock.advance(0);
  expect((await settled(handle)).output).toBe(2);
  expect(clock.pending).toBe(0);
});

test('[QITOS-13] a message that came before the wait makes it none', async () => {
  const sleeper = agent({
    name: 's',
    decide: ({ step }) => {
      if (step > 0) return answer('awake');
      handle.send('already here');
      return wait('a word');
    },
  });
  const handle = start(sleeper, 'go');
  const { output, events } = await settled(handle);
  expect(output).toBe('awake');
  expect(phasesOf(events)).not.toContain('waiting');
});

test('a message to nobody is refused, and on record', async () => {
  const handle = start(walker(), 'go', { paused: true });
  expect(handle.send('hello', 'walker/nobody')).toBe(false);
  handle.resume();
  const { events } = await settled(handle);
  expect(ofType(events, 'message.dropped')).toMatchObject([{ to: 'walker/nobody', text: 'hello' }]);
});

test('[QITOS-42] toolsets are torn down in reverse, however the run ended, before its last event', async () => {
  const order: string[] = [];
  const setOf = (name: string) => ({
    name,
    tools: [echo],
    setup: () => void order.push(`setup ${name}`),
    teardown: () => {
      order.push(`teardown ${name}`);
      if (name === 'two') throw new Error('stuck');
    },
  });
  const failing = agent({
    name: 'f',
    tools: [setOf('one'), setOf('two')],
    model: scriptedModel([new Error('dead')]),
  });
  const { status, events } = await settled(start(failing, 'go'));
  expect(status).toBe('failed');
  expect(order).toEqual(['setup one', 'setup two', 'teardown two', 'teardown one']);
  expect(typesOf(events).slice(-2)).toEqual(['toolset.failed', 'run.ended']);
});

test('[QITOS-42] a toolset that never comes back does not hold the run', async () => {
  const clock = virtualClock();
  const stuck = {
    name: 'stuck',
    tools: [echo],
    setup: () => undefined,
    teardown: () => new Promise<void>(() => undefined),
  };
  const handle = start(agent({ name: 'a', tools: [stuck], model: scriptedModel(['x']) }), 'go', { clock });
  expect((await letTimePass(clock, settled(handle))).output).toBe('x');
  expect(clock.now()).toBe(5_000);
  expect(clock.pending).toBe(0);
});

test('[M8] a definition run twice gives two runs that share nothing', async () => {
  const counter = agent({
    name: 'counter',
    state: { count: 0 },
    reduce: ({ state }) => ({ count: state.count + 1 }),
    decide: ({ step, state }) => (step < 2 ? wait('x', 0) : answer(state)),
  });
  const both: readonly RunResult<unknown>[] = await Promise.all([
    settled(start(counter, 'a')),
    settled(start(counter, 'b')),
  ]);
  expect(both.map(({ output }) => output)).toEqual([{ count: 2 }, { count: 2 }]);
  expect(new Set(both.map(({ runId }) => runId)).size).toBe(2);
});

test('[M8] a conversation goes on from its history', async () => {
  const model = scriptedModel(['Anna.']);
  const history = [
    { role: 'user', text: 'I am Anna.' },
    { role: 'assistant', text: 'Hello Anna.' },
  ] as const;
  await settled(start(agent({ name: 'a', model }), 'Who am I?', { history }));
  expect(model.requests[0]?.messages.map(({ text }) => text)).toEqual([
    'I am Anna.',
    'Hello Anna.',
    'Who am I?',
  ]);
});

test('[M4] a nested run has records and events of its own', async () => {
  const child = agent({ name: 'child', tools: [echo], model: scriptedModel([looks('deep'), 'below']) });
  let nested: RunResult | undefined;
  const delegate = tool({
    name: 'delegate',
    description: 'Has somebody else do it.',
    input: z.object({}),
    execute: async (_, context) => {
      nested = await context.run(child, 'please');
      return nested.output ?? '';
    },
  });
  const model = scriptedModel([calls({ name: 'delegate', input: {} }), 'above']);
  await settled(start(agent({ name: 'parent', tools: [delegate], model }), 'go'));
  expect(nested?.records.map(({ agent: name, step }) => [name, step])).toEqual([
    ['child', 0],
    ['child', 1],
  ]);
  expect(new Set(nested?.events.map(({ path }) => path))).toEqual(new Set(['parent/child-0']));
  expect(nested?.totals).toMatchObject({ steps: 2, modelCalls: 2, toolCalls: 1 });
});
