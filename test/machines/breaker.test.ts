import fc from 'fast-check';
import { initialTransition, transition } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { BreakerEvent } from '../../src/machines/resources/breaker-machine.ts';
import { breakerMachine } from '../../src/machines/resources/breaker-machine.ts';
import { checkMachine } from '../../src/machines/check-machine.ts';
import { search } from '../resources/manual-clock.ts';

const after = (events: readonly BreakerEvent[], failures = 5) =>
  events.reduce(
    (snapshot, event) => transition(breakerMachine, snapshot, event)[0],
    initialTransition(breakerMachine, { failures, halfOpenAfterMs: 30_000 })[0],
  );

const fail = (at: number, spell = 0): BreakerEvent => ({ type: 'failed', at, spell });
const five = [1, 2, 3, 4, 5].map((at) => fail(at));

describe('the breaker machine', () => {
  test('keeps the rules of the house, but that it has no end: it lasts as long as whoever it guards', () => {
    expect(checkMachine(breakerMachine)).toEqual(['no final state can be reached']);
  });

  test('[KAIZEN-53] opens at the fifth failure in a row, not at the fourth', () => {
    expect(after(five.slice(1)).value).toBe('closed');
    expect(after(five).value).toBe('open');
  });

  test('a success in between begins the count anew', () => {
    const events: BreakerEvent[] = [...five.slice(1), { type: 'succeeded', spell: 0 }, ...five.slice(1)];
    expect(after(events).value).toBe('closed');
  });

  test('what is spared neither counts nor forgives', () => {
    expect(after([...five.slice(1), { type: 'spared', spell: 0 }, fail(6)]).value).toBe('open');
  });

  test('half-opens when it is due, not a moment before', () => {
    expect(after([...five, { type: 'asked', at: 30_004 }]).value).toBe('open');
    expect(after([...five, { type: 'asked', at: 30_005 }]).value).toBe('halfOpen');
  });

  test('the one that is let through decides; what began before it says nothing', () => {
    const half: BreakerEvent[] = [...five, { type: 'asked', at: 40_000 }];
    expect(after([...half, { type: 'succeeded', spell: 0 }]).value).toBe('halfOpen');
    expect(after([...half, fail(40_001)]).value).toBe('halfOpen');
    expect(after([...half, { type: 'succeeded', spell: 2 }]).value).toBe('closed');
    const again = after([...half, fail(41_000, 2)]);
    expect(again.value).toBe('open');
    expect(again.context.dueAt).toBe(71_000);
  });

  test('one that was let through and called off leaves the next to try', () => {
    const events: BreakerEvent[] = [...five, { type: 'asked', at: 40_000 }, { type: 'spared', spell: 2 }];
    expect(after(events).value).toBe('open');
    expect(after([...events, { type: 'asked', at: 40_001 }]).value).toBe('halfOpen');
  });

  test('is what a small model of it is, whatever happens', () => {
    const kinds = fc.constantFrom('asked', 'succeeded', 'failed', 'spared');
    const steps = fc.array(fc.record({ kind: kinds, ms: fc.nat(40_000), isLate: fc.boolean() }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4 }), (given, failures) => {
        let snapshot = after([], failures);
        const model = { state: 'closed', inRow: 0, dueAt: 0, spell: 0 };
        const to = (state: string): void => {
          Object.assign(model, { state, inRow: 0, spell: model.spell + 1 });
        };
        let at = 0;
        for (const { kind, ms, isLate } of given) {
          at += ms;
          const spell = isLate ? model.spell - 1 : model.spell;
          const event = (kind === 'asked' ? { type: kind, at } : { type: kind, at, spell }) as BreakerEvent;
          [snapshot] = transition(breakerMachine, snapshot, event);
          if (kind === 'asked') {
            if (model.state === 'open' && at >= model.dueAt) to('halfOpen');
          } else if (!isLate && model.state === 'closed') {
            if (kind === 'succeeded') model.inRow = 0;
            if (kind === 'failed') model.inRow += 1;
            if (model.inRow >= failures) {
              to('open');
              model.dueAt = at + 30_000;
            }
          } else if (!isLate && model.state === 'halfOpen') {
            to(kind === 'succeeded' ? 'closed' : 'open');
            if (kind === 'failed') model.dueAt = at + 30_000;
          }
          expect(snapshot.value).toBe(model.state);
          expect(snapshot.context).toMatchObject({ inRow: model.inRow, spell: model.spell });
        }
      }),
      search,
    );
  });
});
