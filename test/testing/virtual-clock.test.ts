import { expect, it } from 'vitest';
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
