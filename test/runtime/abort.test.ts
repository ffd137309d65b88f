import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { act, answer, wait } from '../../src/contracts/agents/decision.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { definitionOf } from '../../src/runtime/define/definition.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { createRun } from '../../src/runtime/run/create-run.ts';
import { parallel, supervisorWorker } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { callUntyped } from '../support/call-untyped.ts';
import { deferred, hang, never, ofType, quiet, settled, start, typesOf } from '../support/runs.ts';
import { PlainStore } from '../support/plain-store.ts';
import { somewhere } from '../support/somewhere.ts';

const model = (...script: Parameters<typeof scriptedModel>[0]) => scriptedModel(script);
const hangs = calls({ name: 'hang', input: {} });

/** What holds for every run that was aborted, whatever it was doing. */
const expectAborted = (result: RunResult<unknown, unknown>, reason: string, clock: VirtualClock): void => {
  const { status, stopReason, events, effects, output } = result;
  expect({ status, stopReason, output }).toEqual({
    status: 'aborted',
    stopReason: { kind: 'aborted', reason },
    output: undefined,
  });
  expect(typesOf(events).filter((type) => type === 'run.ended')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('run.ended');
  // What a memory was given is not awaited: whether it took it is not known.
  expect(effects.filter(({ state, port }) => state === 'asked' && port !== 'remember')).toEqual([]);
  const started = ofType(events, 'tool.started').map(({ path, callId }) => `${path} ${callId}`);
  const finished = ofType(events, 'tool.finished').map(({ path, callId }) => `${path} ${callId}`);
  expect(finished.toSorted()).toEqual([...new Set(started)].toSorted());
  const engaged = ofType(events, 'member.engaged').map(({ path }) => path);
  expect(
    ofType(events, 'member.ended')
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(engaged.toSorted());
  expect(clock.pending, 'timers left behind').toBe(0);
};

test.each(somewhere)(
  '[P8] a run ends at once when it is aborted $where',
  async ({ make, phase, options, tearsDown, outlasts }) => {
    const clock = virtualClock();
    const handle = start(make(), 'go', { clock, ...options });
    const seen: string[] = [];
    handle.events$.subscribe((event) => {
      if (event.type === 'phase.entered' && event.path === 'a') seen.push(event.phase);
    });
    await quiet();
    expect(seen.at(-1)).toBe(phase);
    handle.abort('enough');
    // No clock moves: whatever it waits for, microtasks have to do. Only tearing toolsets down may take 50 ms.
    if (tearsDown === true) await clock.advance(50);
    await quiet();
    const result = await settled(handle);
    if (outlasts === true) await clock.advance(60_000);
    expectAborted(result, 'enough', clock);
  },
);

test.each(somewhere)('[P8] also while it is paused: $where', async ({ make, options, outlasts }) => {
  const clock = virtualClock();
  const handle = start(make(), 'go', { clock, ...options });
  await quiet();
  handle.pause();
  handle.abort('enough');
  await clock.advance(50);
  const result = await settled(handle);
  if (outlasts === true) await clock.advance(60_000);
  expectAborted(result, 'enough', clock);
});

test('[KAIZEN-74] of two aborts the first one gives the reason', async () => {
  const clock = virtualClock();
  const handle = start(agent({ name: 'a', decide: () => wait('a word') }), 'go', { clock });
  await quiet();
  handle.abort('first');
  handle.abort('second');
  expectAborted(await settled(handle), 'first', clock);
  handle.abort('third');
  expect((await settled(handle)).stopReason).toEqual({ kind: 'aborted', reason: 'first' });
});

test('[ENG-10] a signal that was aborted before: nothing is done at all', async () => {
  const clock = virtualClock();
  const script = model('x');
  const signal = AbortSignal.abort(new Error('too late'));
  const handle = start(agent({ name: 'a', model: script }), 'go', { clock, signal });
  const result = await settled(handle);
  expectAborted(result, 'too late', clock);
  expect(script.requests).toHaveLength(0);
  expect(result.effects).toEqual([]);
  expect(result.events[0]?.type).toBe('run.started');
});

test('[ENG-10] a signal that is aborted later, in the middle of a tool: the tool is told', async () => {
  const clock = virtualClock();
  const controller = new AbortController();
  let reason: unknown;
  const listens = tool({
    name: 'hang',
    description: 'Listens.',
    input: z.object({}),
    execute: (_, { signal }) =>
      new Promise<string>(() => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
      }),
  });
  const { signal } = controller;
  const handle = start(agent({ name: 'a', tools: [listens], model: model(hangs) }), 'go', { clock, signal });
  await quiet();
  controller.abort('the user left');
  expectAborted(await settled(handle), 'the user left', clock);
  expect(reason).toMatchObject({ code: 'run.aborted' });
});

test('many runs share a signal by one listener, and leave none behind', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  const definition = agent({
    name: 'a',
    decide: ({ step }) => (step === 0 ? wait('a bit', 0) : answer('x')),
  });
  for (let round = 0; round < 2; round += 1) {
    const handles = Array.from({ length: 50 }, () => start(definition, 'go', { signal }));
    expect(listeners).toBe(1);
    await Promise.all(handles.map((handle) => settled(handle)));
    await quiet();
    expect(listeners).toBe(0);
  }
  const left = Array.from({ length: 3 }, () => start(definition, 'go', { signal, paused: true }));
  controller.abort('enough');
  for (const handle of left) expect((await settled(handle)).status).toBe('aborted');
});

describe('a tree of three levels: team, members, children run by tools', () => {
  const tree = () => {
    const inner = agent({ name: 'inner', tools: [hang], model: model(hangs, hangs) });
    const delegate = tool({
      name: 'delegate',
      description: 'Has somebody else do it.',
      input: z.object({}),
      timeoutMs: Infinity,
      execute: async (_, context) => (await context.run(inner, 'please')).output ?? '',
    });
    const delegates = calls({ name: 'delegate', input: {} }, { name: 'delegate', input: {} });
    const assignments = [
      { worker: 'ann', task: '1' },
      { worker: 'bob', task: '2' },
    ];
    return supervisorWorker({
      name: 'desk',
      supervisor: { model: model(JSON.stringify({ assignments, answer: null })) },
      workers: {
        ann: agent({ name: 'ann', tools: [delegate], model: model(delegates) }),
        bob: agent({ name: 'bob', model: model(() => never<string>()) }),
      },
    });
  };

  test('[P8] all of it ends, innermost and last first, and in as many microtasks as a single agent takes', async () => {
    const clock = virtualClock();
    const handle = start(tree(), 'go', { clock });
    await quiet();
    handle.abort('enough');
    const ticks = await ticksUntil(handle);
    const result = await settled(handle);
    expectAborted(result, 'enough', clock);
    const ended = ofType(result.events, 'member.ended').map(({ path, status }) => `${path} ${status}`);
    expect(ended.slice(1)).toEqual([
      'desk/bob-3 aborted',
      'desk/ann-2/inner-0.2 aborted',
      'desk/ann-2/inner-0 aborted',
      'desk/ann-2 aborted',
    ]);
    const single = start(agent({ name: 'a', tools: [hang], model: model(hangs) }), 'go', { clock });
    await quiet();
    single.abort('enough');
    expect(ticks).toBeLessThanOrEqual((await ticksUntil(single)) + 5);
  });

  test('[P8] the tools of a member are closed before the member is', async () => {
    const handle = start(tree(), 'go');
    await quiet();
    handle.abort('enough');
    const { events } = await settled(handle);
    const closing = events.filter(({ type }) => type === 'tool.finished' || type === 'member.ended');
    const members = new Set(ofType(events, 'member.engaged').map(({ path }) => path));
    const last = [...members].map((path) => closing.findLast((event) => event.path === path)?.type);
    expect(new Set(last)).toEqual(new Set(['member.ended']));
    expect(ofType(events, 'tool.finished').every(({ synthesised }) => synthesised === true)).toBe(true);
  });
});

test.each([
  ['without a store', undefined],
  ['with a store', new PlainStore()],
])('[P8] an abort starts nothing that waited for the slot of what it cancels, %s', async (_, store) => {
  const clock = virtualClock();
  const started: string[] = [];
  const calling = (name: string, afterMs: number, execute: () => string | Promise<string>) => {
    const run = (): string | Promise<string> => {
      started.push(name);
      return execute();
    };
    const only = tool({ name, description: 'A tool.', input: z.object({}), execute: run });
    const decide = ({ step }: { readonly step: number }) =>
      step === 0 ? wait('later', afterMs) : act({ name, input: {} });
    return agent({ name, decide, tools: [only] });
  };
  const busy = (): never => {
    throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
  };
  const members = { first: calling('busy', 10, busy), last: calling('hang', 100, never) };
  const team = parallel({ name: 't', members });
  const handle = start(team, 'go', {
    clock,
    limits: { concurrency: 1 },
    ...(store === undefined ? {} : { store }),
  });
  await quiet();
  // The second attempt is due after 250 ms, and waits until the other tool has left.
  await clock.advance(1_000);
  await quiet();
  expect(started).toEqual(['busy', 'hang']);
  handle.abort('enough');
  expectAborted(await settled(handle), 'enough', clock);
  expect(started).toEqual(['busy', 'hang']);
});

test('[F40] what comes after the end changes nothing, and is on record as late', async () => {
  const late = deferred<string>();
  const slow = tool({
    name: 'slow',
    description: 'Takes its time.',
    input: z.object({}),
    execute: () => late.promise,
  });
  const script = calls({ name: 'slow', input: {} }, { name: 'slow', input: {} });
  const handle = start(agent({ name: 'a', tools: [slow, hang], model: model(script) }), 'go');
  await quiet();
  handle.abort('enough');
  const result = await settled(handle);
  const before = result.events.length;
  expect(result.effects.map(({ state }) => state)).toEqual([
    'answered',
    'answered',
    'withdrawn',
    'withdrawn',
  ]);
  late.resolve('at last');
  await quiet();
  expect(result.effects.slice(2)).toMatchObject([
    { state: 'late', output: { ok: true, value: 'at last' } },
    { state: 'late', output: { ok: true, value: 'at last' } },
  ]);
  expect(result.events).toHaveLength(before);
});

test('[F38] an answer of a model that comes after the abort is on record, too', async () => {
  const late = deferred<string>();
  const handle = start(agent({ name: 'a', model: model(() => late.promise) }), 'go');
  await quiet();
  handle.abort('enough');
  const result = await settled(handle);
  late.resolve('42');
  await quiet();
  expect(result.effects.at(-1)).toMatchObject({ port: 'decide', state: 'late', output: { text: '42' } });
});

test('a failure that comes after the abort is nobody’s: work that was called off stays withdrawn', async () => {
  const late = deferred<string>();
  const handle = start(agent({ name: 'a', model: model(() => late.promise) }), 'go');
  await quiet();
  handle.abort('enough');
  const result = await settled(handle);
  late.reject(new Error('aborted'));
  await quiet();
  expect(result.effects.at(-1)?.state).toBe('withdrawn');
});

test('nothing new is begun for a run that is over: no model for a late `decide`, no critic, no child', async () => {
  const late = deferred<undefined>();
  const script = model('x');
  const deciding = start(agent({ name: 'a', model: script, decide: () => late.promise }), 'go');
  const heard: string[] = [];
  const critics = ['one', 'two'].map((name) => ({
    name,
    critique: async () => {
      heard.push(name);
      await late.promise;
      return { verdict: 'accept' } as const;
    },
  }));
  const judged = start(agent({ name: 'b', model: model('x'), critics }), 'go');
  let refusal: unknown;
  const child = agent({ name: 'child', model: model('below') });
  const delegate = tool({
    name: 'delegate',
    description: 'Delegates late.',
    input: z.object({}),
    execute: async (_, context) => {
      await late.promise;
      const run = context.run(child, 'x');
      refusal = await run.catch((error: unknown) => error);
      return 'done';
    },
  });
  const acting = agent({
    name: 'c',
    tools: [delegate],
    model: model(calls({ name: 'delegate', input: {} })),
  });
  const delegating = start(acting, 'go');
  await quiet();
  for (const handle of [deciding, judged, delegating]) handle.abort('enough');
  await Promise.all([deciding, judged, delegating].map((handle) => settled(handle)));
  late.resolve(undefined);
  await quiet();
  expect(script.requests).toHaveLength(0);
  expect(heard).toEqual(['one']);
  expect(refusal).toMatchObject({ code: 'run.aborted' });
  expect(typesOf((await settled(delegating)).events)).not.toContain('member.engaged');
});

test('[P9] a tool that runs out of time takes its child run along, and the agent goes on', async () => {
  const clock = virtualClock();
  const inner = agent({ name: 'inner', model: model(() => never<string>()) });
  const delegate = tool({
    name: 'delegate',
    description: 'Has somebody else do it.',
    input: z.object({}),
    timeoutMs: 1_000,
    retry: false,
    execute: async (_, context) => (await context.run(inner, 'please')).output ?? '',
  });
  const script = model(calls({ name: 'delegate', input: {} }), 'without it');
  const handle = start(agent({ name: 'a', tools: [delegate], model: script }), 'go', { clock });
  await clock.advance(1_000);
  const { output, events } = await settled(handle);
  expect(output).toBe('without it');
  expect(ofType(events, 'member.ended')).toMatchObject([{ path: 'a/inner-0', status: 'aborted' }]);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ ok: false, error: { code: 'tool.timeout' } }]);
  expect(typesOf(events).indexOf('tool.finished')).toBeLessThan(typesOf(events).indexOf('agent.acted'));
  expect(clock.pending).toBe(0);
});

/** How many microtasks in a row it takes until a run has settled. */
const ticksUntil = async (handle: Pick<RunHandle<unknown, unknown>, 'result'>): Promise<number> => {
  let isSettled = false;
  const stop = (): void => {
    isSettled = true;
  };
  handle.result.then(stop, stop);
  let ticks = 0;
  for (; !isSettled && ticks < 1_000; ticks += 1) await Promise.resolve();
  return ticks;
};

const circular: Record<string, unknown> = {};
circular['self'] = circular;
const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('no');
    },
    getPrototypeOf: () => {
      throw new Error('no');
    },
  },
);

test.each<[string, unknown, string]>([
  ['that is circular', circular, 'aborted'],
  ['that throws when it is read', hostile, 'aborted'],
  ['that is an event of the DOM', new Event('click'), 'aborted'],
  ['that is an error', new Error('the caller left'), 'the caller left'],
  ['that is a number', 7, '7'],
  ['that is null', null, 'aborted'],
])('a run ends with a text, whatever was passed as its reason: one %s', async (_, given, reason) => {
  const hanging = () => agent({ name: 'a', decide: () => never() });
  const handle = start(hanging(), 'go');
  const ofSignal = new AbortController();
  const signalled = start(hanging(), 'go', { signal: ofSignal.signal });
  const engine = createGlobalEngine();
  const carried = engine.stream(hanging(), 'go');
  await quiet();
  callUntyped(handle, 'abort', given);
  ofSignal.abort(given);
  callUntyped(engine, 'abort', given);
  const stopReason = { kind: 'aborted', reason };
  expect(await handle.result).toMatchObject({ status: 'aborted', stopReason });
  expect(await signalled.result).toMatchObject({ status: 'aborted', stopReason });
  expect(await carried.result).toMatchObject({ status: 'aborted', stopReason });
});

test('a run that cannot write its end rejects, so that nothing waits for it', async () => {
  const definition = definitionOf(agent({ name: 'a', decide: () => never() }));
  if (definition === undefined) throw new Error('it has a definition');
  const run = createRun(definition, {}, { isAttended: true });
  run.begin('go', undefined);
  await quiet();
  callUntyped(run, 'abort', circular);
  await expect(run.result).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringContaining('Cannot end the run') as string,
  });
});
