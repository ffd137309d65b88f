import { filter, firstValueFrom } from 'rxjs';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { answer, wait } from '../../src/contracts/agents/decision.ts';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { allOf, anyOf } from '../../src/machines/stopping/composed-rules.ts';
import { maxSteps, maxTime } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { parallel } from '../../src/patterns/index.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { allRows } from '../coordination/all-rows.ts';
import { parrot } from '../coordination/patterns/pattern-row.ts';
import { echo, hang, never, ofType, quiet, settled, start, typesOf } from '../support/runs.ts';
import { somewhere } from '../support/somewhere.ts';
import { goOn, startIn } from '../support/stored-runs.ts';

const LIMIT_MS = 1_000;
/** The first moment at which more than the limit has passed, and what tearing down may take. */
const DUE_MS = LIMIT_MS + 1;
const TEAR_DOWN_MS = 50;
const HOOKS_MS = 1_000;

const hangs = calls({ name: 'hang', input: {} });

const spentBy = (path: string) => ({
  kind: 'budget',
  budget: 'timeMs',
  limit: LIMIT_MS,
  used: expect.any(Number) as number,
  path,
});

/** What holds for every run whose time was up, whatever it was doing. */
const expectExpired = async (
  result: RunResult<unknown, unknown>,
  reason: object,
  clock: VirtualClock,
): Promise<void> => {
  const { status, stopReason, events, effects, output, error } = result;
  expect({ status, stopReason, output, error }).toEqual({
    status: 'stopped',
    stopReason: reason,
    output: undefined,
    error: undefined,
  });
  expect(typesOf(events).filter((type) => type === 'run.ended')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('run.ended');
  // What a memory was given is not awaited: whether it took it is not known.
  expect(effects.filter(({ state, port }) => state === 'asked' && port !== 'remember')).toEqual([]);
  // A memory or a hook that was left behind has its own time-out.
  await clock.advance(600_000);
  expect(clock.pending, 'timers left behind').toBe(0);
};

/** The result of a run that is over by now; undefined while it goes on. */
const resultNow = async <Output, State>(handle: {
  readonly result: Promise<RunResult<Output, State>>;
}): Promise<RunResult<Output, State> | undefined> => {
  let result: RunResult<Output, State> | undefined;
  void settled(handle).then((settling) => (result = settling));
  await quiet();
  return result;
};

/** A stored run has begun, and waits for what never settles: its store may take long to open. */
const underWay = async (handle: Pick<RunHandle<unknown, unknown>, 'events$'>): Promise<void> => {
  await firstValueFrom(
    handle.events$.pipe(filter(({ type }) => type === 'tool.started' || type === 'model.asked')),
  );
  await quiet();
};

/** Time stands still while a person is waited for: see person-time.test.ts. */
const atWork = somewhere.filter(({ where }) => !/waiting for an? (approval|person|answer)/.test(where));

test.each(atWork)('[FIND-19] [FIND-51] a budget of time ends a run $where', async ({ make, options }) => {
  const clock = virtualClock();
  const limited: RunOptions = { clock, ...options, limits: { budget: { timeMs: LIMIT_MS } } };
  const handle = start(make(), 'go', limited);
  await clock.advance(LIMIT_MS);
  expect(await resultNow(handle)).toBeUndefined();
  await clock.advance(DUE_MS - LIMIT_MS + TEAR_DOWN_MS);
  const result = await resultNow(handle);
  expect(result?.stopReason).toMatchObject({ used: DUE_MS });
  if (result !== undefined) await expectExpired(result, spentBy('a'), clock);
});

test('[FIND-19] maxTime ends a run in the midst of a tool, and the tool is aborted', async () => {
  const clock = virtualClock();
  let reason: unknown;
  const listens = tool({
    name: 'hang',
    description: 'Listens.',
    input: z.object({}),
    timeoutMs: Infinity,
    execute: (_, { signal }) =>
      new Promise<string>(() => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
      }),
  });
  const model = scriptedModel([hangs]);
  const hasty = agent({ name: 'a', model, tools: [listens], stop: maxTime(LIMIT_MS) });
  const handle = start(hasty, 'go', { clock });
  await clock.advance(DUE_MS);
  const result = await handle.result;
  await expectExpired(result, { kind: 'maxTime', limitMs: LIMIT_MS }, clock);
  expect(result.totals.durationMs).toBe(DUE_MS);
  expect(reason).toMatchObject({ code: 'run.aborted' });
  expect(ofType(result.events, 'tool.finished')).toMatchObject([{ ok: false, synthesised: true }]);
});

test.each([
  ['any of several', anyOf(maxSteps(9), maxTime(LIMIT_MS), maxTime(9_000)), LIMIT_MS],
  ['all of several', allOf(maxTime(500), maxTime(LIMIT_MS)), LIMIT_MS],
  ['the first of a list', [maxTime(9_000), maxTime(LIMIT_MS)], LIMIT_MS],
] as const)('[FIND-19] a limit on time within %s is one', async (_, stop, limitMs) => {
  const clock = virtualClock();
  const hasty = agent({ name: 'a', model: scriptedModel([() => never<string>()]), stop: [stop].flat() });
  const handle = start(hasty, 'go', { clock });
  await clock.advance(DUE_MS);
  await expectExpired(await handle.result, { kind: 'maxTime', limitMs }, clock);
});

test('a limit on time that another rule has to agree with ends nothing by itself', async () => {
  const clock = virtualClock();
  const stop = allOf(maxSteps(1), maxTime(LIMIT_MS));
  const handle = start(agent({ name: 'a', model: scriptedModel([() => never<string>()]), stop }), 'go', {
    clock,
  });
  await clock.advance(10 * LIMIT_MS);
  expect(await resultNow(handle)).toBeUndefined();
  handle.abort();
  expect((await handle.result).status).toBe('aborted');
});

test('[FIND-19] the sooner of the two, maxTime and a budget, is the reason', async () => {
  const run = async (limitMs: number, timeMs: number) => {
    const clock = virtualClock();
    const both = agent({
      name: 'a',
      model: scriptedModel([() => never<string>()]),
      stop: maxTime(limitMs),
      limits: { budget: { timeMs } },
    });
    const handle = start(both, 'go', { clock });
    await clock.advance(20_000);
    return (await handle.result).stopReason;
  };
  expect(await run(1_000, 2_000)).toEqual({ kind: 'maxTime', limitMs: 1_000 });
  expect(await run(2_000, 1_000)).toEqual({ ...spentBy('a'), used: DUE_MS });
});

test('[FIND-19] an agent that wraps up does so before its time is up, and never after', async () => {
  const clock = virtualClock();
  const model = scriptedModel([hangs, 'too late']);
  const hasty = agent({ name: 'a', model, tools: [hang], stop: maxTime(LIMIT_MS), limits: { wrapUp: true } });
  const handle = start(hasty, 'go', { clock });
  await clock.advance(DUE_MS);
  await expectExpired(await handle.result, { kind: 'maxTime', limitMs: LIMIT_MS }, clock);
  expect(model.requests).toHaveLength(1);
});

test('[FIND-51] a toolset that never comes down does not hold a run past its time', async () => {
  const clock = virtualClock();
  const stuck = toolset({ name: 'stuck', tools: [echo], teardown: () => never<void>() });
  const late = agent({
    name: 'a',
    model: scriptedModel(['done']),
    tools: [stuck],
    limits: { budget: { timeMs: LIMIT_MS } },
  });
  const handle = start(late, 'go', { clock });
  await clock.advance(LIMIT_MS);
  expect(await resultNow(handle)).toBeUndefined();
  await clock.advance(DUE_MS - LIMIT_MS + TEAR_DOWN_MS);
  const { status, output } = await handle.result;
  expect([status, output]).toEqual(['completed', 'done']);
  expect(clock.pending).toBe(0);
});

test.each(['handle', 'flush'] as const)('[FIND-51] nor does a hook whose %s never settles', async (part) => {
  const clock = virtualClock();
  const stuck = {
    name: 'stuck',
    handle: () => undefined,
    flush: () => undefined,
    [part]: () => never<void>(),
  };
  const late = agent({
    name: 'a',
    model: scriptedModel([hangs]),
    tools: [hang],
    limits: { budget: { timeMs: LIMIT_MS } },
  });
  const handle = start(late, 'go', { clock, hooks: [stuck] });
  await clock.advance(DUE_MS);
  await clock.advance(HOOKS_MS);
  const result = await resultNow(handle);
  expect(result).toBeDefined();
  if (result !== undefined) await expectExpired(result, { ...spentBy('a'), used: DUE_MS }, clock);
});

describe.each(allRows)('a team of the pattern $name', ({ make }) => {
  test('[FIND-19] ends when its time is up, whatever its members do', async () => {
    const clock = virtualClock();
    const team = make(
      { ann: parrot('ann', never), bob: parrot('bob', never) },
      { name: 'desk', limits: { budget: { timeMs: LIMIT_MS } } },
    );
    const handle = start(team, 'go', { clock });
    await clock.advance(DUE_MS);
    await clock.advance(TEAR_DOWN_MS);
    const result = await resultNow(handle);
    expect(result?.stopReason).toEqual(spentBy('desk'));
    if (result !== undefined) await expectExpired(result, spentBy('desk'), clock);
    const engaged = ofType(result?.events ?? [], 'member.engaged').map(({ path }) => path);
    expect(engaged.length).toBeGreaterThan(0);
    expect(
      ofType(result?.events ?? [], 'member.ended')
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(engaged.toSorted());
  });
});

test('[FIND-19] a team whose time is up keeps what its members have answered by then', async () => {
  const clock = virtualClock();
  const fast = agent({ name: 'fast', model: scriptedModel(['here']) });
  const slow = agent({ name: 'slow', model: scriptedModel([() => never<string>()]) });
  const team = parallel({ name: 'desk', members: { fast, slow }, limits: { budget: { timeMs: LIMIT_MS } } });
  const handle = start(team, 'go', { clock });
  await clock.advance(DUE_MS);
  const { candidate } = await handle.result;
  expect(candidate).toMatchObject([
    { member: 'fast', output: 'here' },
    { member: 'slow', status: 'stopped' },
  ]);
});

test('[FIND-19] the time of a member is its own: the team goes on without it', async () => {
  const clock = virtualClock();
  const fast = agent({ name: 'fast', model: scriptedModel(['here']) });
  const slow = agent({
    name: 'slow',
    model: scriptedModel([() => never<string>()]),
    stop: maxTime(LIMIT_MS),
  });
  const team = parallel({
    name: 'desk',
    members: { fast, slow },
    failures: { supervision: { intensity: { restarts: 0, withinMs: 1_000 } } },
  });
  const handle = start(team, 'go', { clock });
  await clock.advance(DUE_MS);
  const { events } = await settled(handle);
  const ends = ofType(events, 'member.ended').map(({ path, status, stopReason }) => [
    path,
    status,
    stopReason,
  ]);
  expect(ends).toContainEqual(['desk/slow-2', 'stopped', { kind: 'maxTime', limitMs: LIMIT_MS }]);
});

test('[FIND-19] a child that a tool runs has its own time, and that of its parent', async () => {
  const within = (timeMs: number, above: number) => {
    const child = agent({
      name: 'child',
      model: scriptedModel([() => never<string>()]),
      limits: { budget: { timeMs } },
    });
    const runs = tool({
      name: 'runs',
      description: 'Runs a child.',
      input: z.object({}),
      timeoutMs: Infinity,
      execute: async (_, context) => (await context.run(child, 'go')).stopReason.kind,
    });
    const model = scriptedModel([calls({ name: 'runs', input: {} }), 'done']);
    return agent({ name: 'a', model, tools: [runs], limits: { budget: { timeMs: above } } });
  };
  const clock = virtualClock();
  const inner = start(within(LIMIT_MS, 9_000), 'go', { clock });
  await clock.advance(DUE_MS);
  const { output, records } = await inner.result;
  expect([output, records[0]?.results[0]]).toMatchObject(['done', { ok: true, value: 'budget' }]);
  const outer = start(within(9_000, LIMIT_MS), 'go', { clock });
  await clock.advance(DUE_MS);
  await expectExpired(await outer.result, spentBy('a'), clock);
});

test('[FIND-19] a run of many steps arms one timer for its time, and one without a limit none', async () => {
  const armed = async (options: RunOptions): Promise<number> => {
    const clock = virtualClock();
    let count = 0;
    const counting = {
      ...clock,
      now: () => clock.now(),
      setTimeout: (callback: () => void, ms: number) => ((count += 1), clock.setTimeout(callback, ms)),
    };
    const script = Array.from({ length: 50 }, (_, index) =>
      calls({ name: 'echo', input: { text: `${index}` } }),
    );
    const walker = agent({
      name: 'a',
      model: scriptedModel([...script, 'done']),
      tools: [echo],
      stop: maxSteps(100),
    });
    const { totals } = await walker.run('go', { ...options, clock: counting });
    expect(totals.steps).toBe(51);
    return count;
  };
  expect((await armed({ limits: { budget: { timeMs: 60_000 } } })) - (await armed({}))).toBe(1);
});

test('[FIND-19] the time that a run waits in line does not count', async () => {
  const clock = virtualClock();
  const one = agent({
    name: 'a',
    decide: ({ step }) => (step === 0 ? wait('a while', 900) : answer('done')),
    limits: { budget: { timeMs: LIMIT_MS } },
  });
  const engine = createGlobalEngine({ concurrency: 1 });
  const results = [engine, engine].map((each) => each.execute(one, 'go', { clock }));
  await clock.advance(2_000);
  expect((await Promise.all(results)).map(({ status }) => status)).toEqual(['completed', 'completed']);
});

describe('a stored run whose time is up', () => {
  const members = () => ({
    fast: agent({ name: 'fast', model: scriptedModel(['here']) }),
    slow: agent({ name: 'slow', model: scriptedModel([hangs, hangs]), tools: [hang] }),
  });
  const limited: Readonly<Record<string, () => Agent<string, unknown, unknown>>> = {
    agent: () =>
      agent({
        name: 'a',
        model: scriptedModel([hangs, hangs]),
        tools: [hang],
        limits: { budget: { timeMs: LIMIT_MS } },
      }),
    'agent by rule': () =>
      agent({ name: 'a', model: scriptedModel([hangs, hangs]), tools: [hang], stop: maxTime(LIMIT_MS) }),
    team: () => parallel({ name: 'desk', members: members(), limits: { budget: { timeMs: LIMIT_MS } } }),
    'member of a team': () =>
      parallel({
        name: 'desk',
        members: {
          ...members(),
          slow: agent({
            name: 'slow',
            model: scriptedModel([() => never<string>()]),
            stop: maxTime(LIMIT_MS),
          }),
        },
      }),
    'team whose members have children': () => {
      const child = agent({
        name: 'child',
        model: scriptedModel([() => never<string>()]),
        limits: { budget: { timeMs: LIMIT_MS } },
      });
      const runs = tool({
        name: 'runs',
        description: 'Runs a child.',
        input: z.object({}),
        timeoutMs: Infinity,
        execute: async (_, context) => (await context.run(child, 'go')).stopReason.kind,
      });
      return agent({
        name: 'a',
        model: scriptedModel([calls({ name: 'runs', input: {} }), 'done']),
        tools: [runs],
      });
    },
  };

  test.each(Object.keys(limited))('[FIND-19] %s: its replay ends the same way', async (kind) => {
    const clock = virtualClock();
    const store = memoryStore();
    const make = limited[kind];
    if (make === undefined) throw new Error(kind);
    const handle = startIn(store, make(), 'go', { runId: 'r', clock });
    await underWay(handle);
    await clock.advance(DUE_MS);
    const { events, stopReason, status } = await settled(handle);
    const replayed = await replay(make(), 'r', { store });
    expect(replayed.events).toEqual(events);
    expect(replayed.result).toMatchObject({ stopReason, status });
  });

  test.each(['agent', 'agent by rule', 'team'])(
    '[FIND-19] %s: time counts from the begin, also while nobody has the run',
    async (kind) => {
      const store = memoryStore();
      const clock = virtualClock();
      const make = limited[kind];
      if (make === undefined) throw new Error(kind);
      const first = startIn(store, make(), 'go', { runId: 'r', clock });
      await clock.advance(600);
      const suspending = first.suspend({ withinMs: 100 });
      await clock.advance(100);
      await suspending;
      const again = await goOn(store, make(), 'r', { clock });
      await clock.advance(LIMIT_MS - 700);
      expect(await resultNow(again)).toBeUndefined();
      await clock.advance(1);
      expect((await again.result).stopReason).toMatchObject(
        kind === 'agent by rule' ? { kind: 'maxTime' } : { kind: 'budget', used: DUE_MS },
      );
      expect(clock.pending).toBe(0);
    },
  );

  test('[FIND-19] one that is resumed past its time ends at once', async () => {
    const store = memoryStore();
    const clock = virtualClock();
    const first = startIn(store, limited['agent']?.() ?? parrot('a'), 'go', { runId: 'r', clock });
    await underWay(first);
    await clock.advance(600);
    const suspending = first.suspend({ withinMs: 100 });
    await clock.advance(100);
    await suspending;
    const tomorrow = virtualClock(86_400_000);
    const again = await goOn(store, limited['agent']?.() ?? parrot('a'), 'r', { clock: tomorrow });
    await tomorrow.advance(0);
    expect((await again.result).stopReason).toMatchObject({
      kind: 'budget',
      budget: 'timeMs',
      limit: LIMIT_MS,
    });
  });
});
