import { describe, expect, it } from 'vitest';
import { createDisposableEngine } from '../../src/runtime/engines/disposable-engine.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { createRequestEngine } from '../../src/runtime/engines/request-engine.ts';
import { collect, gateAgent, gated, parrot, quiet, rejection } from './engine-kit.ts';

describe('the disposable engine', () => {
  it('[ENG-19] carries one run: a second is refused, even while the first goes on', async () => {
    const gate = gated();
    const engine = createDisposableEngine();
    const walker = gateAgent(gate);
    const first = engine.stream(walker, 'a');
    await gate.came(1);
    expect(engine.isClosed).toBe(true);
    expect(await rejection(engine.execute(walker, 'b'))).toMatchObject({ code: 'engine.closed' });
    expect(() => engine.stream(walker, 'b')).toThrow(expect.objectContaining({ code: 'engine.closed' }));
    gate.open('a');
    expect((await first.result).output).toBe('a is done');
    expect(await rejection(engine.execute(walker, 'c'))).toMatchObject({ code: 'engine.closed' });
  });

  it('[ENG-19] shuts down by itself when its run is over', async () => {
    const closed: string[] = [];
    const pool = { name: 'pool', close: () => void closed.push('pool') };
    const engine = createDisposableEngine({ resources: [pool] });
    const seen = collect(engine);
    await engine.execute(parrot(), 'hi');
    expect([closed, seen.isComplete]).toEqual([['pool'], true]);

    const other = createDisposableEngine({ resources: [pool] });
    await other.stream(parrot(), 'hi').result;
    await other.shutdown();
    expect(closed).toEqual(['pool', 'pool']);
  });

  it('gives the end of the run where something could not be closed, and shutdown says what', async () => {
    const pool = { name: 'pool', close: () => Promise.reject(new Error('stuck')) };
    const engine = createDisposableEngine({ resources: [pool] });
    expect((await engine.execute(parrot(), 'hi')).output).toBe('hello');
    expect(await rejection(engine.shutdown())).toMatchObject({ code: 'engine.resource-failed' });
  });

  it('[ENG-19] touches nothing global: names, globals and other engines are as they were', async () => {
    const before = Object.getOwnPropertyNames(globalThis);
    const listeners = process.eventNames().map((name) => process.listenerCount(name));
    const engine = createGlobalEngine();
    const mine = parrot('twin', 'mine');
    await engine.execute(mine, 'hi');
    // The same name, another definition: no concern of anybody else.
    expect((await createDisposableEngine().execute(parrot('twin', 'yours'), 'hi')).output).toBe('yours');
    expect((await engine.execute(mine, 'hi')).output).toBe('mine');
    expect(Object.getOwnPropertyNames(globalThis)).toEqual(before);
    expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(listeners);
  });

  it('[ENG-20] costs next to nothing to make: 10,000 engines of each flavour, no handle or timer', async () => {
    await quiet();
    // Node schedules immediates of its own after a garbage collection.
    const held = () => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate');
    const before = held();
    const shared = createGlobalEngine();
    const startedAt = process.cpuUsage();
    const engines = Array.from({ length: 10_000 }, (_, index) => [
      createGlobalEngine({ concurrency: 4 }),
      createRequestEngine(shared, { index }),
      createDisposableEngine(),
    ]);
    const { user, system } = process.cpuUsage(startedAt);
    const elapsed = (user + system) / 1_000;
    expect(engines).toHaveLength(10_000);
    expect(held()).toEqual(before);
    // In ms of the processor; measured at about 30. A bound for what would be I/O, not for how fast this machine is.
    expect(elapsed).toBeLessThan(3_000);
  });
});
