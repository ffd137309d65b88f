import type { TakenDecision } from '../contracts/agents/decision.ts';
import { errorData, TroupeError } from '../contracts/errors/error.ts';
import type { Json } from '../base/json/json.ts';
import type { Checked } from '../base/schemas/schema.ts';
import type { ToolResult } from '../contracts/tools/tool-result.ts';
import { issuesText } from '../base/schemas/schema.ts';
import { failure } from '../tools/calls/tool-result.ts';
import type { AgentDefinition, OutputCheck } from './agent-definition.ts';
import { andThen } from '../base/promises/thenable.ts';

type Definition = Pick<AgentDefinition, 'name' | 'checkOutput'>;

/** Checks whether an answer is a string at its root: a text that is no JSON string is then the answer itself. */
export const isTextOutput = ({ spec }: OutputCheck): boolean => spec.schema['type'] === 'string';

/**
 * Parses a decision's answer by the agent's output schema. Other decisions are returned unchanged.
 *
 * @throws (or rejects with) {TroupeError} `output.invalid` for an answer that does not fit.
 */
export const fitDecision = (
  decision: TakenDecision,
  { name, checkOutput }: Definition,
): TakenDecision | Promise<TakenDecision> =>
  decision.kind !== 'answer' || checkOutput === undefined
    ? decision
    : andThen(checkOutput(decision.answer), (checked) => ({ ...decision, answer: valueOf(checked, name) }));

/**
 * Parses the answer of a tool that completes the run by the agent's output schema; an invalid one becomes a failure that the model reads.
 * Other results are returned unchanged.
 */
export const fitCompletion = (
  result: ToolResult,
  { name, checkOutput }: Definition,
): ToolResult | Promise<ToolResult> => {
  if (!result.ok || result.control?.type !== 'complete' || checkOutput === undefined) return result;
  const { control } = result;
  return andThen(checkOutput(control.answer), (checked) => {
    try {
      return { ...result, control: { ...control, answer: valueOf(checked, name) } };
    } catch (thrown) {
      const { callId, tool, durationMs, attempts } = result;
      const call = { id: callId, name: tool, input: null };
      const message = `Cannot complete with the answer of '${tool}'`;
      return failure(call, 'validation', errorData(thrown, 'output.invalid', { message, tool }), {
        durationMs,
        attempts,
      });
    }
  });
};

const valueOf = (checked: Checked<Json>, agent: string): Json => {
  if (checked.ok) return checked.value;
  throw new TroupeError(
    'output.invalid',
    `Cannot use the answer of '${agent}' as it does not fit its schema: ${issuesText(checked.issues)}`,
  );
};
