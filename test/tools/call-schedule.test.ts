import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callOf } from './tool-context.ts';
import type { CallPlan } from '../../src/tools/call-schedule.ts';
import {
  finished,
  givenUp,
  isDone,
  numberCalls,
  planCalls,
  startable,
  started,
} from '../../src/tools/call-schedule.ts';

/** Runs a plan to its end, letting `choose` say which of the running calls ends next; looks at each state. */
const play = (
  exclusive: readonly boolean[],
  cap: number | undefined,
  choose: (running: readonly number[]) => number,
  look: (plan: CallPlan, running: readonly number[]) => void = () => undefined,
): number[] => {
  const order: number[] = [];
  let plan = planCalls(exclusive, cap);
  for (let turns = 0; !isDone(plan); turns += 1) {
    if (turns > exclusive.length) throw new Error('the plan hangs');
    const next = startable(plan);
    order.push(...next);
    plan = started(plan, next);
    const running = plan.states.flatMap((state, index) => (state === 'running' ? [index] : []));
    look(plan, running);
    plan = finished(plan, running[choose(running) % running.length] ?? -1);
  }
  return order;
};

const plans = fc.record({
  exclusive: fc.array(fc.boolean(), { maxLength: 20 }),
  cap: fc.integer({ min: 1, max: 6 }),
  choices: fc.infiniteStream(fc.nat()),
});

describe('the calls of one step', () => {
  test('[M21] [QITOS-86] never more at once than the cap, and each is started exactly once, in call order', () => {
    fc.assert(
      fc.property(plans, ({ exclusive, cap, choices }) => {
        const order = play(
          exclusive,
          cap,
          () => choices.next().value,
          (_, running) => expect(running.length).toBeLessThanOrEqual(cap),
        );
        expect(order).toEqual(exclusive.map((_, index) => index));
      }),
    );
  });

  test('[M21] [QITOS-86] an exclusive call runs alone: all before it are done, none after it has started', () => {
    fc.assert(
      fc.property(plans, ({ exclusive, cap, choices }) => {
        play(
          exclusive,
          cap,
          () => choices.next().value,
          ({ states }, running) => {
            for (const index of running.filter((each) => exclusive[each])) {
              expect(states.slice(0, index).every((state) => state === 'done')).toBe(true);
              expect(states.slice(index + 1).every((state) => state === 'waiting')).toBe(true);
            }
          },
        );
      }),
    );
  });

  test('[M21] no slot is left empty while a call may start', () => {
    fc.assert(
      fc.property(plans, ({ exclusive, cap, choices }) => {
        play(
          exclusive,
          cap,
          () => choices.next().value,
          (plan) => expect(startable(plan)).toEqual([]),
        );
      }),
    );
  });

  test('[M21] four at once where nothing else is said; a cap below one counts as one', () => {
    expect(startable(planCalls(Array<boolean>(6).fill(false)))).toEqual([0, 1, 2, 3]);
    for (const cap of [0, -3, NaN]) expect(startable(planCalls([false, false], cap))).toEqual([0]);
    expect(startable(planCalls([false, false], Infinity))).toEqual([0, 1]);
  });

  test('[QITOS-86] a barrier in the middle holds back what comes after it', () => {
    let plan = planCalls([false, true, false]);
    expect(startable(plan)).toEqual([0]);
    plan = finished(started(plan, [0]), 0);
    expect(startable(plan)).toEqual([1]);
    plan = started(plan, [1]);
    expect(startable(plan)).toEqual([]);
    expect(startable(finished(plan, 1))).toEqual([2]);
  });

  test('[QITOS-86] what has not started can be given up', () => {
    const plan = givenUp(started(planCalls([false, false, false], 2), [0, 1]));
    expect(plan.states).toEqual(['running', 'running', 'done']);
    expect(startable(finished(plan, 0))).toEqual([]);
    expect(isDone(finished(finished(plan, 0), 1))).toBe(true);
  });

  test('[M21] a plan is plain JSON', () => {
    const plan = started(planCalls([false, true]), [0]);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});

test('[TENEX-35] [F18] calls get ids of our own, though a model repeats its ids', () => {
  const calls = [callOf('a', 1), callOf('a', 1, 'cut off')];
  expect(numberCalls(calls, 3)).toEqual([
    { id: 'call_3_0', name: 'a', input: 1 },
    { id: 'call_3_1', name: 'a', input: 1, problem: 'cut off' },
  ]);
});
