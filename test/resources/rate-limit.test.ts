import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Priority } from '../../src/contracts/messages/priority.ts';
import { priorities } from '../../src/contracts/messages/priority.ts';
import { RateWindow } from '../../src/runtime/resources/rate-window.ts';
import { rateLimit } from '../../src/index.ts';
import type { RateLimitOptions, RateRequest } from '../../src/runtime/resources/rate-limit.ts';
import { manualClock, microtasks, search } from './manual-clock.ts';

/** The most that begins in any window that opens with one of these. */
const peak = (times: readonly number[], windowMs: number): number =>
  Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));

/** A limit, and when each call that took leave of it began. */
const limited = (options: RateLimitOptions) => {
  const time = manualClock();
  const rate = rateLimit({ ...options, clock: time.clock });
  const began: { readonly who: number; readonly at: number }[] = [];
  const refused: { readonly who: number; readonly code: unknown }[] = [];
  const call = (who: number, wish?: RateRequest): void => {
    void Promise.resolve(rate.take(wish)).then(
      () => began.push({ who, at: time.clock.now() }),
      (error: unknown) => refused.push({ who, code: (error as { code?: unknown }).code }),
    );
  };
  return { time, rate, began, refused, call, times: () => began.map(({ at }) => at) };
};

describe('a window of time', () => {
  test('never lets more pass than its limit in any window, nor waits longer than it must', () => {
    const steps = fc.array(fc.record({ ms: fc.nat(1_500), calls: fc.integer({ min: 1, max: 6 }) }), {
      maxLength: 40,
    });
    const limit = fc.integer({ min: 1, max: 8 });
    fc.assert(
      fc.property(steps, limit, fc.option(limit, { nil: undefined }), (given, most, burst) => {
        const window = new RateWindow({ limit: most, windowMs: 1_000, burst });
        const times: number[] = [];
        let now = 0;
        for (const { ms, calls } of given) {
          now += ms;
          for (let call = 0; call < calls; call += 1) {
            const wait = window.waitMs(now, 1);
            const isTooEarly = wait === 0 || window.waitMs(now + wait - 1, 1) > 0;
            expect(isTooEarly).toBe(true);
            now += wait;
            expect(window.waitMs(now, 1)).toBe(0);
            window.take(now, 1);
            times.push(now);
          }
        }
        expect(peak(times, 1_000)).toBeLessThanOrEqual(most);
        expect(peak(times, 1)).toBeLessThanOrEqual(Math.min(burst ?? most, most));
      }),
      search,
    );
  });

  test('counts amounts: never more than its limit, but for a single one that is larger', () => {
    const steps = fc.array(fc.record({ ms: fc.nat(900), amount: fc.integer({ min: 1, max: 130 }) }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (given) => {
        const window = new RateWindow({ limit: 100, windowMs: 1_000 });
        let now = 0;
        for (const { ms, amount } of given) {
          now += ms;
          now += window.waitMs(now, amount);
          window.take(now, amount);
          expect(window.usedAt(now)).toBeLessThanOrEqual(Math.max(100, amount));
        }
      }),
      search,
    );
  });

  test('what turns out to be more or less is set right, also when it is long gone', () => {
    const window = new RateWindow({ limit: 100, windowMs: 1_000 });
    const early = window.take(0, 60);
    window.correct(early, 20);
    expect(window.usedAt(0)).toBe(20);
    window.correct(early, 100);
    expect(window.waitMs(500, 1)).toBe(500);
    window.take(1_000, 10);
    window.correct(early, 5);
    expect(window.usedAt(1_000)).toBe(10);
  });
});

describe('a rate limit', () => {
  test('lets calls begin at once while there is room, without a promise', () => {
    const rate = rateLimit({ perSecond: 2 });
    expect(rate.take()).not.toBeInstanceOf(Promise);
    expect(rate.take()).not.toBeInstanceOf(Promise);
    const third = rate.take();
    expect(third).toBeInstanceOf(Promise);
    void Promise.resolve(third).catch(() => undefined);
    expect(rate.waiting).toBe(1);
    rate.close();
    expect(rate.waiting).toBe(0);
  });

  test('[KAIZEN-53] however calls come, no second has more than it says, in order, and nobody is lost', async () => {
    const steps = fc.array(
      fc.record({ ms: fc.nat(700), calls: fc.nat(6), closeMs: fc.constantFrom(0, 0, 0, 900) }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (given, perSecond) => {
        const { time, rate, call, began, times } = limited({ perSecond, waitMs: Infinity });
        let who = 0;
        const closed: [number, number][] = [];
        for (const { ms, calls, closeMs } of given) {
          await time.advance(ms);
          if (closeMs > 0) {
            rate.closeFor(closeMs);
            closed.push([time.clock.now(), time.clock.now() + closeMs]);
          }
          for (let index = 0; index < calls; index += 1) call((who += 1));
        }
        await time.advance(200_000);
        expect(peak(times(), 1_000)).toBeLessThanOrEqual(perSecond);
        expect(began.map((each) => each.who)).toEqual(Array.from({ length: who }, (_, index) => index + 1));
        for (const [from, until] of closed)
          expect(times().filter((at) => at > from && at < until)).toEqual([]);
        expect(time.pending).toBe(0);
      }),
      { ...search, numRuns: search.numRuns / 5 },
    );
  });

  test('the urgent go first, and the equally urgent in their order', async () => {
    const { time, call, began } = limited({ perSecond: 1 });
    const wishes: Priority[] = ['data', 'peer', 'human', 'control', 'peer', 'human'];
    call(0);
    wishes.forEach((priority, index) => {
      call(index + 1, { priority });
    });
    await time.advance(10_000);
    const order = wishes.map((priority, index) => ({ who: index + 1, rank: priorities.indexOf(priority) }));
    expect(began.slice(1).map(({ who }) => who)).toEqual(
      order.toSorted((one, other) => one.rank - other.rank).map(({ who }) => who),
    );
  });

  test('an urgent call does not wait for others that could not begin either', async () => {
    const { time, rate, call, began } = limited({ tokensPerMinute: 100 });
    call(1, { tokens: 60 });
    call(2, { tokens: 60 });
    await microtasks();
    expect(rate.waiting).toBe(1);
    call(3, { tokens: 30, priority: 'human' });
    await microtasks();
    expect(began.map(({ who }) => who)).toEqual([1, 3]);
    await time.advance(60_000);
    expect(began.map(({ who }) => who)).toEqual([1, 3, 2]);
  });

  test('tokens are set right after the call, for those who wait, too', async () => {
    const { time, rate, call, began } = limited({ tokensPerMinute: 100 });
    const grant = await rate.take({ tokens: 100 });
    call(1, { tokens: 50 });
    await time.advance(1_000);
    expect(began).toEqual([]);
    grant.settle(40);
    await microtasks();
    expect(began).toEqual([{ who: 1, at: 1_000 }]);
    expect(time.pending).toBe(0);
  });

  test('leave that was not used is there for others', async () => {
    const { rate, call, began } = limited({ perMinute: 1, tokensPerMinute: 10 });
    const grant = await rate.take({ tokens: 5 });
    call(1, { tokens: 10 });
    await microtasks();
    expect(began).toEqual([]);
    grant.giveBack();
    await microtasks();
    expect(began).toEqual([{ who: 1, at: 0 }]);
  });

  test('a burst begins at once, the rest is spread', async () => {
    const { time, call, times } = limited({ perSecond: 10, burst: 2 });
    for (let who = 0; who < 6; who += 1) call(who);
    await time.advance(2_000);
    expect(times()).toEqual([0, 0, 100, 200, 300, 400]);
  });

  test('who is called off leaves the line, and those behind go on', async () => {
    const { time, call, began, refused } = limited({ tokensPerMinute: 100 });
    const controller = new AbortController();
    call(1, { tokens: 50 });
    call(2, { tokens: 80, signal: controller.signal });
    call(3, { tokens: 50 });
    await microtasks();
    controller.abort();
    await microtasks();
    expect(began.map(({ who }) => who)).toEqual([1, 3]);
    expect(refused).toEqual([{ who: 2, code: 'run.aborted' }]);
    call(4, { tokens: 80, signal: controller.signal });
    await microtasks();
    expect(refused).toContainEqual({ who: 4, code: 'run.aborted' });
    expect(time.pending).toBe(0);
  });

  test('who waits for too long is refused, and told when to come back', async () => {
    const { time, rate } = limited({ perMinute: 1, waitMs: 1_000 });
    await rate.take();
    const late = Promise.resolve(rate.take()).catch((error: unknown) => error);
    await time.advance(1_000);
    expect(await late).toMatchObject({ code: 'resource.busy', retryable: 'yes', retryAfterMs: 59_000 });
    expect(time.pending).toBe(0);
  });

  test('who would wait in vain is refused at once', async () => {
    const { rate } = limited({ perMinute: 10, waitMs: 1_000 });
    rate.closeFor(60_000);
    rate.closeFor(5_000);
    expect(rate.closedUntil).toBe(60_000);
    await expect(rate.take()).rejects.toMatchObject({ code: 'resource.busy', retryAfterMs: 60_000 });
  });

  test('closed, it refuses all who wait and all who come, and leaves nothing behind', async () => {
    const { time, rate, call, refused } = limited({ perMinute: 1 });
    for (const who of [1, 2, 3]) call(who);
    rate.close();
    call(4);
    await microtasks();
    expect(refused).toEqual([2, 3, 4].map((who) => ({ who, code: 'resource.closed' })));
    expect(time.pending).toBe(0);
  });

  test.each([
    [{}, 'it limits nothing'],
    [{ perSecond: 0 }, 'perSecond'],
    [{ perMinute: 1.5 }, 'perMinute'],
    [{ tokensPerMinute: Number.NaN }, 'tokensPerMinute'],
    [{ perSecond: 1, burst: 0 }, 'burst'],
    [{ perSecond: 1, waitMs: 0 }, 'waitMs'],
  ])('refuses %o', (options, found) => {
    expect(() => rateLimit(options)).toThrow(
      expect.objectContaining({
        code: 'resource.invalid',
        message: expect.stringContaining(found) as string,
      }),
    );
  });
});
