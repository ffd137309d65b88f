import type { WrapUp } from '../../contracts/agents/ending.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { StopRule, StopView } from '../../contracts/agents/stop-rule.ts';
import { memoryAt, nearestLimit } from './composed-rules.ts';
import { atOnce } from '../rules.ts';
import type { Watch } from './watch.ts';

/** The effect of nearing a limit: progress data, a note to the model, and an event. */
export interface Nearing {
  readonly watch: Watch;
  readonly note: string;
  readonly notice: EventBody;
}

/** Checks whether the next step has no tools. */
export const isWrappingUp = ({ stage }: Pick<Watch, 'stage'>): boolean => stage === 'wrappingUp';

/** The warning due for the nearest limit; undefined if there is none. */
export const nearing = (
  watch: Watch,
  rules: readonly StopRule[],
  view: StopView,
  wrapUp: WrapUp,
): Nearing | undefined => {
  if (isWrappingUp(watch)) return undefined;
  const nearest = nearestLimit(rules, view, watch.memory);
  if (nearest === undefined) return undefined;
  const { rule, used } = nearest;
  if (used >= wrapUp.wrapUpAt || used >= 1) return wrappingUp(watch, rule, used, 0);
  if (used < wrapUp.warnAt || watch.stage === 'warned') return undefined;
  return {
    watch: { ...watch, stage: 'warned' },
    note: `You have used ${Math.floor(used * 100)} % of what you may (${rule}). Come to an end soon.`,
    notice: { type: 'limit.neared', rule, used, stage: 'warned' },
  };
};

/** Decides whether a run that passed a limit may still wrap up, for a number of steps. */
export const graceAt = (
  watch: Watch,
  rules: readonly StopRule[],
  view: StopView,
  wrapUp: WrapUp,
): { readonly watch: Watch; readonly nearing?: Nearing } | undefined => {
  const hit = rules.filter(
    (rule, index) => atOnce(rule.check(view, memoryAt(watch.memory, index))) !== undefined,
  );
  const [first] = hit;
  const mayGoOn = hit.every(
    (rule) => rule.pressure !== undefined && rule.limitsSteps !== true && rule.deadline === undefined,
  );
  if (first === undefined || !mayGoOn) return undefined;
  if (isWrappingUp(watch))
    return watch.grace > 1 ? { watch: { ...watch, grace: watch.grace - 1 } } : undefined;
  if (wrapUp.graceSteps < 1) return undefined;
  const used = nearestLimit([first], view, [memoryAt(watch.memory, rules.indexOf(first)) ?? null])?.used;
  const begun = wrappingUp(watch, first.name, used ?? 1, wrapUp.graceSteps);
  return { watch: begun.watch, nearing: begun };
};

const wrappingUp = (watch: Watch, rule: string, used: number, grace: number): Nearing => ({
  watch: { ...watch, stage: 'wrappingUp', grace },
  note: 'You are at the limit of what you may, and there are no more tools. Give your final answer now, with what you have.',
  notice: {
    type: 'limit.neared',
    rule,
    used,
    stage: 'wrappingUp',
    ...(watch.said === '' ? {} : { partial: watch.said }),
  },
});
