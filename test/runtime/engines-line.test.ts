import { describe, expect, it } from 'vitest';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { collect, gateAgent, gated, parrot, quiet, rejection } from './engine-kit.ts';

describe('runs that overlap', () => {
  it('[ENG-15] both reach ACT before either is over', async () => {
    const gate = gated();
    const engine = createGlobalEngine();
    const walker = gateAgent(gate);
    const both = Promise.all([engine.execute(walker, 'a'), engine.execute(walker, 'b')]);
    await gate.came(2);
    expect(gate.arrived).toEqual(['a', 'b']);
    gate.open('b');
    gate.open('a');
    expect((await both).map(({ output }) => output)).toEqual(['a is done', 'b is done']);
  });

  it('[ENG-22] concurrency says how many: as many as there are, or exactly so many', async () => {
    expect(createGlobalEngine().concurrency).toBe(Infinity);
    const gate = gated();
    const engine = createGlobalEngine({ concurrency: 2 });
    const walker = gateAgent(gate);
    const runs = ['a', 'b', 'c', 'd'].map((name) => engine.execute(walker, name));
    await quiet();
    expect(engine.concurrency).toBe(2);
    expect(gate.arrived).toEqual(['a', 'b']);
    gate.open('b');
    await gate.came(3);
    await quiet();
    expect(gate.arrived).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c']) gate.open(name);
    await gate.came(4);
    gate.open('d');
    await Promise.all(runs);
  });

  it.each([0, -1, 1.5, Number.NaN])('[ENG-22] refuses a concurrency of %s', (concurrency) => {
    expect(() => createGlobalEngine({ concurrency })).toThrow(
      expect.objectContaining({
        code: 'engine.invalid',
        message: `Cannot make an engine as its concurrency is not a whole number from 1 (or Infinity): found ${concurrency}`,
      }),
    );
  });
});

describe('runs in line', () => {
  /** One run in the gate, the engine full. */
  const full = async () => {
    const gate = gated();
    const engine = createGlobalEngine({ concurrency: 1 });
    const walker = gateAgent(gate);
    const first = engine.stream(walker, 'a');
    await gate.came(1);
    return { gate, engine, walker, first };
  };

  it("[ENG-16] concurrency 1: the second run's first event comes after the first run's last", async () => {
    const { gate, engine, walker, first } = await full();
    const all = collect(engine);
    const second = engine.stream(walker, 'b');
    const third = engine.stream(walker, 'c');
    await quiet();
    expect(collect(second).events).toEqual([]);
    for (const name of ['c', 'b', 'a']) gate.open(name);
    await gate.came(2);
    gate.open('b');
    await gate.came(3);
    gate.open('c');
    await Promise.all([first.result, second.result, third.result]);
    const ids = [first.runId, second.runId, third.runId];
    const order = all.events.map(({ runId }) => ids.indexOf(runId));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(new Set(order)).toEqual(new Set([0, 1, 2]));
    expect(all.events.filter(({ type }) => type === 'run.started')).toHaveLength(3);
  });

  it('[ENG-16] a run that fails makes room too', async () => {
    const engine = createGlobalEngine({ concurrency: 1 });
    const fragile = agent({
      name: 'fragile',
      model: scriptedModel([new Error('no')]),
      failures: { retry: { attempts: 1 } },
    });
    const failed = rejection(engine.execute(fragile, 'a'));
    const next = engine.execute(parrot(), 'b');
    expect(await failed).toBeDefined();
    expect((await next).output).toBe('hello');
  });

  it.each(['handle', 'signal', 'engine'] as const)(
    'one that is aborted by its %s ends at once and has done nothing',
    async (by) => {
      const { gate, engine, walker, first } = await full();
      const controller = new AbortController();
      const waiting = engine.stream(walker, 'b', { signal: controller.signal });
      const next = engine.stream(walker, 'c');
      if (by === 'handle') waiting.abort('changed my mind');
      else if (by === 'signal') controller.abort('changed my mind');
      else engine.abort('changed my mind', waiting.runId);
      const result = await waiting.result;
      expect(result).toMatchObject({
        status: 'aborted',
        stopReason: { kind: 'aborted', reason: 'changed my mind' },
        effects: [],
        totals: { steps: 0 },
      });
      const types = result.events.map(({ type }) => type).filter((type) => type !== 'phase.entered');
      expect([types[0], types.at(-1)]).toEqual(['run.started', 'run.ended']);
      await quiet();
      // It took nobody's place: the next one still waits for the first.
      expect(gate.arrived).toEqual(['a']);
      gate.open('a');
      await first.result;
      await gate.came(2);
      expect(gate.arrived).toEqual(['a', 'c']);
      gate.open('c');
      await next.result;
    },
  );

  it('one whose signal has fired before never waits', async () => {
    const { gate, engine, walker, first } = await full();
    const late = await engine.execute(walker, 'b', { signal: AbortSignal.abort('too late') });
    expect(late).toMatchObject({ status: 'aborted', effects: [] });
    gate.open('a');
    await first.result;
  });

  it('hears what its handle was told when it begins, and not before', async () => {
    const { gate, engine, first } = await full();
    const model = scriptedModel(['mine']);
    const other = scriptedModel(['swapped']);
    const waiting = engine.stream(agent({ name: 'listener', model }), 'b');
    waiting.use(other);
    waiting.pause();
    const step = waiting.step('effect');
    expect(waiting.send('and be quick')).toBe(true);
    expect(waiting.send('anybody?', 'listener/nobody')).toBe(false);
    expect([waiting.approve('call_0_0'), waiting.deny('call_0_0'), waiting.reply('yes')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(collect(waiting).events).toEqual([]);
    gate.open('a');
    await first.result;
    await step;
    const told = collect(waiting).events.map(({ type }) => type);
    expect(told[0]).toBe('run.started');
    expect(told).toEqual(expect.arrayContaining(['model.swapped', 'run.paused', 'message.sent']));
    waiting.resume();
    expect((await waiting.result).output).toBe('swapped');
    expect(JSON.stringify(other.requests[0]?.messages)).toContain('and be quick');
    expect(model.requests).toEqual([]);
  });

  it('does not count its wait as its own time', async () => {
    const clock = virtualClock();
    const { gate, engine, first } = await full();
    const waiting = engine.stream(parrot(), 'b', { clock });
    await clock.advance(60_000);
    gate.open('a');
    await first.result;
    expect((await waiting.result).totals.durationMs).toBe(0);
  });

  it('ends as failed if it cannot even begin, and the line goes on', async () => {
    const { gate, engine, first } = await full();
    const history = new Proxy([], {
      get: () => {
        throw new Error('not yours');
      },
    });
    const broken = rejection(engine.execute(parrot(), 'b', { history }));
    const next = engine.execute(parrot('next'), 'c');
    gate.open('a');
    await first.result;
    expect(await broken).toMatchObject({ code: 'internal', message: expect.stringContaining('not yours') });
    expect((await next).output).toBe('hello');
  });

  it('[ENG-24] is drained with the rest, or aborted with the rest', async () => {
    const one = await full();
    const waiting = one.engine.execute(one.walker, 'b');
    const drained = one.engine.shutdown();
    one.gate.open('a');
    await one.gate.came(2);
    one.gate.open('b');
    await drained;
    expect((await waiting).status).toBe('completed');

    const two = await full();
    const aborted = two.engine.execute(two.walker, 'b');
    await two.engine.shutdown({ drain: false });
    expect(await aborted).toMatchObject({ status: 'aborted', effects: [] });
    expect(two.gate.arrived).toEqual(['a']);
  });

  it('[ENG-24] a shutdown is closed to those whom its aborts wake', async () => {
    const { engine, walker, first } = await full();
    const found: unknown[] = [];
    const eager = {
      name: 'eager',
      on: 'run.started',
      handle: async () => {
        found.push(engine.isClosed);
        void engine.shutdown();
        found.push(await rejection(engine.execute(parrot(), 'me too')));
      },
    } as const;
    const waiting = engine.execute(walker, 'b', { hooks: [eager] });
    await engine.shutdown({ drain: false });
    expect(found).toMatchObject([true, { code: 'engine.closed' }]);
    expect([(await first.result).status, (await waiting).status]).toEqual(['aborted', 'aborted']);
  });

  it('[ENG-24] abort without a run id ends them all, and hurries a shutdown that drains', async () => {
    const { engine, walker, first } = await full();
    const waiting = engine.stream(walker, 'b');
    const shutdown = engine.shutdown();
    engine.abort('now');
    await shutdown;
    expect((await first.result).stopReason).toEqual({ kind: 'aborted', reason: 'now' });
    expect((await waiting.result).stopReason).toEqual({ kind: 'aborted', reason: 'now' });
  });
});

describe('what a global engine knows by name', () => {
  it('[ENG-15] two runs of one id are refused while one is under way', async () => {
    const gate = gated();
    const engine = createGlobalEngine();
    const walker = gateAgent(gate);
    const first = engine.execute(walker, 'a', { runId: 'r-1' });
    expect(await rejection(engine.execute(walker, 'b', { runId: 'r-1' }))).toMatchObject({
      code: 'run.duplicate',
      runId: 'r-1',
      message: "Cannot run 'walker' as a run with this id is under way: r-1",
    });
    gate.open('a');
    await gate.came(1);
    gate.open('a');
    await first;
    const again = engine.execute(walker, 'c', { runId: 'r-1' });
    await gate.came(2);
    gate.open('c');
    expect((await again).output).toBe('c is done');
  });

  it('refuses a second definition of a name, and not the first one again', async () => {
    const engine = createGlobalEngine();
    const first = parrot('twin');
    await engine.execute(first, 'hi');
    expect(await rejection(engine.execute(parrot('twin'), 'hi'))).toMatchObject({
      code: 'agent.duplicate',
      message:
        "Cannot run 'twin' as this engine knows another definition of that name: define it once, and share it",
    });
    expect((await engine.execute(first, 'hi')).output).toBe('hello');
    expect((await createGlobalEngine().execute(parrot('twin'), 'hi')).output).toBe('hello');
  });

  it('knows the members of teams too, and enters none of a team that it refuses', async () => {
    const engine = createGlobalEngine();
    const [twin, other] = [parrot('twin'), parrot('twin')];
    expect((await engine.execute(pipeline({ name: 'one', stages: [twin] }), 'hi')).output).toBe('hello');
    const refused = pipeline({ name: 'two', stages: [parrot('newcomer'), other] });
    expect(await rejection(engine.execute(refused, 'hi'))).toMatchObject({ code: 'agent.duplicate' });
    expect((await engine.execute(twin, 'hi')).output).toBe('hello');
    expect((await engine.execute(parrot('newcomer'), 'hi')).output).toBe('hello');
  });

  it('gives its model, clock, hooks and person to runs that bring none', async () => {
    const clock = virtualClock(5_000);
    const order: string[] = [];
    const engine = createGlobalEngine({
      model: scriptedModel(['from the engine']),
      clock,
      hooks: [{ name: 'outer', on: 'run.ended', handle: () => void order.push('engine') }],
    });
    const plain = agent({ name: 'plain' });
    const { output, events } = await engine.execute(plain, 'hi', {
      hooks: [{ name: 'inner', on: 'run.ended', handle: () => void order.push('run') }],
    });
    expect([output, events[0]?.at, order]).toEqual(['from the engine', 5_000, ['engine', 'run']]);
    const model = scriptedModel([calls({ name: 'nothing', input: {} }), 'from the run']);
    expect((await engine.execute(plain, 'hi', { model })).output).toBe('from the run');
  });
});
