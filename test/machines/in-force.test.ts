import { describe, expect, test } from 'vitest';
import type { Carrier } from '../../src/machines/outputs.ts';
import { carrierOf, collectingInto } from '../../src/machines/outputs.ts';
import type { Rules } from '../../src/machines/rules.ts';
import { rulesInForce, underRules } from '../../src/machines/rules.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';

const carrier = (): Carrier => ({ ...carrierOf({}) });
const fail = (): never => {
  throw new Error('boom');
};

describe('the rules in force', () => {
  const outer: Rules = { stop: [maxSteps(1)] };
  const inner: Rules = { stop: [maxSteps(2)] };

  test('[I2] are those of the move at hand, and of nobody after it', () => {
    const before = rulesInForce();
    const seen = underRules(outer, () => [rulesInForce(), underRules(inner, rulesInForce), rulesInForce()]);
    expect(seen).toEqual([outer, inner, outer]);
    expect(rulesInForce()).toBe(before);
    expect(before.stop).toEqual([]);
  });

  test('are given back where a move throws', () => {
    const before = rulesInForce();
    expect(() => underRules(outer, fail)).toThrow('boom');
    expect(rulesInForce()).toBe(before);
  });
});

describe('the carrier of a move', () => {
  test('of a bare machine drops everything', () => {
    expect(() => {
      carrierOf({}).withdraw();
    }).not.toThrow();
  });

  test('is the collecting one for as long as a move lasts, whatever actor asks', () => {
    const [nobody, ours] = [carrierOf({}), carrier()];
    expect(collectingInto(ours, () => [carrierOf({}), carrierOf({})])).toEqual([ours, ours]);
    expect(carrierOf({})).toBe(nobody);
    expect(() => collectingInto(ours, fail)).toThrow('boom');
    expect(carrierOf({})).toBe(nobody);
  });
});
