import { expect, test } from 'vitest';
import { awaitTime } from '../../src/actors/await-time.ts';
import type { Clock } from '../../src/base/clock.ts';
import { LONGEST_TIMER_MS } from '../../src/base/clock.ts';
import { answer, wait } from '../../src/contracts/agents/decision.ts';
import { LazyAbort } from '../../src/base/promises/lazy-abort.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';

const DAY = 86_400_000;
test('a wait longer than a timer can count is waited for to its end, and no shorter', async () => {
  const clock = virtualClock();
  let isOver = false;
  void awaitTime({ dueAt: 60 * DAY }, { clock, abort: new LazyAbort() })?.then(() => {
    isOver = true;
  });
  await clock.advance(60 * DAY - 1);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
  expect(clock.pending).toBe(0);
});

test('a long wait that is called off leaves no timer behind', async () => {
  const clock = virtualClock();
  const abort = new LazyAbort();
  const wait = awaitTime({ dueAt: 60 * DAY }, { clock, abort });
  await clock.advance(30 * DAY);
  abort.abort();
  await expect(wait).rejects.toMatchObject({ code: 'run.aborted' });
  expect(clock.pending).toBe(0);
});

test('what is due already is no wait', () => {
  expect(awaitTime({ dueAt: 0 }, { clock: virtualClock(), abort: new LazyAbort() })).toBeUndefined();
});

test('a run waits that long also by a clock of somebody else, whose timers count as platforms do', async () => {
  const clock = virtualClock();
  const theirs: Clock = {
    now: () => clock.now(),
    setTimeout: (callback, ms) => clock.setTimeout(callback, ms > LONGEST_TIMER_MS ? 1 : ms),
    clearTimeout: (handle) => {
      clock.clearTimeout(handle);
    },
  };
  let steps = 0;
  const sleeper = agent({
    name: 'sleeper',
    decide: () => ((steps += 1) === 1 ? wait('the spring', 60 * DAY) : answer('awake')),
  });
  const { result } = sleeper.stream('go', { clock: theirs });
  await clock.advance(60 * DAY - 1);
  expect(steps).toBe(1);
  await clock.advance(1);
  expect(await result).toMatchObject({ output: 'awake' });
});
