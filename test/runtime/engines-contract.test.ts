import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import type { Critic } from '../../src/contracts/agents/critic.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createDisposableEngine } from '../../src/runtime/engines/disposable-engine.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { createRequestEngine } from '../../src/runtime/engines/request-engine.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { collect, flavours, gateAgent, gated, parrot, quiet, rejection } from './engine-kit.ts';

/** What holds for an engine, whatever its flavour. */
describe.each(flavours)('[ENG-21] the $kind engine keeps the contract', ({ kind, make }) => {
  it('says what it is', async () => {
    await using engine = make();
    expect(engine.kind).toBe(kind);
    expect(engine.isClosed).toBe(false);
    expect(engine.concurrency).toBe(kind === 'disposable' ? 1 : Infinity);
  });

  it('[ENG-01] takes one run from its start to its end, phase by phase', async () => {
    const gate = gated();
    const model = scriptedModel([
      calls({ name: 'wait_for', input: { name: 'one' } }),
      calls({ name: 'wait_for', input: { name: 'two' } }),
      'done',
    ]);
    const walker = agent({ name: 'walker', tools: [gate.tool], model, critics: [accepting] });
    const run = make().execute(walker, 'go');
    await gate.came(1);
    gate.open('one');
    await gate.came(2);
    gate.open('two');
    const { events, records, output } = await run;
    const phases = events
      .flatMap((event) => (event.type === 'phase.entered' ? [event.phase] : []))
      .filter((phase) => phase !== 'OBSERVE' && phase !== 'preparing');
    expect(output).toBe('done');
    expect(records).toHaveLength(3);
    expect(phases.join(' ')).toBe(
      'DECIDE ACT REDUCE CHECK_STOP DECIDE ACT REDUCE CHECK_STOP DECIDE REDUCE CRITIC CHECK_STOP completed',
    );
  });

  it('[ENG-03] resolves with the result, or rejects with a structured error', async () => {
    expect(await make().execute(parrot(), 'hi')).toMatchObject({ status: 'completed', output: 'hello' });
    const fragile = agent({
      name: 'fragile',
      decide: () => {
        throw new RangeError('out of range');
      },
    });
    const error = await rejection(make().execute(fragile, 'hi'));
    expect(isTroupeError(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'agent.threw',
      phase: 'DECIDE',
      step: 0,
      cause: { name: 'RangeError', message: 'out of range' },
    });
  });

  it('[ENG-04] tells its events while the run goes on, by handle and by engine', async () => {
    const gate = gated();
    const engine = make();
    const all = collect(engine);
    const handle = engine.stream(gateAgent(gate), 'a');
    const own = collect(handle);
    await gate.came(1);
    expect(own.events.some(({ type }) => type === 'tool.started')).toBe(true);
    expect(all.events).toEqual(own.events);
    gate.open('a');
    const { events } = await handle.result;
    expect(own.events).toEqual(events);
    expect(all.events).toEqual(events);
    expect(own.isComplete).toBe(true);
  });

  it('[ENG-10] ends within a tick when its signal fires in the middle of a tool that hangs', async () => {
    const gate = gated();
    const controller = new AbortController();
    const run = make().execute(gateAgent(gate), 'a', { signal: controller.signal });
    await gate.came(1);
    controller.abort(new Error('the user left'));
    await quiet();
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(await run).toMatchObject({
      status: 'aborted',
      stopReason: { kind: 'aborted', reason: 'the user left' },
    });
  });

  it('[ENG-11] needs nothing but an agent that brings what it needs', async () => {
    expect(process.env['TROUPE_MODEL'] ?? process.env['OPENAI_API_KEY']).toBeUndefined();
    const prepared = agent({ name: 'prepared', model: scriptedModel(['mine']) });
    expect((await make().execute(prepared, 'hi')).output).toBe('mine');
  });

  it('[ENG-13] gives the same outputs and records with observers and without', async () => {
    const shown: string[] = [];
    const run = async (isWatched: boolean) => {
      const engine = make();
      if (isWatched)
        engine.events$.subscribe(({ type }) => {
          shown.push(type);
          throw new Error('an observer broke');
        });
      const model = scriptedModel([calls({ name: 'nothing_there', input: {} }), 'done']);
      const clock = virtualClock();
      return engine.execute(agent({ name: 'a', model }), 'hi', { runId: 'r', clock });
    };
    const [bare, watched] = [await run(false), await run(true)];
    // Told of each event that it failed on, not of those about itself, and never after the last one.
    const failures = watched.events.filter(({ type }) => type === 'observer.failed');
    expect(failures).toHaveLength(shown.filter((type) => !/^(observer.failed|run.ended)$/.test(type)).length);
    expect(watched.events.at(-1)?.type).toBe('run.ended');
    expect(watched.records).toEqual(bare.records);
    expect([watched.output, watched.totals, watched.effects]).toEqual([
      bare.output,
      bare.totals,
      bare.effects,
    ]);
  });

  it('refuses what only looks like an agent', async () => {
    const engine = make();
    const lookalike: Agent = { ...parrot() };
    expect(await rejection(engine.execute(lookalike, 'hi'))).toMatchObject({ code: 'agent.invalid' });
    expect(() => engine.stream(lookalike, 'hi')).toThrow(expect.objectContaining({ code: 'agent.invalid' }));
    // Nothing ran: the engine is as it was.
    expect((await engine.execute(parrot(), 'hi')).output).toBe('hello');
  });

  it('[ENG-24] abort ends what is under way and does not close; shutdown does', async () => {
    const gate = gated();
    const engine = make();
    const isOneWay = kind === 'disposable';
    const run = engine.stream(gateAgent(gate), 'a');
    await gate.came(1);
    engine.abort('no use', 'somebody else');
    await quiet();
    expect(gate.signals[0]?.aborted).toBe(false);
    engine.abort('enough', run.runId);
    expect((await run.result).stopReason).toEqual({ kind: 'aborted', reason: 'enough' });
    engine.abort('nothing is left');
    expect(engine.isClosed).toBe(isOneWay);
    const next = await rejection(engine.execute(parrot(), 'hi'));
    expect(isTroupeError(next, 'engine.closed')).toBe(isOneWay);
    expect(next === undefined).toBe(!isOneWay);
    await engine.shutdown();
    expect(engine.isClosed).toBe(true);
  });

  it('[ENG-14] refuses runs after shutdown, and its events are complete', async () => {
    const engine = make();
    const seen = collect(engine);
    await engine.shutdown();
    expect(seen.isComplete).toBe(true);
    expect(collect(engine).isComplete).toBe(true);
    expect(await rejection(engine.execute(parrot(), 'hi'))).toMatchObject({ code: 'engine.closed' });
    expect(() => engine.stream(parrot(), 'hi')).toThrow(expect.objectContaining({ code: 'engine.closed' }));
  });

  it('[ENG-24] drains by default: the run that it has comes to its end', async () => {
    const gate = gated();
    const engine = make();
    const seen = collect(engine);
    const run = engine.execute(gateAgent(gate), 'a');
    await gate.came(1);
    const shutdown = engine.shutdown();
    expect(engine.isClosed).toBe(true);
    await quiet();
    expect(seen.isComplete).toBe(false);
    gate.open('a');
    expect((await run).output).toBe('a is done');
    await shutdown;
    expect(seen.events.at(-1)).toMatchObject({ type: 'run.ended', status: 'completed' });
    expect(seen.isComplete).toBe(true);
  });

  it('[ENG-24] aborts instead of draining where it is told to', async () => {
    const gate = gated();
    const engine = make();
    const run = engine.execute(gateAgent(gate), 'a');
    await gate.came(1);
    await engine.shutdown({ drain: false, reason: 'deploying' });
    expect((await run).stopReason).toEqual({ kind: 'aborted', reason: 'deploying' });
  });

  it('is closed by `await using`', async () => {
    const engine = make();
    {
      await using scope = engine;
      await scope.execute(parrot(), 'hi');
    }
    expect(engine.isClosed).toBe(true);
  });
});

const accepting: Critic = { name: 'content', critique: () => ({ verdict: 'accept' }) };

/** Flushing and closing are done in one way by all three. */
describe.each([
  { kind: 'global', make: createGlobalEngine },
  {
    kind: 'request',
    make: (options: Parameters<typeof createGlobalEngine>[0]) =>
      createRequestEngine(createGlobalEngine(), undefined, options),
  },
  { kind: 'disposable', make: createDisposableEngine },
] as const)('[ENG-17] at its shutdown the $kind engine', ({ make }) => {
  const spied = (name: string, steps: string[]) => ({
    name,
    flush: () => {
      steps.push(`flush ${name}`);
    },
    close: () => {
      steps.push(`close ${name}`);
    },
  });

  it('flushes in order, then closes in reverse, once', async () => {
    const steps: string[] = [];
    const engine = make({
      resources: [spied('pool', steps), { name: 'nothing' }, spied('buffer', steps)],
      flush: async () => {
        await quiet();
        steps.push('flush metrics');
      },
      hooks: [
        {
          name: 'audit',
          on: 'run.ended',
          handle: async () => {
            for (let turn = 0; turn < 10; turn += 1) await quiet();
            steps.push('audit is written');
          },
        },
      ],
    });
    await engine.execute(parrot(), 'hi');
    const first = engine.shutdown();
    expect(engine.shutdown({ drain: false })).toBe(first);
    await first;
    await engine.shutdown();
    expect(steps.filter((step) => step !== 'audit is written')).toEqual([
      'flush metrics',
      'flush pool',
      'flush buffer',
      'close buffer',
      'close pool',
    ]);
    expect(steps.indexOf('audit is written')).toBe(0);
  });

  it('does the rest where something fails, and says all that did', async () => {
    const steps: string[] = [];
    const broken = {
      name: 'broken',
      flush: () => Promise.reject(new Error('disk full')),
      close: () => {
        throw new Error('stuck');
      },
    };
    const engine = make({ resources: [spied('pool', steps), broken, spied('buffer', steps)] });
    expect(await rejection(engine.shutdown())).toMatchObject({
      code: 'engine.resource-failed',
      message:
        "Cannot close all that the engine owns as something failed: flush of 'broken': disk full; close of 'broken': stuck",
    });
    expect(steps).toEqual(['flush pool', 'flush buffer', 'close buffer', 'close pool']);
  });
});
