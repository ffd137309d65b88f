import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { z } from 'zod';
import { expect, test } from 'vitest';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { Toolset } from '../../src/contracts/tools/tool.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import type { EventBody } from '../../src/contracts/events/event.ts';
import { liveEventTypes } from '../../src/contracts/events/event.ts';
import { RunCounter } from '../../src/runtime/actors/run-counter.ts';
import { EventLog } from '../../src/runtime/log/event-log.ts';
import { NoJournal } from '../../src/runtime/journal/write/no-journal.ts';
import { Gate } from '../../src/runtime/effects/gate.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import {
  deferred,
  echo,
  letTimePass,
  never,
  ofType,
  quiet,
  settled,
  start,
  typesOf,
} from '../support/runs.ts';

/** An agent that has a child run by a tool, and the child's toolset, which is let go of by `teardown`. */
const withChild = (teardown: () => Promise<void>) => {
  const set: Toolset = { name: 'desk', tools: [echo], setup: () => undefined, teardown };
  const child = agent({ name: 'child', tools: [set], decide: () => answer('done') });
  const delegate = tool({
    name: 'delegate',
    description: 'Has the child do it.',
    input: z.object({}),
    execute: async (_, context) => (await context.run(child, 'go')).output,
  });
  return agent({
    name: 'parent',
    tools: [delegate],
    decide: ({ step }) => (step === 0 ? act({ name: 'delegate', input: {} }) : answer('all done')),
  });
};

/** An agent whose toolset never comes back from being torn down. */
const stuck = () =>
  agent({
    name: 'a',
    tools: [{ name: 'stuck', tools: [echo], setup: () => undefined, teardown: () => never<void>() }],
    decide: () => answer('x'),
  });

test('a run does not end before the toolsets of its members are torn down', async () => {
  const gate = deferred<void>();
  const handle = start(
    withChild(() => gate.promise),
    'go',
  );
  const seen: string[] = [];
  handle.events$.subscribe(({ type }) => seen.push(type));
  await quiet();
  expect(seen).toContain('member.ended');
  expect(seen).not.toContain('run.ended');
  gate.resolve();
  expect((await settled(handle)).output).toBe('all done');
});

test('a toolset of a member that fails to be torn down is on record, with whose it was', async () => {
  const failing = withChild(() => Promise.reject(new Error('stuck')));
  const { events, status } = await settled(start(failing, 'go'));
  expect(status).toBe('completed');
  expect(ofType(events, 'toolset.failed')).toMatchObject([
    { agent: 'child', toolset: 'desk', error: { code: 'tool.setup' } },
  ]);
  expect(typesOf(events).at(-1)).toBe('run.ended');
});

test('a toolset of a member that never comes back does not hold the run', async () => {
  const clock = virtualClock();
  const handle = start(
    withChild(() => never<void>()),
    'go',
    { clock },
  );
  expect((await letTimePass(clock, settled(handle))).output).toBe('all done');
  expect(clock.now()).toBe(5_000);
  expect(clock.pending).toBe(0);
});

test('an abort hurries a run that waits for its toolsets to be torn down, however often it is said', async () => {
  const clock = virtualClock();
  const handle = start(stuck(), 'go', { clock });
  let isOver = false;
  void handle.result.then(() => (isOver = true));
  await clock.advance(1_000);
  handle.abort();
  await clock.advance(49);
  handle.abort();
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
  // It had its answer when it was aborted.
  expect(await handle.result).toMatchObject({ status: 'completed', output: 'x' });
  expect(clock.pending).toBe(0);
});

test("the address of a call is nobody else's, also below an agent that runs one named model", async () => {
  const clock = virtualClock();
  const child = agent({ name: 'model', decide: () => answer('done') });
  const delegate = tool({
    name: 'delegate',
    description: 'Has the child do it.',
    input: z.object({}),
    execute: async (_, context) => (await context.run(child, 'go')).output,
  });
  const busy = new TroupeError('model.unavailable', 'busy', { retryable: 'yes' });
  const model = scriptedModel([busy, calls({ name: 'delegate', input: {} }), 'there']);
  const parent = agent({ name: 'parent', tools: [delegate], model });
  const { events, output } = await letTimePass(clock, settled(start(parent, 'go', { clock })));
  expect(output).toBe('there');
  expect(new Set(events.map(({ path }) => path))).toEqual(
    new Set(['parent', 'parent/~model-0', 'parent/model-0']),
  );
  expect(() => agent({ name: '~model-0' })).toThrow(expect.objectContaining({ code: 'agent.invalid' }));
});

test('what a failed run rejects with prints as an error, and has its result and its data all the same', async () => {
  const failing = agent({ name: 'a', model: scriptedModel([new Error('a-cause-to-be-found')]) });
  const error: unknown = await failing.run('secret-input').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ result: { status: 'failed' }, data: { message: expect.any(String) } });
  expect(Object.keys(error as object)).not.toEqual(expect.arrayContaining(['result']));
  expect(Object.keys(error as object)).not.toEqual(expect.arrayContaining(['data']));
  expect(inspect(error, { depth: null })).not.toContain('secret-input');
});

/** Options that no type has checked. */
const fromJavaScript = (options: unknown): RunOptions => options as RunOptions;

test.each([{ history: 5 }, { hooks: 5 }, { model: Symbol('x') }, null, { signal: 'x' }])(
  'run rejects, and never throws, whatever it is told: %o',
  async (options) => {
    const one = agent({ name: 'a', model: scriptedModel(['x']) });
    const running: unknown = one.run('go', fromJavaScript(options));
    expect(running).toBeInstanceOf(Promise);
    await expect(running).rejects.toMatchObject({ name: 'TroupeError' });
  },
);

test('a run that could not begin lets go of its signal', async () => {
  const { signal } = new AbortController();
  const one = agent({ name: 'a', model: scriptedModel(['x']) });
  await expect(one.run('go', fromJavaScript({ signal, history: 5 }))).rejects.toThrow(/not a list of turns/);
  await quiet();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('what nobody wants any more is not held at the gate, and uses up no step', async () => {
  const gate = new Gate(Infinity, true);
  const passed: string[] = [];
  const wanted = new Set(['first', 'second', 'third']);
  const ask = (name: string): void => {
    gate.pass(
      () => passed.push(name),
      () => wanted.has(name),
    );
  };
  for (const name of ['first', 'second', 'third']) ask(name);
  wanted.delete('first');
  await gate.step('effect');
  expect(passed).toEqual(['second']);
  wanted.delete('third');
  gate.resume();
  expect(passed).toEqual(['second']);
  expect(gate.isHolding).toBe(false);
});

test('whatever type of event counts is in the totals of the log as soon as it is written', () => {
  const usage = { input: 3, output: 2 };
  const record = { step: 0 };
  for (const type of liveEventTypes().filter((each) => each !== 'run.ended')) {
    // The parts of all types, so that each has what its own type counts.
    const body = {
      type,
      key: 'k',
      model: 'm',
      usage,
      costUsd: 1,
      record,
      callId: 'c',
      tool: 't',
    } as unknown as EventBody;
    const counter = new RunCounter();
    counter.count(body);
    const log = new EventLog('r', 'a', new NoJournal('a', virtualClock()));
    log.write(body, { path: 'a', agent: 'a' });
    expect(log.totals, type).toEqual({ ...counter.totals, durationMs: 0 });
  }
});

test("an agent that ends closes its own open tools, and nobody else's", () => {
  const log = new EventLog('r', 'a', new NoJournal('a', virtualClock()));
  const one = { path: 'a/one', agent: 'one' };
  const two = { path: 'a/two', agent: 'two' };
  for (const speaker of [one, two])
    log.write(
      { type: 'tool.started', callId: 'call_0_0', tool: 'look', input: {}, description: '', attempt: 1 },
      speaker,
    );
  const closed = () => ofType(log.events.slice(), 'tool.finished').map(({ path }) => path);
  log.closeTools('its agent ended first', 'a/one');
  expect(closed()).toEqual(['a/one']);
  log.closeTools('the run ended first');
  log.closeTools('the run ended first');
  expect(closed()).toEqual(['a/one', 'a/two']);
});
