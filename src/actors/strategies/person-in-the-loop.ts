import type { TakenDecision } from '../../contracts/agents/decision.ts';
import { decisionSchema } from '../../contracts/agents/decision.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { DecisionReview, Strategy } from '../../contracts/agents/strategy.ts';

/** Options of {@link personInTheLoop}. */
export interface PersonInTheLoopOptions {
  /** Kinds of decision that a person reviews. Default: calls and answers. */
  readonly kinds?: readonly TakenDecision['kind'][] | undefined;
}

/**
 * Lets a person confirm, edit or refuse each decision before it counts.
 *
 * `yes` confirms. JSON edits: another input of the one call, another answer, or a whole decision (`{"kind": …}`). For an answer any other
 * text replaces it. `no`, or `no: why`, refuses: the agent gets the reason and decides again. A run without a person fails.
 *
 * @example agent({ name: 'clerk', strategy: personInTheLoop({ kinds: ['act'] }) })
 */
export const personInTheLoop = ({ kinds = ['act', 'answer'] }: PersonInTheLoopOptions = {}): Strategy => ({
  name: 'person-in-the-loop',
  review: async (decision, desk) =>
    kinds.includes(decision.kind)
      ? reviewOf(await desk.ask(questionOf(decision)), decision)
      : { kind: 'keep' },
});

/** The question for the person. */
const questionOf = (decision: TakenDecision): string => {
  switch (decision.kind) {
    case 'act':
      return `Use ${decision.calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join(', ')}? (yes, no: why, or another input)`;
    case 'answer':
      return `Answer ${JSON.stringify(decision.answer)}? (yes, no: why, or another answer)`;
    case 'wait':
      return `Wait${decision.reason === undefined ? '' : ` for ${decision.reason}`}? (yes, or no: why)`;
    case 'handoff':
      return `Hand the task to ${decision.to}? (yes, or no: why)`;
  }
};

/** Parses a person's reply to a decision. */
export const reviewOf = (reply: string, decision: TakenDecision): DecisionReview => {
  const text = reply.trim();
  if (/^(y|yes|ok|okay)[.!]?$/i.test(text)) return { kind: 'keep' };
  if (/^no\b/i.test(text)) {
    const why = text
      .slice(2)
      .trimStart()
      .replace(/^[:,.-]/, '')
      .trim();
    return { kind: 'refuse', reason: why === '' ? 'a person said no' : why };
  }
  const edited = editOf(text, decision);
  return edited === undefined
    ? { kind: 'refuse', reason: text === '' ? 'a person said nothing' : text }
    : { kind: 'replace', decision: edited };
};

const editOf = (text: string, decision: TakenDecision): TakenDecision | undefined => {
  const value = jsonIn(text);
  const whole = decisionSchema.safeParse(value);
  if (whole.success && whole.data.kind !== 'branch') return whole.data;
  if (decision.kind === 'answer' && text !== '')
    return {
      kind: 'answer',
      answer: value === undefined || typeof decision.answer === 'string' ? text : toJson(value),
    };
  const [call, ...others] = decision.kind === 'act' ? decision.calls : [];
  return call !== undefined && others.length === 0 && isJsonObject(value)
    ? { kind: 'act', calls: [{ name: call.name, input: toJson(value) }] }
    : undefined;
};

const jsonIn = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
};
