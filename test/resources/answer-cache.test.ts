import { describe, expect, test } from 'vitest';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import { noTotals } from '../../src/contracts/events/no-totals.ts';
import { addTotals } from '../../src/events/progress/add-totals.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { createGlobalEngine, maxSteps, replay } from '../../src/index.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { answerCache } from '../../src/runtime/resources/answer-cache.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { deferred, ofType, quiet, settled, start } from '../support/runs.ts';

const usage = { input: 30, output: 12, billedUsd: 0.25 };

/** A model that counts how often it is asked, and answers with the question. */
const counting = (id = 'large') => {
  const asked: string[] = [];
  const model: Model = {
    provider: 'acme',
    id,
    answer: ({ messages }) => {
      const text = messages.at(-1)?.text ?? '';
      asked.push(text);
      return modelAnswer({ text: `answer to ${text}`, usage });
    },
  };
  return { model, asked };
};

/** A model whose answers a test settles, one by one. */
const slow = () => {
  const calls: ReturnType<typeof deferred<ReturnType<typeof modelAnswer>>>[] = [];
  const model: Model = {
    provider: 'acme',
    id: 'slow',
    answer: () => {
      const call = deferred<ReturnType<typeof modelAnswer>>();
      calls.push(call);
      return call.promise;
    },
  };
  return { model, calls };
};

const done = modelAnswer({ text: 'done', usage });

const cachedIn = (events: readonly RuntimeEvent[]) =>
  ofType(events, 'model.answered').map(({ cached }) => cached);

describe('a cache of answers', () => {
  test('[KAIZEN-60] a second equal call asks no model, and one after the time to live asks it once', async () => {
    const clock = virtualClock();
    const { model, asked } = counting();
    const clerk = agent({ name: 'clerk', model });
    const cache = answerCache({ ttlMs: 300_000 });
    const run = (input: string) => clerk.run(input, { resources: [cache], clock });
    await run('one');
    const second = await run('one');
    expect(asked).toEqual(['one']);
    expect(second.output).toBe('answer to one');
    await clock.advance(299_999);
    await run('one');
    expect(asked).toEqual(['one']);
    await clock.advance(1);
    await run('one');
    expect(asked).toEqual(['one', 'one']);
    expect(cache.figures).toMatchObject({ entries: 1, hits: 2, misses: 2, saved: { input: 60, output: 24 } });
  });

  test('[KAIZEN-60] an answer from the cache is on record as one, costs nothing, and says what it saved', async () => {
    const { model } = counting();
    const clerk = agent({ name: 'clerk', model });
    const options: RunOptions = { resources: [answerCache()] };
    const first = await clerk.run('one', options);
    const second = await clerk.run('one', options);
    expect(cachedIn(first.events)).toEqual([undefined]);
    expect(cachedIn(second.events)).toEqual([{ usage, durationMs: expect.any(Number), costUsd: 0.25 }]);
    expect(first.totals).toMatchObject({ costUsd: 0.25, inputTokens: 30, modelCalls: 1 });
    const none = { costUsd: 0, inputTokens: 0, outputTokens: 0, modelCalls: 0 };
    expect(second.totals).toMatchObject(none);
    const { steps, retries } = second.totals;
    const folded = second.events.filter(({ type }) => type !== 'run.ended').reduce(addTotals, noTotals);
    expect(folded).toMatchObject({ ...none, steps, retries });
  });

  test('a stored run replays the same without the cache', async () => {
    const { model, asked } = counting();
    const clerk = agent({ name: 'clerk', model });
    const store = memoryStore();
    const resources = [answerCache()];
    await clerk.run('one', { resources, store, runId: 'first' });
    const second = await clerk.run('one', { resources, store, runId: 'second' });
    const again = await replay(clerk, 'second', { store });
    expect(asked).toHaveLength(1);
    expect(again.events).toEqual(second.events);
  });

  test.each([
    ['another input', { input: 'two' }],
    ['other instructions', { instructions: 'Be brief.' }],
    ['another setting', { settings: { temperature: 1 } }],
    ['another agent', { name: 'other' }],
    ['another model', { id: 'small' }],
  ])('a call with %s is another call', async (_, { input = 'one', id = 'large', ...changed }: Changed) => {
    const { model, asked } = counting();
    const other = counting(id);
    const resources = [answerCache()];
    await agent({ name: 'clerk', model }).run('one', { resources });
    await agent({ name: 'clerk', model: other.model, ...changed }).run(input, { resources });
    expect([asked, other.asked]).toEqual([['one'], [input]]);
  });

  test('tenants do not share answers where the scope names them, and without a scope nothing is kept', async () => {
    const { model, asked } = counting();
    const clerk = agent({ name: 'clerk', model });
    const tenantOf = (context: unknown) => (typeof context === 'string' ? context : undefined);
    const cache = answerCache({ scope: ({ context }) => tenantOf(context) });
    const run = (context: unknown) => clerk.run('one', { resources: [cache], context });
    await run('acme');
    await run('acme');
    expect(asked).toHaveLength(1);
    await run('other');
    expect(asked).toHaveLength(2);
    await run(7);
    await run(7);
    expect(asked).toHaveLength(4);
    expect(cache.figures).toMatchObject({ entries: 2, hits: 1, misses: 2 });
  });

  test('a scope that is no text fails the call, and says what it found', async () => {
    const { model, asked } = counting();
    // As a JavaScript caller might.
    const scope = (() => 7) as unknown as () => string;
    const run = start(agent({ name: 'clerk', model, failures: { retry: { attempts: 1 } } }), 'one', {
      resources: [answerCache({ scope })],
    });
    expect((await settled(run)).error).toMatchObject({
      code: 'resource.invalid',
      message: expect.stringContaining('its scope is no text: found 7'),
    });
    expect(asked).toEqual([]);
  });

  test('the answer that was asked for least recently goes first', async () => {
    const { model, asked } = counting();
    const clerk = agent({ name: 'clerk', model });
    const resources = [answerCache({ entries: 2 })];
    for (const input of ['a', 'b', 'a', 'c', 'a', 'b']) await clerk.run(input, { resources });
    expect(asked).toEqual(['a', 'b', 'c', 'b']);
  });

  test('its bytes are bounded, and an answer that is larger than all of it is not kept', async () => {
    const { model, asked } = counting();
    const clerk = agent({ name: 'clerk', model });
    const cache = answerCache({ bytes: 1_000 });
    for (const input of ['a', 'b', 'c', 'd'])
      for (let time = 0; time < 2; time += 1) await clerk.run(input, { resources: [cache] });
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    expect(cache.figures.bytes).toBeLessThanOrEqual(1_000);
    expect(cache.figures.entries).toBeLessThan(4);
    const long = 'x'.repeat(1_000);
    for (let time = 0; time < 2; time += 1) await clerk.run(long, { resources: [cache] });
    expect(asked.filter((input) => input === long)).toHaveLength(2);
    await clerk.run('d', { resources: [cache] });
    expect(asked).toEqual(['a', 'b', 'c', 'd', long, long]);
    cache.clear();
    expect(cache.figures).toMatchObject({ entries: 0, bytes: 0 });
  });

  test('concurrent equal calls are one call', async () => {
    const { model, calls } = slow();
    const clerk = agent({ name: 'clerk', model });
    const resources = [answerCache()];
    const runs = [1, 2, 3].map(() => start(clerk, 'one', { resources }));
    await quiet();
    expect(calls).toHaveLength(1);
    calls[0]?.resolve(done);
    const results = await Promise.all(runs.map((run) => run.result));
    expect(results.map(({ output }) => output)).toEqual(['done', 'done', 'done']);
    expect(
      results.flatMap(({ events }) => cachedIn(events)).filter((cached) => cached !== undefined),
    ).toHaveLength(2);
    expect(calls).toHaveLength(1);
  });

  test('an answer that failed is not kept, and those that waited for it fail with it', async () => {
    const { model, calls } = slow();
    const clerk = agent({ name: 'clerk', model, failures: { retry: { attempts: 1 } } });
    const cache = answerCache();
    const runs = [1, 2].map(() => start(clerk, 'one', { resources: [cache] }));
    await quiet();
    calls[0]?.reject(new TroupeError('model.unavailable', 'down'));
    const results = await Promise.all(runs.map((run) => settled(run)));
    expect(results.map(({ error }) => error?.code)).toEqual(['model.unavailable', 'model.unavailable']);
    expect(cache.figures.entries).toBe(0);
    const later = start(clerk, 'one', { resources: [cache] });
    await quiet();
    calls[1]?.resolve(done);
    expect((await later.result).output).toBe('done');
  });

  test('a call that its run cancels is made by the next that waits for it', async () => {
    const { model, calls } = slow();
    const clerk = agent({ name: 'clerk', model });
    const resources = [answerCache()];
    const first = start(clerk, 'one', { resources });
    const others = [1, 2].map(() => start(clerk, 'one', { resources }));
    await quiet();
    first.abort('not needed');
    expect((await settled(first)).status).toBe('aborted');
    await quiet();
    expect(calls).toHaveLength(2);
    calls[1]?.resolve(done);
    const results = await Promise.all(others.map((run) => run.result));
    expect(results.map(({ output }) => output)).toEqual(['done', 'done']);
  });

  test.each([
    ['was cut off', { finish: 'length' as const }],
    ['was refused', { refusal: 'no' }],
    ['could not be read', { problem: 'no call' }],
    [
      'has media',
      {
        media: [{ type: 'image' as const, mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71]) }],
      },
    ],
  ])('an answer that %s is not kept', async (_, parts) => {
    let asked = 0;
    const model: Model = {
      provider: 'acme',
      id: 'odd',
      answer: () => {
        asked += 1;
        return modelAnswer({ text: 'so far', usage, ...parts });
      },
    };
    const cache = answerCache();
    const clerk = agent({ name: 'clerk', model, stop: maxSteps(2) });
    await settled(start(clerk, 'one', { resources: [cache] }));
    const before = asked;
    await settled(start(clerk, 'one', { resources: [cache] }));
    expect(asked).toBe(before * 2);
    expect(cache.figures.entries).toBe(0);
  });

  test('a model that the cache of an engine and of a run wraps does not wait for itself', async () => {
    const { model, calls } = slow();
    const cache = answerCache();
    const waiting = {
      name: 'waiting',
      around: (inner: Model): Model => ({
        ...inner,
        answer: async (request, call) => {
          await Promise.resolve();
          return inner.answer(request, call);
        },
      }),
    };
    const engine = createGlobalEngine({ resources: [cache, waiting] });
    const handle = engine.stream(agent({ name: 'clerk', model }), 'one', { resources: [cache] });
    await quiet();
    expect(calls).toHaveLength(1);
    calls[0]?.resolve(done);
    expect((await handle.result).output).toBe('done');
    await engine.shutdown();
    expect(cache.figures.entries).toBe(0);
  });

  test('a model that is asked apart from any run is asked', () => {
    const { model } = counting();
    expect(answerCache().around(model)).toBe(model);
  });

  test('what a model calls cached, and is not, is left out of its event', async () => {
    const { model } = counting();
    // As a model of others might.
    const odd = { ...model, answer: () => ({ ...done, cached: 7 }) } as unknown as Model;
    const { events, totals } = await agent({ name: 'clerk', model: odd }).run('one');
    expect(cachedIn(events)).toEqual([undefined]);
    expect(totals.costUsd).toBe(0.25);
  });

  test('a reader of the text gets that of an answer from the cache, too', async () => {
    const { model } = counting();
    const clerk = agent({ name: 'clerk', model });
    const resources = [answerCache()];
    await clerk.run('one', { resources });
    const handle = start(clerk, 'one', { resources });
    const texts: string[] = [];
    handle.events$.subscribe((event) => {
      if (event.type === 'model.delta' && event.delta.type === 'text') texts.push(event.delta.text);
    });
    await handle.result;
    expect(texts.join('')).toBe('answer to one');
  });

  test.each([
    [{ entries: 0 }, 'entries is not a whole number from 1: found 0'],
    [{ ttlMs: -1 }, 'ttlMs is not a time above 0, in ms: found -1'],
    [{ bytes: 0 }, 'bytes is not a number from 1: found 0'],
    [{ ttlMS: 5 }, 'its option `ttlMS` is unknown: did you mean `ttlMs`?'],
  ])('it refuses %j, and says why', (options, problem) => {
    // As a JavaScript caller might.
    expect(() => answerCache(options as never)).toThrow(
      expect.objectContaining({ code: 'resource.invalid', message: expect.stringContaining(problem) }),
    );
  });
});

interface Changed {
  readonly input?: string;
  readonly id?: string;
  readonly name?: string;
  readonly instructions?: string;
  readonly settings?: { readonly temperature: number };
}
