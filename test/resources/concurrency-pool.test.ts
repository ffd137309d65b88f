import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concurrencyPool } from '../../src/index.ts';
import type { PoolSlot } from '../../src/runtime/resources/concurrency-pool.ts';
import { deferred } from '../support/runs.ts';
import { manualClock, microtasks, search } from './manual-clock.ts';

describe('a concurrency pool', () => {
  test('[KAIZEN-53] never more than its size, in the order of coming, nobody lost: whoever comes, goes, lends or is called off', async () => {
    const step = fc.record({
      kind: fc.constantFrom('come', 'come', 'go', 'lend', 'back', 'abort'),
      which: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, size) => {
          const pool = concurrencyPool(size);
          const holders: {
            readonly who: number;
            readonly place: PoolSlot;
            lent?: (() => void) | undefined;
          }[] = [];
          const waiting: { readonly who: number; readonly controller: AbortController }[] = [];
          const order: number[] = [];
          let who = 0;
          let isWorking = 0;
          const isOver = (): void => {
            expect(isWorking).toBeLessThanOrEqual(size);
            expect(pool.taken).toBeLessThanOrEqual(size);
          };
          for (const { kind, which } of steps) {
            const holder = holders[which % Math.max(1, holders.length)];
            if (kind === 'come') {
              const mine = (who += 1);
              const controller = new AbortController();
              waiting.push({ who: mine, controller });
              const gone = (): void => {
                waiting.splice(
                  waiting.findIndex((each) => each.who === mine),
                  1,
                );
              };
              void Promise.resolve(pool.enter({ signal: controller.signal })).then((place) => {
                gone();
                order.push(mine);
                isWorking += 1;
                holders.push({ who: mine, place });
              }, gone);
            } else if (kind === 'abort') waiting[which % Math.max(1, waiting.length)]?.controller.abort();
            else if (holder !== undefined && kind === 'go' && holder.lent === undefined) {
              holders.splice(holders.indexOf(holder), 1);
              isWorking -= 1;
              holder.place.leave();
              holder.place.leave();
            } else if (holder !== undefined && kind === 'lend' && holder.lent === undefined) {
              const work = deferred<void>();
              holder.lent = () => {
                work.resolve();
              };
              isWorking -= 1;
              void holder.place
                .lend(() => work.promise)
                .then(() => {
                  holder.lent = undefined;
                  isWorking += 1;
                });
            } else if (kind === 'back') holder?.lent?.();
            await microtasks();
            isOver();
          }
          // Everybody comes to an end: then nothing is held and nobody waits.
          for (let round = 0; round < 100 && (holders.length > 0 || waiting.length > 0); round += 1) {
            for (const each of holders) each.lent?.();
            await microtasks();
            const [done] = holders.filter(({ lent }) => lent === undefined);
            if (done === undefined) continue;
            holders.splice(holders.indexOf(done), 1);
            isWorking -= 1;
            done.place.leave();
            await microtasks();
            isOver();
          }
          expect({ taken: pool.taken, waiting: pool.waiting }).toEqual({ taken: 0, waiting: 0 });
          expect(order).toEqual(order.toSorted((one, other) => one - other));
        },
      ),
      { ...search, numRuns: search.numRuns / 2 },
    );
  });

  test('of size 1, three deep, does not hang where each gives its place away', async () => {
    const pool = concurrencyPool(1);
    const depths: number[] = [];
    const nest = (depth: number): Promise<number> =>
      pool.use(async (place) => {
        depths.push(depth);
        return depth === 3 ? depth : place.lend(() => nest(depth + 1));
      });
    expect(await nest(0)).toBe(3);
    expect(depths).toEqual([0, 1, 2, 3]);
    expect(pool.taken).toBe(0);
  });

  test('who comes back goes before all who wait', async () => {
    const pool = concurrencyPool(1);
    const work = deferred<void>();
    const order: string[] = [];
    const first = pool.use(async (place) => {
      await place.lend(() => work.promise);
      order.push('first is back');
    });
    const second = await pool.enter();
    const third = pool.use(() => order.push('third'), { priority: 'control' });
    work.resolve();
    await microtasks();
    second.leave();
    await Promise.all([first, third]);
    expect(order).toEqual(['first is back', 'third']);
  });

  test('a place that is lent twice comes back once both are through', async () => {
    const pool = concurrencyPool(1);
    const place = await pool.enter();
    const [one, other] = [deferred<void>(), deferred<void>()];
    const both = [place.lend(() => one.promise), place.lend(() => other.promise)];
    one.resolve();
    await microtasks();
    expect(pool.taken).toBe(0);
    other.resolve();
    await Promise.all(both);
    expect(pool.taken).toBe(1);
    // Lent, back and lent again in one go: still one place.
    await Promise.all([place.lend(async () => undefined), place.lend(async () => undefined)]);
    expect(pool.taken).toBe(1);
    place.leave();
    expect(pool.taken).toBe(0);
  });

  test('a place that was left while it was lent does not come back', async () => {
    const pool = concurrencyPool(1);
    const place = await pool.enter();
    const work = deferred<void>();
    const lent = place.lend(() => work.promise);
    place.leave();
    work.resolve();
    await lent;
    expect(pool.taken).toBe(0);
  });

  test('one that is left on its way back is given on', async () => {
    const pool = concurrencyPool(1);
    const place = await pool.enter();
    const work = deferred<void>();
    const lent = place.lend(() => work.promise);
    const other = await pool.enter();
    work.resolve();
    await microtasks();
    place.leave();
    other.leave();
    await lent;
    expect(pool.taken).toBe(0);
  });

  test('what is called off on its way back says so', async () => {
    const pool = concurrencyPool(1);
    const controller = new AbortController();
    const place = await pool.enter({ signal: controller.signal });
    const work = deferred<void>();
    const lent = place.lend(() => work.promise).catch((error: unknown) => error);
    const other = await pool.enter();
    work.resolve();
    await microtasks();
    controller.abort();
    expect(await lent).toMatchObject({ code: 'run.aborted' });
    place.leave();
    other.leave();
    expect(pool.taken).toBe(0);
  });

  test('who waits for too long is refused; closed, everybody is', async () => {
    const time = manualClock();
    const pool = concurrencyPool(1, { name: 'browsers', waitMs: 1_000, clock: time.clock });
    const place = await pool.enter();
    const late = pool.use(() => undefined).catch((error: unknown) => error);
    await time.advance(1_000);
    expect(await late).toMatchObject({
      code: 'resource.busy',
      message:
        "Cannot wait for a place in the pool 'browsers' any longer as it was not its turn within 1000 ms",
    });
    const waiting = pool.use(() => undefined).catch((error: unknown) => error);
    pool.close();
    expect(await waiting).toMatchObject({ code: 'resource.closed' });
    await expect(pool.enter()).rejects.toMatchObject({ code: 'resource.closed' });
    place.leave();
    expect({ taken: pool.taken, pending: time.pending }).toEqual({ taken: 0, pending: 0 });
  });

  test('a place is left when the work throws', async () => {
    const pool = concurrencyPool(1);
    await expect(pool.use(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(pool.taken).toBe(0);
  });

  test.each([0, 1.5, Infinity])('refuses a size of %s', (size) => {
    expect(() => concurrencyPool(size)).toThrow(expect.objectContaining({ code: 'resource.invalid' }));
  });
});
