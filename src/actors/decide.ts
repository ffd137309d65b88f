import type { ActDecision, Decision } from '../contracts/decision.ts';
import { decisionSchema } from '../contracts/decision.ts';
import { TroupeError } from '../contracts/error.ts';
import type { AgentContext, Decided } from '../machines/agent-context.ts';
import type { PlannedCall } from '../machines/call-plan.ts';
import type { Effect } from '../contracts/effect.ts';
import { callIdOf } from '../contracts/effect.ts';
import { callModel } from './call-model.ts';
import type { Desk } from './desk.ts';
import { andThen } from './promises.ts';
import { viewOf } from './view.ts';

/** The agent's own choice first; where it has none, its model's. */
export const decide = (effect: Effect, context: AgentContext, desk: Desk): Decided | Promise<Decided> => {
  const { definition } = desk;
  const first = { model: 0, attempt: 1, waitedMs: 0, hasTriedMaybe: false, nudge: null };
  if (definition.decide === undefined) return callModel(effect, context, first, desk);
  return andThen(definition.decide(viewOf(context, desk)), (choice) =>
    choice === undefined ? callModel(effect, context, first, desk) : chosen(choice, context, desk),
  );
};

/** A choice of the agent's own, checked: what it returns is as foreign as what a model says. */
const chosen = (choice: Decision, context: AgentContext, desk: Desk): Decided => {
  const parsed = decisionSchema.safeParse(choice);
  if (!parsed.success) {
    const found = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'decision'}: ${message}`,
    );
    const { name } = desk.definition;
    throw new TroupeError(
      'decision.invalid',
      `Cannot use what '${name}' decided as it is no decision: ${found.join('; ')}`,
    );
  }
  const decision: Decision = parsed.data;
  return decision.kind === 'act'
    ? { kind: 'decided', decision, calls: plannedCalls(decision, context, desk) }
    : { kind: 'decided', decision };
};

const plannedCalls = (decision: ActDecision, { step }: AgentContext, desk: Desk): readonly PlannedCall[] =>
  decision.calls.map(({ name, input }, index) => ({
    id: callIdOf(step, index),
    name,
    input,
    exclusive: desk.tools.find(name)?.exclusive ?? false,
  }));
