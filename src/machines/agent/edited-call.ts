import type { Json } from '../../base/json/json.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { Cycle } from './agent-context.ts';
import type { CallPlan } from './call-plan.ts';

/** Applies a person's change of a call to the current step: the plan, the decision and the turn shown to the model. */
export const withEditedCall = (cycle: Cycle, plan: CallPlan, index: number, input: Json): Cycle => {
  const edited = <Call extends Pick<ToolCall, 'input'>>(calls: readonly Call[]): readonly Call[] =>
    calls.map((call, at) => (at === index ? { ...call, input } : call));
  const { decision, turn } = cycle;
  return {
    ...cycle,
    plan: { ...plan, calls: edited(plan.calls) },
    ...(decision?.kind === 'act' ? { decision: { ...decision, calls: edited(decision.calls) } } : {}),
    ...(turn?.calls === undefined ? {} : { turn: { ...turn, calls: edited(turn.calls) } }),
  };
};
