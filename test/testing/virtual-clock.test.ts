import { expect, it } from 'vitest';
import { createPacer } from '../../src/runtime/run/pacer.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

it('fires what comes due, in order of time and then of age, and stops where it was told to', async () => {
  const clock = virtualClock(1_000);
  const fired: string[] = [];
  for (const [name, ms] of [
    ['late', 20] as const,
    ['first', 10] as const,
    ['second', 10] as const,
    ['never', 31] as const,
  ]) {
    clock.setTimeout(() => fired.push(`${name} at ${clock.now()}`), ms);
  }
  await clock.advance(30);
  expect(fired).toEqual(['first at 1010', 'second at 1010', 'late at 1020']);
  expect([clock.now(), clock.pending]).toEqual([1_030, 1]);
});

it('does between two timers what promises have to do, so that a chain of waits runs through', async () => {
  const clock = virtualClock();
  const sleep = (ms: number) => new Promise<void>((done) => clock.setTimeout(done, ms));
  const seen: number[] = [];
  void (async () => {
    for (const ms of [10, 20, 30]) {
      await sleep(ms);
      await Promise.resolve();
      seen.push(clock.now());
    }
  })();
  await clock.advance(100);
  expect(seen).toEqual([10, 30, 60]);
});

it('forgets what is cleared, and takes a negative wait for none', async () => {
  const clock = virtualClock();
  const fired: string[] = [];
  clock.clearTimeout(clock.setTimeout(() => fired.push('cleared'), 5));
  clock.setTimeout(() => fired.push('now'), -5);
  clock.clearTimeout(undefined);
  await clock.advance(10);
  expect(fired).toEqual(['now']);
});

it('moves time on only once all work that is due is done, however many turns a busy machine takes for it', async () => {
  let read = 0;
  // At each look at the time, the share of a turn is used up, and a timer of the platform has come due meanwhile.
  const pacer = createPacer(() => {
    const until = performance.now() + 2;
    while (performance.now() < until);
    return (read += 100);
  });
  const clock = virtualClock();
  const seen: string[] = [];
  clock.setTimeout(() => seen.push('timer'), 10);
  const work = (left: number): void => {
    if (left === 0) seen.push('work');
    else
      pacer.schedule(() => {
        work(left - 1);
      });
  };
  work(200);
  await clock.advance(10);
  expect(seen).toEqual(['work', 'timer']);
});

it('moves time on past work that never pauses', async () => {
  let read = 0;
  let isOver = false;
  const pacer = createPacer(() => (read += 100));
  const clock = virtualClock();
  const work = (): void => {
    if (!isOver) pacer.schedule(work);
  };
  work();
  await clock.advance(10);
  isOver = true;
  expect(clock.now()).toBe(10);
});
