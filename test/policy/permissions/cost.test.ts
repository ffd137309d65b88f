import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { consultSafety } from '../../../src/actors/acting/consult-safety.ts';
import { anyGlob } from '../../../src/policy/permissions/glob.ts';
import type { PolicyRule } from '../../../src/policy/index.ts';
import { policy } from '../../../src/policy/index.ts';
import { callUntyped } from '../../support/call-untyped.ts';
import { proposed } from './proposed-call.ts';
import { sized } from '../../support/thorough.ts';

afterEach(() => vi.restoreAllMocks());

const MINUTE = 60_000;

describe('a policy of a hundred rules', () => {
  const hours = { from: '09:00', to: '17:00', zone: 'Asia/Tokyo' };
  const rules = Array.from({ length: 100 }, (_, index): PolicyRule => {
    const zone = index % 2 === 0 ? 'Asia/Tokyo' : 'asia/tokyo';
    const to = `1${index % 8}:${10 + (index >> 1)}`;
    return { name: `hours ${index}`, effect: 'deny', tool: 'sav*', between: { ...hours, to, zone } };
  });

  test('formats a time once for each second and zone, whatever the number of rules and calls', () => {
    const formatted = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
    const judge = policy({ mode: 'bypass', rules });
    const from = Date.UTC(2031, 4, 5, 12);
    for (let call = 0; call < 1_000; call += 1) void judge(proposed({ at: from + call }));
    expect(formatted).toHaveBeenCalledTimes(1);
    void judge(proposed({ at: from + 1_000 }));
    expect(formatted).toHaveBeenCalledTimes(2);
  });

  test('judges each call by its own time, in whatever order the calls come', () => {
    const judge = policy({ mode: 'bypass', rules: [{ name: 'open', effect: 'deny', between: hours }] });
    const opening = Date.UTC(2031, 4, 6);
    const at = [opening, opening - 1, opening + 7 * 60 * MINUTE, opening, opening + 8 * 60 * MINUTE, opening];
    const verdicts = at.map((time) => {
      const said = judge(proposed({ at: time }));
      return 'verdict' in said ? said.verdict : 'late';
    });
    expect(verdicts).toEqual(['deny', 'allow', 'deny', 'deny', 'allow', 'deny']);
  });
});

test('a glob of stars matches what a regular expression of it matches', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '🙂'), maxLength: 4 });
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '🙂', '*'), maxLength: 5 });
  fc.assert(
    fc.property(glob, text, (signs, found) => {
      const expected = new RegExp(`^${signs.replaceAll('*', '.*')}$`, 'u').test(found);
      expect(anyGlob(signs)(found)).toBe(expected);
      expect(anyGlob([`?${signs}`, signs])(found)).toBe(expected || anyGlob(`?${signs}`)(found));
    }),
    { numRuns: sized(500, 2_000) },
  );
});

test('where there is no policy, nothing of a call is read to judge it', () => {
  expect(callUntyped({ consultSafety }, 'consultSafety', undefined, undefined, undefined, {})).toEqual({
    verdict: 'allow',
  });
});
