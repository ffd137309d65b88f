import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { KeyedQueue } from '../../src/base/collections/keyed-queue.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import {
  agent,
  concurrencyPool,
  createGlobalEngine,
  createRequestEngine,
  locks,
  perProvider,
  rateLimit,
  shared,
  sharedTool,
  tool,
} from '../../src/index.ts';
import { Quotas } from '../../src/runtime/resources/quotas.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { deferred, letTimePass, never, quiet, settled, start } from '../support/runs.ts';
import { manualClock, microtasks, search } from './manual-clock.ts';

/** The tenant of a run: its context is the tenant's name. */
const by = (context: unknown): string | undefined => (typeof context === 'string' ? context : undefined);

/** Contexts of a tenant that floods, and last of one that has a single call. */
const flood: readonly string[] = [...Array.from({ length: 1_000 }, () => 'flood'), 'small'];

/** A model that says for whom it was asked, in order; it answers once it may. */
const noting = (may: Promise<void> = Promise.resolve()) => {
  const served: unknown[] = [];
  const model: Model = {
    provider: 'acme',
    id: 'large',
    answer: async (_, { context }) => {
      served.push(context);
      await may;
      return modelAnswer({ text: 'done', usage: { input: 10, output: 5 } });
    },
  };
  return { served, model };
};

/** The code of the error that an act throws, if it does. */
const codeOf = (act: () => unknown): unknown => {
  try {
    act();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? Reflect.get(thrown, 'code') : thrown;
  }
};

describe('keys that take turns', () => {
  const step = fc.record({ kind: fc.constantFrom('add', 'add', 'take', 'leave'), key: fc.nat(4) });

  test('each in its own order, and none twice between two turns of another that waits', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new KeyedQueue<{ readonly key: string; readonly n: number }>();
        const waiting = new Map<string, number[]>();
        /** Turns of others since a key has had its own, or has joined. */
        const passed = new Map<string, string[]>();
        let n = 0;
        for (const { kind, key: given } of steps) {
          const key = String(given);
          const own = waiting.get(key) ?? [];
          if (kind === 'add') {
            n += 1;
            queue.add({ key, n }, key);
            waiting.set(key, [...own, n]);
            if (own.length === 0) passed.set(key, []);
            continue;
          }
          const next = kind === 'take' ? [...queue][0] : [...queue].find((item) => item.key === key);
          if (next === undefined) continue;
          const line = waiting.get(next.key) ?? [];
          expect(next.n).toBe(line[0]);
          waiting.set(next.key, line.slice(1));
          const isGone = kind === 'leave' ? queue.delete(next, next.key) : queue.take(next, next.key);
          expect(isGone).toBe(true);
          if (kind === 'leave') continue;
          for (const [other, turns] of passed) {
            if (other === next.key || (waiting.get(other) ?? []).length === 0) continue;
            expect(turns).not.toContain(next.key);
            turns.push(next.key);
          }
          passed.set(next.key, []);
        }
        expect(queue.size).toBe([...waiting.values()].flat().length);
        expect(queue.take({ key: '0', n: -1 }, '0')).toBe(false);
      }),
      search,
    );
  });
});

describe('a tenant with 1,000 calls delays one with 1 call by at most two turns', () => {
  test('[M83] in a pool', async () => {
    const pool = concurrencyPool(1, { by });
    const order: unknown[] = [];
    const all = flood.map((context) => pool.use(() => void order.push(context), { context }));
    await Promise.all(all);
    // The first has the place at once; then the tenants take turns.
    expect(order.indexOf('small')).toBe(2);
    expect(order).toHaveLength(1_001);
  });

  test('[M83] at a rate limit', async () => {
    const time = manualClock();
    const rate = rateLimit({ perSecond: 1, waitMs: Infinity, clock: time.clock, by });
    const order: unknown[] = [];
    for (const context of flood) void Promise.resolve(rate.take({ context })).then(() => order.push(context));
    await time.advance(3_000);
    expect(order).toEqual(['flood', 'flood', 'small', 'flood']);
  });

  const shareModel = (model: Model) => {
    const pool = concurrencyPool(1, { by });
    return { model: shared(model, { pool }), pool, resources: [] };
  };
  const shareProvider = (model: Model) => {
    const providers = perProvider({ by, limits: { acme: { concurrency: 1 } } });
    return { model, pool: providers.of('acme')?.pool, resources: [providers] };
  };

  test.each([
    ['a shared model', shareModel],
    ['the models of an engine', shareProvider],
  ])(
    '[M83] by the context of runs: %s',
    async (_, share) => {
      const may = deferred<void>();
      const { served, model } = noting(may.promise);
      const { model: asked, pool, resources } = share(model);
      const engine = createGlobalEngine({ resources });
      const clerk = agent({ name: 'clerk', model: asked });
      const runs = flood.map((context) => engine.execute(clerk, 'go', { context }));
      while ((pool?.waiting ?? 0) < 1_000) await quiet();
      may.resolve();
      await Promise.all(runs);
      expect(served.indexOf('small')).toBeLessThanOrEqual(2);
      expect(served).toHaveLength(1_001);
    },
    120_000,
  );

  test('[M83] by the context of runs: a shared tool', async () => {
    const served: unknown[] = [];
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      execute: async (_, { context }) => {
        served.push(context);
        await quiet();
        return 'seen';
      },
    });
    const clerk = agent({
      name: 'clerk',
      tools: [sharedTool(look, { pool: concurrencyPool(1, { by }) })],
      decide: ({ step }) => (step === 0 ? act({ name: 'look', input: {} }) : answer('done')),
    });
    await Promise.all(flood.slice(-20).map((context) => settled(start(clerk, 'go', { context }))));
    expect(served.indexOf('small')).toBeLessThanOrEqual(3);
    expect(served).toHaveLength(20);
  });

  test('[M83] [ENG-18] in the queue of an engine, which refuses only who floods it', async () => {
    const order: unknown[] = [];
    const clerk = agent({
      name: 'clerk',
      decide: async ({ context }) => {
        order.push(context);
        await microtasks();
        return answer('done');
      },
    });
    const engine = createGlobalEngine({ admission: { concurrency: 2, queue: 998 }, by });
    const runs = flood.map((context) => createRequestEngine(engine, context).execute(clerk, 'go'));
    await expect(engine.execute(clerk, 'go', { context: 'flood' })).rejects.toMatchObject({
      code: 'engine.full',
    });
    await Promise.all(runs);
    expect(order.indexOf('small')).toBeLessThanOrEqual(4);
    expect(order).toHaveLength(1_001);
  }, 60_000);

  test('and without `by` it waits for all of them, in order', async () => {
    const pool = concurrencyPool(1);
    const order: unknown[] = [];
    await Promise.all(flood.map((context) => pool.use(() => void order.push(context), { context })));
    expect(order.indexOf('small')).toBe(1_000);
  });
});

describe('a quota of each tenant', () => {
  test('[M83] refuses calls beyond it, and no other tenant; the window gives them back', async () => {
    const time = manualClock();
    const rate = rateLimit({ by, quota: { calls: 2, perMs: 1_000 }, clock: time.clock, name: 'plan' });
    const take = async (context: unknown) => rate.take({ context });
    await take('acme');
    await time.advance(400);
    await take('acme');
    await expect(take('acme')).rejects.toMatchObject({
      code: 'budget.spent',
      retryable: 'no',
      retryAfterMs: 600,
      message:
        "Cannot call now as the quota of the rate limit 'plan' is spent: 2 calls in 1000 ms, look again in 600 ms",
    });
    await take('other');
    await time.advance(600);
    await take('acme');
    await expect(take('acme')).rejects.toMatchObject({ retryAfterMs: 400 });
  });

  test('[M83] counts tokens: those that a call used, not those that it was thought to', async () => {
    const rate = rateLimit({ by, quota: { tokens: 100, perMs: 1_000 }, clock: manualClock().clock });
    const take = async (tokens: number) => rate.take({ context: 'acme', tokens });
    expect(rate.limitsTokens).toBe(true);
    const first = await take(90);
    await expect(take(20)).rejects.toMatchObject({ code: 'budget.spent' });
    first.settle(30);
    const second = await take(70);
    await expect(take(1)).rejects.toMatchObject({ code: 'budget.spent' });
    second.giveBack();
    await take(70);
  });

  test('counts calls that wait, and gives back those that leave', async () => {
    const time = manualClock();
    const rate = rateLimit({ by, perSecond: 1, quota: { calls: 2, perMs: 60_000 }, clock: time.clock });
    await rate.take({ context: 'acme' });
    const caller = new AbortController();
    const waiting = rate.take({ context: 'acme', signal: caller.signal });
    await expect(rate.take({ context: 'acme' })).rejects.toMatchObject({ code: 'budget.spent' });
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'run.aborted' });
    const again = rate.take({ context: 'acme' });
    await time.advance(1_000);
    await again;
  });

  test('never lets more pass than it is in any window, for whichever tenant', () => {
    const steps = fc.array(fc.record({ ms: fc.nat(400), key: fc.nat(3) }), { maxLength: 80 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (given, calls) => {
        const quotas = new Quotas({ calls, perMs: 1_000 });
        const passed = new Map<number, number[]>();
        let now = 0;
        for (const { ms, key } of given) {
          now += ms;
          const own = passed.get(key) ?? [];
          const used = own.filter((at) => at > now - 1_000).length;
          expect(codeOf(() => quotas.take(String(key), 0, now, 'it'))).toBe(
            used >= calls ? 'budget.spent' : undefined,
          );
          if (used < calls) passed.set(key, [...own, now]);
        }
      }),
      search,
    );
  });

  test('[M83] ends a run in the typed error, and is that of a tool, too', async () => {
    const { model } = noting();
    const limits = { rate: rateLimit({ by, quota: { calls: 1, perMs: 60_000 } }) };
    const clerk = agent({ name: 'clerk', model: shared(model, limits) });
    expect((await settled(start(clerk, 'go', { context: 'acme' }))).status).toBe('completed');
    const refused = await settled(start(clerk, 'go', { context: 'acme' }));
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'budget.spent' } });
    expect((await settled(start(clerk, 'go', { context: 'other' }))).status).toBe('completed');
  });
});

describe('what tells tenants apart', () => {
  // As a JavaScript caller might.
  const odd = (() => 7) as unknown as () => string;
  const throwing = (): string => {
    throw new Error('no tenant');
  };

  test.each([
    ['returns no text', odd, 'its `by` returned no text: found 7'],
    ['throws', throwing, 'its `by` threw'],
  ])('refuses each call where it %s, and says so', async (_, wrong, words) => {
    const refusal = (code: string) => ({ code, message: expect.stringContaining(words) });
    await expect(concurrencyPool(1, { by: wrong }).use(() => 1)).rejects.toMatchObject(
      refusal('resource.invalid'),
    );
    const rate = rateLimit({ perSecond: 1, by: wrong });
    await expect(rate.take()).rejects.toMatchObject(refusal('resource.invalid'));
    const engine = createGlobalEngine({ by: wrong });
    await expect(engine.execute(agent({ name: 'a', decide: () => answer('x') }), 'go')).rejects.toMatchObject(
      refusal('engine.invalid'),
    );
  });

  test('has to be a function, and a quota has to bound something', () => {
    // As a JavaScript caller might.
    const name = 'acme' as unknown as () => string;
    const invalid = (code: string, words: string) =>
      expect.objectContaining({ code, message: expect.stringContaining(words) });
    expect(() => concurrencyPool(1, { by: name })).toThrow(invalid('resource.invalid', 'by'));
    expect(() => rateLimit({ perSecond: 1, by: name })).toThrow(invalid('resource.invalid', 'by'));
    expect(() => createGlobalEngine({ by: name })).toThrow(
      invalid('engine.invalid', 'its by is no function'),
    );
    expect(() => rateLimit({ quota: { perMs: 1_000 } })).toThrow(
      invalid('resource.invalid', 'missing: give it calls or tokens'),
    );
    expect(() => rateLimit({ quota: { calls: 0, perMs: 1_000 } })).toThrow(
      invalid('resource.invalid', 'calls'),
    );
    expect(() => rateLimit({ quota: { calls: 1, perMs: 0 } })).toThrow(invalid('resource.invalid', 'perMs'));
  });

  test('those for whom it names nobody are one party, and none that a name may be', async () => {
    const rate = rateLimit({ by, quota: { calls: 1, perMs: 1_000 }, clock: manualClock().clock });
    await rate.take({ context: '' });
    await rate.take({ context: 1 });
    await expect(rate.take({ context: 2 })).rejects.toMatchObject({ code: 'budget.spent' });
  });
});

test('[M83] a lock that is busy does not say which run of another tenant has it', async () => {
  const clock = virtualClock();
  const files = locks({ clock });
  const started = deferred<void>();
  const edit = tool({
    name: 'edit',
    description: 'Edits.',
    input: z.object({}),
    timeoutMs: Infinity,
    execute: () => {
      started.resolve();
      return never<string>();
    },
  });
  const editor = agent({
    name: 'editor',
    tools: [files.locked(edit, 'file', { leaseMs: 600_000, waitMs: 1_000 })],
    decide: ({ step }) => (step === 0 ? act({ name: 'edit', input: {} }) : answer('done')),
  });
  const holder = start(editor, 'go', { clock, runId: 'run-of-acme' });
  await started.promise;
  const other = await letTimePass(clock, settled(start(editor, 'go', { clock, runId: 'run-of-other' })));
  expect(JSON.stringify(other)).toContain('a call of another run has it');
  expect(JSON.stringify(other)).not.toContain('acme');
  holder.abort();
  await settled(holder);
});
