import { expect, test } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { HookScope, LiveEvent, RuntimeEvent } from '../../src/contracts/events/event.ts';
import { runtimeEventSchema } from '../../src/contracts/events/event.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { text$ } from '../../src/events/stream/select.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { echo, letTimePass, never, ofType, settled, start, typesOf } from '../support/runs.ts';

const looks = calls({ name: 'echo', input: { text: 'seen' } });
const down = () => new TroupeError('model.unavailable', 'Cannot answer: SECRET-503', { retryable: 'yes' });

/** A parent that delegates to a child that works, and to one that fails; that thinks aloud, and stumbles once. */
const company = () => {
  const child = agent({ name: 'child', tools: [echo], model: scriptedModel([looks, 'below']) });
  const clumsy = agent({ name: 'clumsy', model: scriptedModel([new Error('fell')]) });
  const delegate = tool({
    name: 'delegate',
    description: 'Has others do it.',
    input: z.object({}),
    execute: async (_, { run, progress }) => {
      progress('halfway');
      await run(clumsy, 'please').catch(() => undefined);
      return (await run(child, 'please')).output;
    },
  });
  const model = scriptedModel([
    (_, { delta, isWatched }) => {
      if (isWatched) delta({ type: 'reasoning', text: 'Who could do that?' });
      return calls({ name: 'delegate', input: {} });
    },
    down(),
    'above',
  ]);
  return agent({
    name: 'parent',
    tools: [delegate],
    model,
    critics: [{ name: 'kind', critique: () => ({ verdict: 'accept' }) }],
  });
};

test('[QITOS-51] hooks of a run and of its agent are all called, the run’s first', async () => {
  const seen: string[] = [];
  const watch = (name: string) => hook({ name, on: 'agent.decided', handle: () => void seen.push(name) });
  const one = agent({
    name: 'a',
    decide: () => answer('there'),
    hooks: [watch('agent 1'), watch('agent 2')],
  });
  await settled(start(one, 'go', { hooks: [watch('run 1'), watch('run 2')] }));
  expect(seen).toEqual(['run 1', 'run 2', 'agent 1', 'agent 2']);
});

test('[TENEX-92] three consumers with filters of their own: neither a slow nor a broken one keeps the fast one waiting', async () => {
  const clock = virtualClock();
  const fast: string[] = [];
  const slow: string[] = [];
  const handle = start(company(), 'go', {
    clock,
    hooks: [
      hook({
        name: 'slow',
        on: 'phase.entered',
        timeoutMs: 2 ** 40,
        handle: async ({ phase }) => {
          slow.push(phase);
          await never();
        },
      }),
      hook({
        name: 'broken',
        handle: () => {
          throw new Error('boom');
        },
      }),
      hook({
        name: 'fast',
        on: ['phase.entered', 'run.ended'],
        handle: ({ type }) => void fast.push(type),
      }),
    ],
  });
  const { events, output } = await letTimePass(clock, settled(handle));
  expect(output).toBe('above');
  expect(fast).toEqual(typesOf(events).filter((type) => type === 'phase.entered' || type === 'run.ended'));
  expect(slow).toEqual(['preparing']);
  // Nobody waited for the slow one, who has not moved on for as long as the run went on.
  expect(clock.pending).toBe(1);
});

test('[TENEX-Q01] a reader that stands still while 10,000 pieces stream holds the newest 1,000, and knows what it missed', async () => {
  const model: Model = {
    provider: 'talker',
    id: 't',
    answer: async (_, { delta }) => {
      for (let count = 0; count < 10_000; count += 1) delta({ type: 'text', text: `${count} ` });
      await Promise.resolve();
      return modelAnswer({ text: 'all said' });
    },
  };
  const handle = start(agent({ name: 'a', model }), 'go');
  const reader = handle[Symbol.asyncIterator]();
  const read: LiveEvent[] = [];
  const first = await reader.next();
  if (first.done !== true) read.push(first.value);
  const { events } = await settled(handle);
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) read.push(next.value);
  const deltas = read.flatMap((event) =>
    event.type === 'model.delta' && event.delta.type === 'text' ? [event.delta.text] : [],
  );
  const missed = read.flatMap((event) => (event.type === 'observer.dropped' ? [event.count] : []));
  expect(deltas).toHaveLength(1_000);
  expect(deltas[0]).toBe('9000 ');
  expect(deltas.at(-1)).toBe('9999 ');
  expect(missed).toEqual([9_000]);
  // Of what is in the log nothing is missed.
  expect(read.filter(({ type }) => type !== 'model.delta' && type !== 'observer.dropped')).toEqual(events);
});

test('[TENEX-Q09] errors are never part of what is read: not of the text, not of the answer, not of the stream’s end', async () => {
  const clock = virtualClock();
  const breaks = tool({
    name: 'breaks',
    description: 'Breaks.',
    input: z.object({}),
    execute: () => {
      throw new Error('SECRET-disk');
    },
  });
  const model = scriptedModel([
    calls({ name: 'breaks', input: {} }),
    (_, { delta }) => {
      delta({ type: 'text', text: 'Half of ' });
      throw down();
    },
    'All of it.',
    new Error('SECRET-end'),
  ]);
  const insists = [{ name: 'c', critique: () => ({ verdict: 'revise', note: 'More.' }) as const }];
  const one = agent({ name: 'a', tools: [breaks], model, critics: insists });
  const handle = start(one, 'go', { clock });
  const read: string[] = [];
  const channel: string[] = [];
  text$(handle.events$).subscribe({
    next: ({ text }) => read.push(text),
    error: () => channel.push('error'),
    complete: () => channel.push('complete'),
  });
  const { events, status } = await letTimePass(clock, settled(handle));
  expect(status).toBe('failed');
  expect(read.join('|')).not.toMatch(/SECRET|Cannot/);
  // What broke off is taken back by an empty text, not by words about it.
  expect(read).toEqual(['', 'Half of ', '', 'All of it.', 'All of it.']);
  expect(channel).toEqual(['complete']);
  expect(ofType(events, 'model.retrying')[0]?.error.message).toContain('SECRET-503');
  expect(ofType(events, 'tool.finished')[0]?.error?.message).toContain('SECRET-disk');
  expect(ofType(events, 'model.failed')[0]?.error.cause?.message).toBe('SECRET-end');
});

test('[FIND-33] [DODO-41] what a run says streams in order, and stands there once when it is complete', async () => {
  const model = scriptedModel([
    (_, { delta }) => {
      for (const text of ['I ', 'look', '.']) delta({ type: 'text', text });
      return { ...looks, text: '' };
    },
    (_, { delta }) => {
      for (const text of ['There ', 'it ', 'is.']) delta({ type: 'text', text });
      return modelAnswer({ text: 'There it is.' });
    },
  ]);
  const handle = start(agent({ name: 'a', tools: [echo], model }), 'go');
  const grown: string[] = [];
  const complete: string[] = [];
  text$(handle.events$).subscribe(({ text, isComplete }) => (isComplete ? complete : grown).push(text));
  const { output } = await settled(handle);
  // A scripted model streams its whole text once more.
  expect(grown.slice(0, 3)).toEqual(['I ', 'I look', 'I look.']);
  expect(grown.slice(3, 6)).toEqual(['There ', 'There it ', 'There it is.']);
  expect(complete).toEqual(['', output]);
});

test('[QITOS-53] a hook is always told which run, who, when and what, within a step also which step and phase', async () => {
  const clock = virtualClock(5);
  const told: { event: LiveEvent; scope: HookScope }[] = [];
  const context = { tenant: 'acme' };
  const all = hook({ name: 'all', handle: (event, scope) => void told.push({ event, scope }) });
  const handle = start(company(), 'go', { clock, runId: 'run-7', context, hooks: [all] });
  await letTimePass(clock, settled(handle));
  const withinStep = /^(agent|model|tool|step|phase|critic)\./;
  expect(told.length).toBeGreaterThan(50);
  // A call that has to wait sits at an address of its own, and works for its agent.
  const speakers = new Map([
    ['parent', 'parent'],
    ['parent/~model-1', 'parent'],
    ['parent/child-0', 'child'],
    ['parent/clumsy-0', 'clumsy'],
  ]);
  let last = 5;
  for (const { event, scope } of told) {
    expect(event).toMatchObject({ v: 1, runId: 'run-7' });
    expect(event.agent).toBe(speakers.get(event.path));
    expect(event.at).toBeGreaterThanOrEqual(last);
    last = event.at;
    expect(scope.context).toBe(context);
  }
  const durable = told.flatMap(({ event }) => (event.type === 'model.delta' ? [] : [event]));
  for (const event of durable) expect(runtimeEventSchema.parse(event)).toEqual(event);
  for (const event of durable.filter(({ type }) => withinStep.test(type)))
    expect(event).toMatchObject({ step: expect.any(Number), phase: expect.any(String) });
  const ended = told.map(({ event }) => event).filter(({ type }) => type === 'run.ended');
  expect(ended).toMatchObject([{ stopReason: { kind: 'answered' }, status: 'completed', output: 'above' }]);
});

test('[QITOS-57] the events of a step that acts, and of one that answers, one by one', async () => {
  const model = scriptedModel([looks, 'there']);
  const { events } = await settled(start(agent({ name: 'a', tools: [echo], model }), 'go'));
  const line = (event: RuntimeEvent) =>
    event.type === 'phase.entered' ? event.phase : `${event.type} ${event.step}`;
  const lines = events.slice(1, -1).map(line);
  const wanted = [
    'preparing',
    'agent.prepared 0',
    'OBSERVE agent.observed 0',
    'DECIDE model.asked 0 model.answered 0 agent.decided 0',
    'ACT tool.requested 0 tool.started 0 tool.finished 0 agent.acted 0',
    'REDUCE agent.reduced 0',
    'CHECK_STOP agent.checked 0 step.ended 0',
    'OBSERVE agent.observed 1',
    'DECIDE model.asked 1 model.answered 1 agent.decided 1',
    'REDUCE agent.reduced 1',
    'CHECK_STOP agent.checked 1 step.ended 1',
    'completed',
  ];
  expect(lines.join(' ')).toBe(wanted.join(' '));
  expect(typesOf(events).at(0)).toBe('run.started');
  expect(typesOf(events).at(-1)).toBe('run.ended');
});

test('[KAIZEN-80] a run of a parent and two children has every kind of event that a screen may want', async () => {
  const clock = virtualClock();
  const seen: LiveEvent[] = [];
  const handle = start(company(), 'go', { clock });
  handle.events$.subscribe((event) => seen.push(event));
  await letTimePass(clock, settled(handle));
  const failed = await settled(start(agent({ name: 'a', model: scriptedModel([]) }), 'go'));
  seen.push(...failed.events);
  const kinds: Readonly<Record<string, (event: LiveEvent) => boolean>> = {
    started: ({ type }) => type === 'run.started',
    thinking: (event) => event.type === 'model.delta' && event.delta.type === 'reasoning',
    message: (event) => event.type === 'model.delta' && event.delta.type === 'text',
    'tool use': ({ type }) => type === 'tool.started',
    'tool result': ({ type }) => type === 'tool.finished',
    'child spawned': (event) => event.type === 'member.engaged' && event.path === 'parent/child-0',
    'child completed': (event) => event.type === 'member.ended' && event.status === 'completed',
    'child failed': (event) => event.type === 'member.ended' && event.status === 'failed',
    cost: (event) => event.type === 'model.answered' && event.usage.output > 0,
    progress: (event) => event.type === 'tool.progressed' && event.text === 'halfway',
    completed: (event) => event.type === 'run.ended' && event.status === 'completed',
    error: (event) => event.type === 'run.ended' && event.error?.code === 'script.exhausted',
    retry: ({ type }) => type === 'model.retrying',
    'cycle started': (event) => event.type === 'phase.entered' && event.phase === 'OBSERVE',
    'cycle completed': ({ type }) => type === 'step.ended',
  };
  expect(Object.keys(kinds).filter((kind) => !seen.some((event) => kinds[kind]?.(event)))).toEqual([]);
});

test('[QITOS-51] those of the engine are called too, before those of the run', async () => {
  const seen: string[] = [];
  const watch = (name: string) => hook({ name, on: 'agent.decided', handle: () => void seen.push(name) });
  const engine = createGlobalEngine({ hooks: [watch('engine')] });
  const one = agent({ name: 'a', decide: () => answer('there'), hooks: [watch('agent')] });
  await engine.execute(one, 'go', { hooks: [watch('run')] });
  await engine.shutdown();
  expect(seen).toEqual(['engine', 'run', 'agent']);
});
