import { describe, expect, test } from 'vitest';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { gateAgent, gated, quiet, rejection } from '../runtime/engine-kit.ts';

describe('the admission of an engine', () => {
  test('[KAIZEN-53] ten at once, a thousand in line, and the next is refused and told when to come back', async () => {
    const gate = gated();
    const engine = createGlobalEngine({ admission: { perAgent: Infinity } });
    const walker = gateAgent(gate);
    const runs = Array.from({ length: 1_010 }, (_, index) => engine.execute(walker, `r${index}`));
    await gate.came(10);
    await quiet();
    expect({ concurrency: engine.concurrency, arrived: gate.arrived.length }).toEqual({
      concurrency: 10,
      arrived: 10,
    });
    expect(await rejection(engine.execute(walker, 'one more'))).toMatchObject({
      code: 'engine.full',
      retryable: 'yes',
      retryAfterMs: 100,
    });
    gate.open('r0');
    await runs[0];
    await gate.came(11);
    expect(gate.arrived[10]).toBe('r10');
    const late = engine.execute(walker, 'there is room again');
    engine.abort('enough');
    const ends = await Promise.allSettled([...runs, late]);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1_011);
  });

  test('[KAIZEN-53] one agent that has all it may have keeps nobody else waiting', async () => {
    const gate = gated();
    const engine = createGlobalEngine({ admission: { concurrency: 3, perAgent: 1 } });
    const [busy, other] = [gateAgent(gate, 'busy'), gateAgent(gate, 'other')];
    const runs = [engine.execute(busy, 'b1'), engine.execute(busy, 'b2'), engine.execute(other, 'o1')];
    await gate.came(2);
    await quiet();
    expect(gate.arrived).toEqual(['b1', 'o1']);
    gate.open('b1');
    await gate.came(3);
    for (const name of ['b2', 'o1']) gate.open(name);
    await Promise.all(runs);
    expect(gate.arrived).toEqual(['b1', 'o1', 'b2']);
  });

  test('[KAIZEN-53] a shutdown lets runs go on for 30 s, then aborts them, and leaves no timer', async () => {
    const clock = virtualClock();
    const gate = gated();
    const engine = createGlobalEngine({ admission: {}, clock });
    const run = engine.execute(gateAgent(gate), 'stays');
    await gate.came(1);
    const closing = engine.shutdown();
    await clock.advance(29_999);
    expect(gate.signals[0]?.aborted).toBe(false);
    await clock.advance(1);
    await closing;
    expect((await run).status).toBe('aborted');
    expect(clock.pending).toBe(0);
  });

  test('nothing waits where nothing may; what is wrong is said', async () => {
    const gate = gated();
    const engine = createGlobalEngine({ admission: { concurrency: 1, queue: 0 } });
    const walker = gateAgent(gate);
    const run = engine.execute(walker, 'a');
    expect(await rejection(engine.execute(walker, 'b'))).toMatchObject({
      code: 'engine.full',
      retryAfterMs: 1_000,
    });
    await gate.came(1);
    gate.open('a');
    await run;
    for (const options of [
      { admission: { queue: -1 } },
      { admission: { perAgent: 0 } },
      { admission: {}, concurrency: 2 },
    ])
      expect(() => createGlobalEngine(options)).toThrow(expect.objectContaining({ code: 'engine.invalid' }));
  });
});
