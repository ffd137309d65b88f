import { isObject } from '../../base/schemas/option-schemas.ts';
import { andThen } from '../../base/promises/thenable.ts';
import type { ActDecision, BranchTaken, Decision, TakenDecision } from '../../contracts/agents/decision.ts';
import { decisionSchema } from '../../contracts/agents/decision.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { AgentContext, Decided, Trouble } from '../../machines/agent/agent-context.ts';
import type { PlannedCall } from '../../machines/agent/call-plan.ts';
import type { Effect } from '../../contracts/runs/effect.ts';
import { callIdOf } from '../../contracts/runs/effect.ts';
import { callModel } from './call-model.ts';
import { isTooDeep } from '../../base/json/json.ts';
import type { OddValue } from '../../base/json/odd-value.ts';
import { oddValueIn, problemOfOdd } from '../../base/json/odd-value.ts';
import { TOO_DEEP } from '../../models/calls/call-arguments.ts';
import type { Desk } from '../desk.ts';
import { plannedTool } from '../planned-tool.ts';
import { fitDecision } from '../fit-output.ts';
import { takeBranch } from './take-branch.ts';
import { withinAgentTime } from '../within-agent-time.ts';
import { viewOf } from '../view.ts';

/** Decides by the agent's own `decide`, or else by its model. */
export const decide = (effect: Effect, context: AgentContext, desk: Desk): Decided | Promise<Decided> => {
  const { definition } = desk;
  if (definition.decide === undefined) return callModel(effect, context, FIRST, desk);
  const view = viewOf(context, desk);
  return andThen(withinAgentTime(definition.decide(view), 'decide', desk), (choice) => {
    if (choice === undefined) return callModel(effect, context, FIRST, desk);
    const decision = checkChoice(choice, definition.name);
    if (decision.kind !== 'branch') return settleDecision({ decision }, context, desk);
    const given = choice.kind === 'branch' ? choice : decision;
    return andThen(withinAgentTime(takeBranch(given, decision, view), 'branch', desk), (taken) =>
      taken === undefined ? callModel(effect, context, FIRST, desk) : settleDecision(taken, context, desk),
    );
  });
};

const FIRST = { model: 0, attempt: 1, waitedMs: 0, hasTriedMaybe: false, nudge: null } as const;

/** Validates the agent's own decision, which is as foreign as a model's. */
export const checkChoice = (choice: Decision, name: string): Decision => {
  const found = isObject(choice)
    ? problemsOf(choice)
    : { decision: undefined, problems: notAnObject(choice) };
  if (found.decision !== undefined) return found.decision;
  throw new TroupeError(
    'decision.invalid',
    `Cannot use what '${name}' decided as it is no decision: ${found.problems}`,
  );
};

/** Names the value, and what to write in its place. */
const notAnObject = (choice: unknown): string => {
  const found = foundText(choice);
  return `found ${found}, write answer(${found}) for the answer, or act({ name, input }) for a call`;
};

const problemsOf = (
  choice: Decision,
): { readonly decision: Decision } | { readonly decision: undefined; readonly problems: string } => {
  try {
    const parsed = decisionSchema.safeParse(withinReach(choice));
    if (parsed.success) {
      // Throws for a circular value, which the schema accepts.
      JSON.stringify(parsed.data);
      return { decision: parsed.data };
    }
    const odd = oddIn(choice);
    if (odd !== undefined) return { decision: undefined, problems: `${odd.at} is ${problemOfOdd(odd)}` };
    const issues = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'decision'}: ${message}`,
    );
    return { decision: undefined, problems: issues.join('; ') };
  } catch (thrown) {
    return {
      decision: undefined,
      problems: `decision: ${messageOf(thrown)}`.replace(/(?<!\s)\s*\n\s*/g, ' '),
    };
  }
};

/** Finds what is not plain JSON in an answer or in calls; the validation names what else is wrong. */
const oddIn = (choice: Decision): OddValue | undefined => {
  switch (choice.kind) {
    case 'answer':
      return choice.answer === undefined ? undefined : oddValueIn(choice.answer, 'answer');
    case 'act':
      return oddValueIn(choice.calls, 'calls');
    default:
      return undefined;
  }
};

/** Replaces call arguments that are nested too deeply: that fails the call, not the run. */
const withinReach = (choice: Decision, above: readonly Decision[] = []): Decision => {
  if (choice.kind === 'act' && Array.isArray(choice.calls))
    return {
      ...choice,
      calls: choice.calls.map((call) => (isTooDeep(call?.input) ? { ...call, input: OUT_OF_REACH } : call)),
    };
  // Circular branches and invalid candidates are left to the validation.
  if (choice.kind === 'branch' && Array.isArray(choice.candidates) && !above.includes(choice))
    return {
      ...choice,
      candidates: choice.candidates.map((candidate) =>
        isObject(candidate?.decision)
          ? { ...candidate, decision: withinReach(candidate.decision, [...above, choice]) }
          : candidate,
      ),
    };
  return choice;
};

const OUT_OF_REACH = '[too deep]';

/**
 * Completes a decision for the machine: an answer is parsed by the output schema.
 *
 * @throws (or rejects with) {TroupeError} `output.invalid` for an answer that does not fit.
 */
export const settleDecision = (
  taken: TakenChoice,
  context: AgentContext,
  desk: Desk,
): Exclude<Decided, Trouble> | Promise<Exclude<Decided, Trouble>> =>
  andThen(fitDecision(taken.decision, desk.definition), (decision) =>
    choiceOf({ ...taken, decision }, context, desk),
  );

interface TakenChoice {
  readonly decision: TakenDecision;
  readonly branch?: BranchTaken;
}

const choiceOf = (taken: TakenChoice, context: AgentContext, desk: Desk): Exclude<Decided, Trouble> =>
  taken.decision.kind === 'act'
    ? { kind: 'decided', ...taken, calls: plannedCalls(taken.decision, context, desk) }
    : { kind: 'decided', ...taken };

const plannedCalls = (decision: ActDecision, { step }: AgentContext, desk: Desk): readonly PlannedCall[] =>
  decision.calls.map(({ name, input }, index) => ({
    id: callIdOf(step, index),
    name,
    input,
    ...(input === OUT_OF_REACH ? { problem: TOO_DEEP } : {}),
    ...plannedTool(name, desk),
  }));
