import { describe, expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { LiveEvent } from '../../src/contracts/events/event.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import type { ModelCall, ModelRequest } from '../../src/contracts/models/model.ts';
import {
  circuitBreaker,
  concurrencyPool,
  perProvider,
  providerHealth,
  rateLimit,
  shared,
} from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, never, ofType, quiet, settled, start } from '../support/runs.ts';
import { manualClock, microtasks } from './manual-clock.ts';
import { isThorough } from '../support/thorough.ts';

/** A provider that answers after 20 ms, with 429 to all that come within its first time, and notes when each came. */
const limitedProvider = (clock: VirtualClock, busyMs: number, retryAfterMs: number) => {
  const times: number[] = [];
  const model: Model = {
    provider: 'acme',
    id: 'large',
    isLanguageModel: false,
    answer: () => {
      const cameAt = clock.now();
      times.push(cameAt);
      return new Promise((resolve, reject) => {
        clock.setTimeout(() => {
          if (cameAt >= busyMs) resolve(modelAnswer({ text: 'done', usage: { input: 1, output: 1 } }));
          else reject(new TroupeError('model.rate-limited', 'slow down', { retryable: 'yes', retryAfterMs }));
        }, 20);
      });
    },
  };
  return { model, times };
};

const down = (id: string): Model => ({
  provider: 'acme',
  id,
  answer: () => {
    throw new TroupeError('model.unavailable', 'out of order');
  },
});

const fits = (times: readonly number[], limit: number): boolean =>
  times.every((from) => times.filter((at) => at >= from && at < from + 1_000).length <= limit);

describe('a shared model', () => {
  if (isThorough)
    test('[KAIZEN-53] 1,000 agents that meet a 429 together stay under the limit in every second', async () => {
      const clock = virtualClock();
      const { model, times } = limitedProvider(clock, 500, 5_000);
      const rate = rateLimit({ perSecond: 100, clock });
      const runs = Array.from({ length: 1_000 }, (_, index) =>
        settled(start(agent({ name: `a${index}`, model: shared(model, { rate }) }), 'go', { clock })),
      );
      // Beginning takes so many agents a while of the real time.
      while (times.length + rate.waiting < 1_000) await quiet();
      expect(times).toHaveLength(100);
      const results = await letTimePass(clock, Promise.all(runs), 5_000);
      expect(results.filter(({ status }) => status === 'completed')).toHaveLength(1_000);
      expect(fits(times, 100)).toBe(true);
      // All wait for what one was told, and the hundred that were refused came once more: no more requests than that.
      expect(times.filter((at) => at > 0 && at < 5_020)).toEqual([]);
      expect(times).toHaveLength(1_100);
      expect(clock.pending).toBe(0);
    });

  test('[P19] the line delays and retries nothing: as many requests as the agent allows', async () => {
    const clock = virtualClock();
    const { model, times } = limitedProvider(clock, Infinity, 1_000);
    const rate = rateLimit({ perSecond: 1, clock });
    const worker = agent({
      name: 'worker',
      model: shared(model, { rate, breaker: circuitBreaker({ clock }) }),
    });
    const result = await letTimePass(clock, settled(start(worker, 'go', { clock })));
    expect(result.error).toMatchObject({ code: 'model.rate-limited' });
    expect(times).toHaveLength(3);
  });

  test('time in line is none of the attempt: it is neither late nor silent when its turn comes', async () => {
    const clock = virtualClock();
    const rate = rateLimit({ perMinute: 1, waitMs: Infinity, clock });
    const model = shared(scriptedModel([() => Promise.resolve('one'), () => Promise.resolve('two')]), {
      rate,
    });
    const patient = agent({
      name: 'patient',
      model,
      failures: { retry: { attempts: 1, attemptTimeoutMs: 5_000, idleTimeoutMs: 1_000 } },
    });
    const first = settled(start(patient, 'a', { clock }));
    await quiet();
    const second = settled(start(patient, 'b', { clock }));
    await letTimePass(clock, second);
    expect([(await first).output, (await second).output]).toEqual(['one', 'two']);
    expect(clock.pending).toBe(0);
  });

  test('once it is its turn, the attempt has all its time, and no more', async () => {
    const clock = virtualClock();
    const pool = concurrencyPool(1, { clock });
    const place = await pool.enter();
    const model = shared({ provider: 'acme', id: 'slow', answer: () => never() }, { pool });
    const impatient = agent({
      name: 'impatient',
      model,
      failures: { retry: { attempts: 1, attemptTimeoutMs: 2_000 } },
    });
    const run = settled(start(impatient, 'a', { clock }));
    await clock.advance(10_000);
    place.leave();
    await clock.advance(1_999);
    expect(pool.taken).toBe(1);
    await clock.advance(1);
    expect((await run).error).toMatchObject({ code: 'model.timeout' });
    expect({ taken: pool.taken, pending: clock.pending }).toEqual({ taken: 0, pending: 0 });
  });

  test('an aborted run leaves the line at once, and the place that it had', async () => {
    const clock = virtualClock();
    const pool = concurrencyPool(1, { clock });
    const model = shared({ provider: 'acme', id: 'slow', answer: () => never() }, { pool });
    const worker = agent({ name: 'worker', model });
    const first = start(worker, 'a', { clock });
    await quiet();
    const second = start(worker, 'b', { clock });
    await quiet();
    expect({ taken: pool.taken, waiting: pool.waiting }).toEqual({ taken: 1, waiting: 1 });
    second.abort();
    await quiet();
    expect({ taken: pool.taken, waiting: pool.waiting }).toEqual({ taken: 1, waiting: 0 });
    first.abort();
    await quiet();
    expect({ taken: pool.taken, pending: clock.pending }).toEqual({ taken: 0, pending: 0 });
    expect([(await first.result).status, (await second.result).status]).toEqual(['aborted', 'aborted']);
  });

  test('an open breaker costs no wait where another model can answer', async () => {
    const clock = virtualClock();
    const breaker = circuitBreaker({ failures: 1, clock });
    breaker.pass().failed(new TroupeError('model.unavailable', 'down'));
    const worker = agent({
      name: 'worker',
      model: [shared(down('large'), { breaker }), scriptedModel(['from the other'])],
    });
    const { output, events } = await settled(start(worker, 'go', { clock }));
    expect(output).toBe('from the other');
    expect(clock.now()).toBe(0);
    expect(ofType(events, 'model.fell-back')).toMatchObject([
      { error: { code: 'resource.open', retryAfterMs: 30_000 } },
    ]);
  });

  test('where no other can, it waits as long as the breaker asks, and no longer', async () => {
    const clock = virtualClock();
    const breaker = circuitBreaker({ failures: 1, clock });
    breaker.pass().failed(new TroupeError('model.unavailable', 'down'));
    const worker = agent({ name: 'worker', model: shared(scriptedModel(['back']), { breaker }) });
    const { output } = await letTimePass(clock, settled(start(worker, 'go', { clock })));
    expect(output).toBe('back');
    expect(breaker.state).toBe('closed');
  });

  test('[KAIZEN-53] a provider that is down is asked five times, however many agents want it', async () => {
    const clock = virtualClock();
    let asked = 0;
    const model: Model = {
      provider: 'acme',
      id: 'down',
      answer: () => {
        asked += 1;
        return Promise.reject(new TroupeError('model.unavailable', 'down'));
      },
    };
    const breaker = circuitBreaker({ clock });
    const pool = concurrencyPool(1, { clock });
    const worker = agent({
      name: 'worker',
      model: shared(model, { breaker, pool }),
      failures: { retry: { attempts: 1 } },
    });
    const runs = Array.from({ length: 50 }, () => settled(start(worker, 'go', { clock })));
    const results = await letTimePass(clock, Promise.all(runs));
    expect(asked).toBe(5);
    expect(results.filter(({ error }) => error?.code === 'resource.open')).toHaveLength(45);
    expect(pool.taken).toBe(0);
  });

  test('a breaker that opened while the call was in line refuses it, and the leave goes to others', async () => {
    const { clock, advance } = manualClock();
    const breaker = circuitBreaker({ failures: 1, clock });
    const rate = rateLimit({ perSecond: 1, clock });
    const pool = concurrencyPool(2, { clock });
    const model = shared(scriptedModel(['one', 'two']), { breaker, rate, pool });
    await model.answer(request, call());
    const second = Promise.resolve(model.answer(request, call())).catch((error: unknown) => error);
    breaker.pass().failed(new TroupeError('model.unavailable', 'down'));
    await advance(1_000);
    expect(await second).toMatchObject({ code: 'resource.open' });
    expect(rate.take()).not.toBeInstanceOf(Promise);
    expect(pool.taken).toBe(0);
  });

  test('one that gives up in the line to call gives its place back', async () => {
    const { clock, advance } = manualClock();
    const rate = rateLimit({ perMinute: 1, waitMs: 100, clock });
    const pool = concurrencyPool(1, { clock });
    const model = shared(scriptedModel(['one', 'two']), { rate, pool });
    await model.answer(request, call());
    const second = Promise.resolve(model.answer(request, call())).catch((error: unknown) => error);
    expect(pool.taken).toBe(1);
    await advance(100);
    expect(await second).toMatchObject({ code: 'resource.busy' });
    expect(pool.taken).toBe(0);
  });

  test('called off in the very moment of its turn, it asks nobody', async () => {
    const pool = concurrencyPool(1);
    const inner = scriptedModel(['one']);
    const place = await pool.enter();
    const controller = new AbortController();
    const answer = Promise.resolve(shared(inner, { pool }).answer(request, call(controller.signal)));
    const failed = answer.catch((error: unknown) => error);
    place.leave();
    controller.abort();
    expect(await failed).toMatchObject({ code: 'run.aborted' });
    expect(inner.requests).toEqual([]);
    expect(pool.taken).toBe(0);
  });

  test('answers at once where the model does, and streams as it streams', async () => {
    const health = providerHealth();
    const model = shared(scriptedModel(['hello']), { rate: rateLimit({ perSecond: 5 }), health });
    expect(model).toMatchObject({ provider: 'scripted', id: 'script', isLanguageModel: false });
    const handle = start(agent({ name: 'a', model }), 'go');
    const seen: LiveEvent[] = [];
    handle.events$.subscribe((event) => seen.push(event));
    await handle.result;
    expect(seen.filter(({ type }) => type === 'model.delta')).toMatchObject([{ delta: { text: 'hello' } }]);
    expect(health.snapshot()).toMatchObject({ calls: 1, failures: 0 });
  });

  test('tokens of a call are estimated before it, and set right after it', async () => {
    const { clock, advance } = manualClock();
    const rate = rateLimit({ tokensPerMinute: 1_500, clock });
    const model = shared(
      scriptedModel([
        { text: 'a', usage: { input: 10, output: 10 } },
        { text: 'b', usage: { input: 1_400, output: 90 } },
        'c',
      ]),
      { rate },
    );
    await model.answer(request, call());
    await model.answer(request, call());
    const third = model.answer(request, call());
    await microtasks();
    expect(rate.waiting).toBe(1);
    await advance(60_000);
    expect((await third).text).toBe('c');
  });

  test('what it fails with is what the model failed with; health is told of faults and limits', async () => {
    const health = providerHealth();
    const error = new TroupeError('model.rate-limited', 'slow down');
    const model = shared(
      scriptedModel([error, () => Promise.reject(error), new TroupeError('model.auth', 'key')]),
      { health },
    );
    expect(() => model.answer(request, call())).toThrow(error);
    await expect(model.answer(request, call())).rejects.toBe(error);
    expect(() => model.answer(request, call())).toThrow('key');
    expect(health.snapshot()).toMatchObject({ failures: 2 });
  });
});

describe('the resources of an engine', () => {
  const limits = { acme: { rate: { perMinute: 1 }, concurrency: 1 }, '*': {} };

  test('[KAIZEN-53] all models of a provider key share one limit in all runs of an engine, and are not wrapped one by one', async () => {
    const clock = virtualClock();
    const times: string[] = [];
    const model = (provider: string, id: string): Model => ({
      provider,
      id,
      answer: () => {
        times.push(`${id} at ${clock.now()}`);
        return modelAnswer({ text: id });
      },
    });
    const providers = perProvider({ limits, clock });
    const engine = createGlobalEngine({ resources: [providers], clock });
    const runs = Promise.all([
      engine.execute(agent({ name: 'one', model: model('acme', 'large') }), 'go'),
      engine.execute(agent({ name: 'two', model: model('acme', 'small') }), 'go'),
      engine.execute(agent({ name: 'three', model: model('other', 'free') }), 'go'),
    ]);
    await letTimePass(clock, runs);
    expect(times.toSorted()).toEqual(['free at 0', 'large at 0', 'small at 60000']);
    expect(providers.health.map(({ name, status, calls }) => ({ name, status, calls }))).toEqual([
      { name: 'acme', status: 'active', calls: 2 },
      { name: 'other', status: 'active', calls: 1 },
    ]);
    const { rate } = providers.of('acme') ?? {};
    await engine.shutdown();
    await expect(rate?.take()).rejects.toMatchObject({ code: 'resource.closed' });
    expect(clock.pending).toBe(0);
  });

  test('an engine and a run that name the same do not count twice', async () => {
    const providers = perProvider({ limits: { scripted: { concurrency: 1 } } });
    const engine = createGlobalEngine({ resources: [providers] });
    const { output } = await engine.execute(agent({ name: 'one', model: scriptedModel(['ok']) }), 'go', {
      resources: [providers],
    });
    expect(output).toBe('ok');
  });

  test('a run may have its own; what is not named is not touched', async () => {
    const providers = perProvider({
      limits: { red: { breaker: { failures: 1 } } },
      keyOf: ({ id }) => id,
    });
    expect(providers.of('blue')).toBeUndefined();
    const failing = agent({ name: 'failing', model: down('red'), failures: { retry: { attempts: 1 } } });
    await settled(start(failing, 'go', { resources: [providers] }));
    expect(providers.of('red')?.breaker?.state).toBe('open');
    const blue = scriptedModel(['ok'], 'blue');
    expect(providers.around(blue)).toBe(blue);
    const odd = perProvider({ limits: {}, keyOf: () => 5 as never });
    expect(() => odd.around(blue)).toThrow(expect.objectContaining({ code: 'resource.invalid' }));
  });

  test('a breaker may be left out, and what is wrong is said at once', () => {
    expect(perProvider({ limits: { acme: { breaker: false } } }).of('acme')?.breaker).toBeUndefined();
    expect(() => perProvider({ limits: { acme: { concurrency: 0 } } })).toThrow(
      expect.objectContaining({ code: 'resource.invalid' }),
    );
  });
});

const request = {
  instructions: 'x',
  messages: { toArray: () => [], [Symbol.iterator]: () => [].values() },
  tools: [],
} as unknown as ModelRequest;

const call = (signal: AbortSignal = new AbortController().signal): ModelCall => ({
  key: 'k',
  signal,
  delta: () => undefined,
  isWatched: false,
});
