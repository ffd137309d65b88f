import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { LONGEST_TIMER_MS, patientClock, systemClock } from '../../src/base/clock.ts';

const DAY = 86_400_000;

/** The machine's own timers, which the tests move; those of Node fire at once past 32 bits, and so do these. */
beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  const { setTimeout: set } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((callback, ms = 0) =>
    set(callback, ms > LONGEST_TIMER_MS ? 1 : ms),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const waiting = (ms: number, clock = systemClock) => {
  const firedAt: number[] = [];
  const timer = clock.setTimeout(() => firedAt.push(clock.now()), ms);
  return { firedAt, timer };
};

test.each([
  ['as long as a timer can count', LONGEST_TIMER_MS],
  ['a moment longer', LONGEST_TIMER_MS + 1],
  ['60 days, in three parts', 60 * DAY],
  ['a whole number of parts', 3 * LONGEST_TIMER_MS],
])('the clock of the machine waits %s: no shorter, no longer, and once', (_, ms) => {
  const { firedAt } = waiting(ms);
  vi.advanceTimersByTime(ms - 1);
  expect(firedAt).toEqual([]);
  vi.advanceTimersByTime(1);
  vi.advanceTimersByTime(60 * DAY);
  expect(firedAt).toEqual([ms]);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([0, 1, LONGEST_TIMER_MS, LONGEST_TIMER_MS + 1, 50 * DAY])(
  'a wait of 60 days that is called off after %i ms leaves no timer behind',
  (after) => {
    const { firedAt, timer } = waiting(60 * DAY);
    vi.advanceTimersByTime(after);
    systemClock.clearTimeout(timer);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60 * DAY);
    expect(firedAt).toEqual([]);
  },
);

test('what is never due takes no timer, and can be called off like any other', () => {
  const { timer } = waiting(Infinity);
  expect(vi.getTimerCount()).toBe(0);
  expect(() => {
    systemClock.clearTimeout(timer);
  }).not.toThrow();
});

test('what is no number of ms is due at once, as it is on every platform', () => {
  const { firedAt } = waiting(Number.NaN);
  vi.advanceTimersByTime(1);
  expect(firedAt).toHaveLength(1);
});

test('somebody else’s clock is made patient too, and asked for the time', () => {
  const asked: number[] = [];
  const theirs: Clock = {
    now: () => 7,
    setTimeout: (_, ms) => asked.push(ms),
    clearTimeout: (handle) => asked.push(-Number(handle)),
  };
  const clock = patientClock(theirs);
  expect(clock.now()).toBe(7);
  clock.clearTimeout(waiting(10, clock).timer);
  clock.clearTimeout(waiting(60 * DAY, clock).timer);
  expect(asked).toEqual([10, -1, LONGEST_TIMER_MS, -3]);
});
