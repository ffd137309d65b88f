import type { Json } from '../../base/json/json.ts';
import type { Deadline, StopRule, StopView } from '../../contracts/agents/stop-rule.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import { atOnce, plain } from '../rules.ts';

/** Stops when any of the rules does, with the reason of the first in order. */
export const anyOf = (...rules: readonly StopRule[]): StopRule => ({
  name: `anyOf(${namesOf(rules)})`,
  limitsSteps: rules.some((rule) => rule.limitsSteps === true),
  ...withDeadline(earliestDeadline(rules)),
  check: (view, memory) => firstReason(rules, view, memory),
  ...togetherOf(rules),
  ...pressRules(rules, (...all) => Math.max(...all)),
});

/** Stops when all of the rules do at the same CHECK_STOP, with the reason of the last. */
export const allOf = (...rules: readonly StopRule[]): StopRule => ({
  name: `allOf(${namesOf(rules)})`,
  ...withDeadline(commonDeadline(rules)),
  check: (view, memory) => {
    const reasons = rules.map((rule, index) => atOnce(rule.check(view, memoryAt(memory, index))));
    return reasons.includes(undefined) ? undefined : reasons.at(-1);
  },
  ...togetherOf(rules),
  ...(rules.every((rule) => rule.pressure !== undefined)
    ? pressRules(rules, (...all) => Math.min(...all))
    : {}),
});

/** The earliest deadline; undefined if no rule has one. */
export const earliestDeadline = (rules: readonly StopRule[]): Deadline | undefined => {
  let earliest: Deadline | undefined;
  for (const { deadline } of rules)
    if (deadline !== undefined && !(deadline.afterMs >= (earliest?.afterMs ?? Infinity))) earliest = deadline;
  return earliest;
};

/** The deadline by which all rules stop in any case: the last one, with the reason of the last rule. */
const commonDeadline = (rules: readonly StopRule[]): Deadline | undefined => {
  const deadlines = rules.flatMap(({ deadline }) => deadline ?? []);
  const reason = deadlines.at(-1)?.reason;
  if (reason === undefined || deadlines.length < rules.length) return undefined;
  return { afterMs: Math.max(...deadlines.map(({ afterMs }) => afterMs)), reason };
};

const withDeadline = (deadline: Deadline | undefined): Pick<StopRule, 'deadline'> =>
  deadline === undefined ? {} : { deadline };

/** The reason of the first rule that has one. */
export const firstReason = (
  rules: readonly StopRule[],
  view: StopView,
  memory?: Json,
): StopReason | undefined => {
  for (let index = 0; index < rules.length; index += 1) {
    const reason = atOnce(rules[index]?.check(view, memoryAt(memory, index)));
    if (reason !== undefined) return reason;
  }
  return undefined;
};

/** The memories of all rules by index; undefined if no rule has a memory. */
export const memoriesOf = (
  rules: readonly StopRule[],
  view: StopView,
  memory: Json | undefined,
): readonly Json[] | undefined =>
  rules.some(keeps)
    ? rules.map((rule, index) => {
        const before = memoryAt(memory, index);
        const kept = atOnce(rule.remember?.(view, before)) ?? null;
        return kept === null ? null : plain(kept, before, 'memory');
      })
    : undefined;

/** The memory of the rule at `index`. */
export const memoryAt = (memory: Json | undefined, index: number): Json | undefined =>
  Array.isArray(memory) ? (memory[index] ?? undefined) : undefined;

/** Warnings of the rules for the model. */
export const warningsOf = (
  rules: readonly StopRule[],
  view: StopView,
  memory: Json | undefined,
): readonly string[] =>
  rules.flatMap((rule, index) => {
    const text = atOnce(rule.warn?.(view, memoryAt(memory, index)));
    return text === undefined || text === '' ? [] : [text];
  });

/** The rule nearest to its limit, and the used share of it; undefined if no rule has a gradual limit. */
export const nearestLimit = (
  rules: readonly StopRule[],
  view: StopView,
  memory?: Json,
): { readonly rule: string; readonly used: number } | undefined => {
  let nearest: { readonly rule: string; readonly used: number } | undefined;
  rules.forEach((rule, index) => {
    const used = atOnce(rule.pressure?.(view, memoryAt(memory, index)));
    if (used !== undefined && !(used <= (nearest?.used ?? -1))) nearest = { rule: rule.name, used };
  });
  return nearest;
};

const keeps = (rule: StopRule): boolean => rule.remember !== undefined;

/** Includes only members that one of the rules has, so that rules without memory cost nothing. */
const togetherOf = (rules: readonly StopRule[]): Pick<StopRule, 'remember' | 'warn'> => ({
  ...(rules.some(keeps) ? { remember: (view, memory) => [...(memoriesOf(rules, view, memory) ?? [])] } : {}),
  ...(rules.some((rule) => rule.warn !== undefined)
    ? { warn: (view, memory) => warningsOf(rules, view, memory).join('\n\n') }
    : {}),
});

const pressRules = (
  rules: readonly StopRule[],
  choose: (...all: readonly number[]) => number,
): Pick<StopRule, 'pressure'> =>
  rules.some((rule) => rule.pressure !== undefined)
    ? {
        pressure: (view, memory) =>
          choose(
            ...rules.flatMap((rule, index) => {
              const used = rule.pressure?.(view, memoryAt(memory, index));
              return used === undefined ? [] : [used];
            }),
          ),
      }
    : {};

const namesOf = (rules: readonly StopRule[]): string => rules.map((rule) => rule.name).join(', ');
