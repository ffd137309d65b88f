import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import type { PolicyRule } from './rule.ts';
import { conditions } from './rule.ts';

/** The problems of rules that can never decide: of a name that another has, or behind a rule that decides each call that they match. */
export const idleRules = (rules: readonly PolicyRule[]): readonly string[] =>
  rules.flatMap((rule, index) => {
    if (rules.slice(0, index).some(({ name }) => name === rule.name))
      return [`several rules have the name '${rule.name}'`];
    const before = rules.find(
      (other, at) => other !== rule && isBefore(other, at, rule, index) && covers(other, rule),
    );
    if (before === undefined) return [];
    const never = `the rule '${rule.name}' can never decide: '${before.name}' matches every call that it matches`;
    // A rule without conditions that denies is meant for all other calls.
    const isOtherwise = before.effect === 'deny' && conditions.every((each) => before[each] === undefined);
    return [isOtherwise ? `${never}; write \`otherwise: 'deny'\` in its place` : never];
  });

const STRENGTH = { deny: 0, ask: 1, allow: 2 } as const;

/** Rules that ask are all met: none of them is in the way of another. */
const isBefore = (other: PolicyRule, at: number, rule: PolicyRule, index: number): boolean => {
  const [first, second] = [STRENGTH[other.effect], STRENGTH[rule.effect]];
  return first < second || (first === second && at < index && rule.effect !== 'ask');
};

/** True if each condition of the one is one of the other, or matches anything. */
const covers = (one: PolicyRule, other: PolicyRule): boolean =>
  conditions.every((condition) => {
    const given = one[condition];
    if (given === undefined || (given === '**' && condition === 'path')) return true;
    if (given === '*' && (condition === 'tool' || condition === 'agent')) return true;
    return other[condition] !== undefined && same(given, other[condition]);
  });

const same = (one: unknown, other: unknown): boolean => canonical(toJson(one)) === canonical(toJson(other));
