import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Tool } from '../../src/contracts/tools/tool.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { circuitBreaker, concurrencyPool, rateLimit, shared, sharedTool } from '../../src/index.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { hang, letTimePass, quiet, settled, start } from '../support/runs.ts';

const once = (
  name: string,
  wanted: Tool,
  model = scriptedModel([calls({ name: wanted.name, input: {} }), 'done']),
) => agent({ name, model, tools: [wanted] });

describe('a shared tool', () => {
  test('what a child is given on its way reaches it, though its place is lent meanwhile', async () => {
    const child = agent({ name: 'child', decide: () => new Promise<never>(() => undefined) });
    const give = tool({
      name: 'give',
      description: 'Gives work away.',
      input: z.object({}),
      execute: async (_input, context) => (await context.run(child, 'go', { timeoutMs: 1 })).output ?? '',
    });
    const lead = agent({
      name: 'lead',
      model: scriptedModel([calls({ name: 'give', input: {} }), 'done']),
      tools: [sharedTool(give, { pool: concurrencyPool(1) })],
    });
    const result = await settled(start(lead, 'go'));
    const [call] = result.events.filter((event) => event.type === 'tool.finished');
    expect(call).toMatchObject({ ok: false, error: { code: 'agent.timeout' } });
  });

  test('[M61] a pool of one place, agents nested three deep, models in the same pool: nobody waits for ever', async () => {
    const pool = concurrencyPool(1, { waitMs: Infinity });
    const busy: string[] = [];
    const nested = (depth: number): ReturnType<typeof once> => {
      const dig = tool({
        name: 'dig',
        description: 'Digs.',
        input: z.object({}),
        execute: async (_input, context) => {
          expect(pool.taken).toBe(1);
          busy.push(context.path);
          if (depth < 3) await context.run(nested(depth + 1), 'dig');
          expect(pool.taken).toBe(1);
          return `at ${depth}`;
        },
      });
      const model = scriptedModel([calls({ name: 'dig', input: {} }), `${depth}`]);
      return agent({
        name: `d${depth}`,
        model: shared(model, { pool }),
        tools: [sharedTool(dig, { pool })],
      });
    };
    const result = await settled(start(nested(0), 'dig'));
    expect(result.output).toBe('0');
    expect(busy).toHaveLength(4);
    expect({ taken: pool.taken, waiting: pool.waiting }).toEqual({ taken: 0, waiting: 0 });
  });

  test('who asks a person gives its place away meanwhile', async () => {
    const pool = concurrencyPool(1);
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      input: z.object({}),
      execute: (_input, context) => context.ask('Really?'),
    });
    const handle = start(once('a', sharedTool(ask, { pool })), 'go');
    await quiet();
    expect(pool.taken).toBe(0);
    handle.reply('yes');
    expect((await handle.result).output).toBe('done');
    expect(pool.taken).toBe(0);
  });

  test('an open breaker is a failed result, not an exception: the agent goes on', async () => {
    const clock = virtualClock();
    const breaker = circuitBreaker({ failures: 2, clock });
    const broken = tool({
      name: 'broken',
      description: 'Is broken.',
      input: z.object({}),
      retry: false,
      execute: () => {
        throw new Error('broken');
      },
    });
    const wanted = calls({ name: 'broken', input: {} });
    const worker = once(
      'worker',
      sharedTool(broken, { breaker }),
      scriptedModel([wanted, wanted, wanted, 'without it']),
    );
    const { output, records } = await settled(start(worker, 'go', { clock }));
    expect(output).toBe('without it');
    const results = records.flatMap((record) => record.results);
    expect(results.map((result) => (result.ok ? 'ok' : result.error.code))).toEqual([
      'tool.failed',
      'tool.failed',
      'resource.open',
    ]);
  });

  test('a time-out counts against the tool, an abort does not, and either leaves the place', async () => {
    const clock = virtualClock();
    const breaker = circuitBreaker({ failures: 1, clock });
    const pool = concurrencyPool(1, { clock });
    const aborted = start(once('a', sharedTool(hang, { breaker, pool })), 'go', { clock });
    await quiet();
    expect(pool.taken).toBe(1);
    aborted.abort();
    await quiet();
    expect({ taken: pool.taken, state: breaker.state }).toEqual({ taken: 0, state: 'closed' });
    const slow: Tool = { ...hang, timeoutMs: 1_000, retry: { ...hang.retry, attempts: 1 } };
    const late = settled(start(once('b', sharedTool(slow, { breaker, pool })), 'go', { clock }));
    await letTimePass(clock, late);
    expect({ taken: pool.taken, state: breaker.state }).toEqual({ taken: 0, state: 'open' });
  });

  test('a call that waits in line and is called off never begins', async () => {
    const clock = virtualClock();
    const rate = rateLimit({ perMinute: 1, clock });
    let done = 0;
    const quick = tool({
      name: 'quick',
      description: 'Is quick.',
      input: z.object({}),
      execute: () => (done += 1),
    });
    const wanted = sharedTool(quick, { rate });
    await settled(start(once('a', wanted), 'go', { clock }));
    const second = start(once('b', wanted), 'go', { clock });
    await quiet();
    second.abort();
    await second.result;
    await clock.advance(120_000);
    expect({ done, waiting: rate.waiting, pending: clock.pending }).toEqual({
      done: 1,
      waiting: 0,
      pending: 0,
    });
  });

  test('called off in the very moment of its turn, it does nothing', async () => {
    const pool = concurrencyPool(1);
    const place = await pool.enter();
    let done = 0;
    const quick = tool({
      name: 'quick',
      description: 'Is quick.',
      input: z.object({}),
      execute: () => (done += 1),
    });
    const handle = start(once('a', sharedTool(quick, { pool })), 'go');
    await quiet();
    place.leave();
    handle.abort();
    await handle.result;
    await quiet();
    expect({ done, taken: pool.taken }).toEqual({ done: 0, taken: 0 });
  });

  test('is the tool in all else', async () => {
    const asked: string[] = [];
    const inner = tool({
      name: 'careful',
      description: 'Is careful.',
      input: z.object({ a: z.number() }),
      safety: 'danger',
      idempotent: true,
      describe: ({ a }) => `careful with ${a}`,
      whatBecame: (key) => {
        asked.push(key);
        return undefined;
      },
      execute: () => Promise.reject(new TroupeError('tool.denied', 'no')),
    });
    const wrapped = sharedTool(inner, {});
    expect(wrapped).toMatchObject({
      name: 'careful',
      safety: 'danger',
      idempotent: true,
      exclusive: true,
      timeoutMs: 60_000,
      parameters: inner.parameters,
    });
    expect(wrapped.needsApproval({ a: 1 })).toBe(true);
    expect(wrapped.describe({ a: 1 })).toBe('careful with 1');
    expect(await wrapped.check({ a: 'x' })).toMatchObject({ ok: false });
    await wrapped.whatBecame?.('key', { signal: new AbortController().signal });
    expect(asked).toEqual(['key']);
  });
});
