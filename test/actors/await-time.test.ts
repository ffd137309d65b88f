import { expect, test } from 'vitest';
import { awaitTime } from '../../src/actors/await-time.ts';
import type { Clock } from '../../src/contracts/clock.ts';
import { LazyAbort } from '../../src/contracts/lazy-abort.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

const DAY = 86_400_000;
/** What the timers of all platforms can count to; a longer one fires at once. */
const LONGEST = 2 ** 31 - 1;

/** A virtual clock that counts as platforms do. */
const platformClock = () => {
  const clock = virtualClock();
  const asPlatforms: Clock = {
    now: () => clock.now(),
    setTimeout: (callback, ms) => clock.setTimeout(callback, ms > LONGEST ? 1 : ms),
    clearTimeout: (handle) => {
      clock.clearTimeout(handle);
    },
  };
  return { clock, asPlatforms };
};

test('a wait longer than a timer can count is waited for to its end, and no shorter', async () => {
  const { clock, asPlatforms } = platformClock();
  let isOver = false;
  void awaitTime({ dueAt: 60 * DAY }, { clock: asPlatforms, abort: new LazyAbort() })?.then(() => {
    isOver = true;
  });
  await clock.advance(60 * DAY - 1);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
  expect(clock.pending).toBe(0);
});

test('a long wait that is called off leaves no timer behind, in any of its parts', async () => {
  const { clock, asPlatforms } = platformClock();
  const abort = new LazyAbort();
  const wait = awaitTime({ dueAt: 60 * DAY }, { clock: asPlatforms, abort });
  await clock.advance(30 * DAY);
  abort.abort();
  await expect(wait).rejects.toMatchObject({ code: 'run.aborted' });
  expect(clock.pending).toBe(0);
});

test('what is due already is no wait', () => {
  expect(awaitTime({ dueAt: 0 }, { clock: virtualClock(), abort: new LazyAbort() })).toBeUndefined();
});
