import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { timeLimit } from '../../src/base/promises/time-limit.ts';
import { isThorough } from '../support/thorough.ts';

/** Makes V8 collect garbage, which it does only between two tasks where weak references are concerned. */
const collectGarbage = async (): Promise<void> => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('garbage cannot be collected');
  for (let round = 0; round < 3; round += 1) {
    await new Promise(setImmediate);
    Reflect.apply(collect, undefined, []);
  }
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

if (isThorough)
  test('a time limit that is one of several signals outlives the collection of garbage', async () => {
    const signal = AbortSignal.any([new AbortController().signal, timeLimit(200)]);
    await collectGarbage();
    vi.advanceTimersByTime(199);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

test('a time limit that no timer holds never comes', () => {
  const signals = [timeLimit(Infinity), timeLimit(2 ** 40 + 0.5)];
  expect(vi.getTimerCount()).toBe(0);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
});
