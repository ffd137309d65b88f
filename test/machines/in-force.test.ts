import { describe, expect, test } from 'vitest';
import type { Output } from '../../src/machines/outputs.ts';
import type { Rules } from '../../src/machines/rules.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { moveUnder, put, rulesInForce } from '../../src/machines/in-force.ts';

const NO_RULES: Rules = { stop: [] };

const fail = (): never => {
  throw new Error('boom');
};

describe('the rules in force', () => {
  const outer: Rules = { stop: [maxSteps(1)] };
  const inner: Rules = { stop: [maxSteps(2)] };

  test('[I2] are those of the move at hand, and of nobody after it', () => {
    const before = rulesInForce();
    const seen = moveUnder(outer, [], () => [
      rulesInForce(),
      moveUnder(inner, [], rulesInForce),
      rulesInForce(),
    ]);
    expect(seen).toEqual([outer, inner, outer]);
    expect(rulesInForce()).toBe(before);
    expect(before.stop).toEqual([]);
  });

  test('are given back where a move throws', () => {
    const before = rulesInForce();
    expect(() => moveUnder(outer, [], fail)).toThrow('boom');
    expect(rulesInForce()).toBe(before);
  });
});

describe('the outputs of a move', () => {
  test('of a bare machine are dropped', () => {
    expect(() => {
      put({ type: 'withdraw' });
    }).not.toThrow();
  });

  test('are those put while it lasts, also where it throws', () => {
    const outer: Output[] = [];
    const inner: Output[] = [];
    const thrown: Output[] = [];
    const dismiss = { type: 'dismiss' } as const;
    const withdraw = { type: 'withdraw' } as const;
    moveUnder(NO_RULES, outer, () => {
      put(withdraw);
      moveUnder(NO_RULES, inner, () => {
        put(dismiss);
      });
      expect(() =>
        moveUnder(NO_RULES, thrown, () => {
          put(dismiss);
          fail();
        }),
      ).toThrow('boom');
      put(withdraw);
    });
    put(dismiss);
    expect([outer, inner, thrown]).toEqual([[withdraw, withdraw], [dismiss], [dismiss]]);
  });
});
