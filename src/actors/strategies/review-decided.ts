import { copyPlain } from '../../base/json/copy-plain.ts';
import { freezeJson } from '../../base/json/freeze-json.ts';
import type { TakenDecision } from '../../contracts/agents/decision.ts';
import type { DecisionReview, Strategy } from '../../contracts/agents/strategy.ts';
import { callIdOf } from '../../contracts/runs/effect.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import { andThen, isThenable } from '../../base/promises/thenable.ts';
import type { AgentContext, Decided } from '../../machines/agent/agent-context.ts';
import type { PlannedCall } from '../../machines/agent/call-plan.ts';
import type { Desk } from '../desk.ts';
import { plannedTool } from '../planned-tool.ts';
import { fitDecision } from '../fit-output.ts';
import { viewOf } from '../view.ts';
import { withinAgentTime } from '../within-agent-time.ts';

const NOTHING = { input: 0, output: 0 } as const;

/** Lets a strategy review a decision; trouble and refusals are returned unchanged. */
export const reviewDecided = (
  decided: Decided,
  strategy: Strategy,
  context: AgentContext,
  desk: Desk,
): Decided | Promise<Decided> => {
  if (strategy.review === undefined || decided.kind !== 'decided') return decided;
  let onAsk = (): void => undefined;
  const asked = new Promise<'asked'>((resolve) => {
    onAsk = () => {
      resolve('asked');
    };
  });
  const review = strategy.review(freezeJson(decided.decision), {
    view: viewOf(context, desk),
    ask: (question) => {
      onAsk();
      return desk.ask(question);
    },
  });
  if (!isThenable(review)) return reviewChoice(decided, review, context, desk);
  const work = Promise.resolve(review);
  // The agent's time limit applies until a person is asked; people may take longer.
  const first = withinAgentTime(Promise.race([work, asked]), `review of ${strategy.name}`, desk);
  return Promise.resolve(first)
    .then((said) => (said === 'asked' ? work : said))
    .then((said) => reviewChoice(decided, said, context, desk));
};

type Chosen = Extract<Decided, { kind: 'decided' }>;

const reviewChoice = (
  decided: Chosen,
  review: DecisionReview,
  context: AgentContext,
  desk: Desk,
): Decided | Promise<Decided> => {
  switch (review.kind) {
    case 'keep':
      return decided;
    case 'refuse': {
      const { turn, usage = NOTHING, retries } = decided;
      // Calls that are not made are put into words, as a conversation must not contain unanswered calls.
      const wanted = turn?.text.trim() || `I would ${inWords(decided.decision)}.`;
      return {
        kind: 'again',
        turn: { role: 'assistant', text: wanted },
        note: `That was refused: ${review.reason}. Decide anew.`,
        usage,
        ...(retries === undefined ? {} : { retries }),
      };
    }
    case 'replace':
      return andThen(fitDecision(review.decision, desk.definition), (decision) =>
        replaceDecision(decided, decision, context, desk),
      );
    default:
      // JavaScript callers may return anything.
      throw new TypeError(`Cannot use a review as it is invalid: ${messageOf(review)}`);
  }
};

const replaceDecision = (
  decided: Chosen,
  decision: TakenDecision,
  { step }: AgentContext,
  desk: Desk,
): Chosen => {
  const { turn, calls: _, ...rest } = decided;
  if (decision.kind !== 'act') return { ...rest, decision };
  const calls = decision.calls.map(({ name, input }, index): PlannedCall => ({
    id: callIdOf(step, index),
    name,
    input: copyPlain(input),
    ...plannedTool(name, desk),
  }));
  // The provider's data does not match the changed calls.
  const text = turn?.text ?? '';
  return { ...rest, decision, calls, turn: { role: 'assistant', text, calls } };
};

const inWords = (decision: TakenDecision): string => {
  switch (decision.kind) {
    case 'act':
      return `use ${decision.calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join(', ')}`;
    case 'answer':
      return `answer ${JSON.stringify(decision.answer)}`;
    case 'wait':
      return 'wait';
    case 'handoff':
      return `hand the task to ${decision.to}`;
  }
};
