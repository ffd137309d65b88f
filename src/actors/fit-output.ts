import type { TakenDecision } from '../contracts/decision.ts';
import { errorData, TroupeError } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import { toJson } from '../contracts/json.ts';
import type { Checked } from '../contracts/schema.ts';
import type { ToolResult } from '../contracts/tool.ts';
import { issuesText } from '../contracts/schema.ts';
import { failure } from '../tools/tool-result.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { andThen } from './promises.ts';

type Definition = Pick<AgentDefinition, 'name' | 'checkOutput'>;

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

const valueOf = (checked: Checked<unknown>, agent: string): Json => {
  if (checked.ok) return toJson(checked.value);
  throw new TroupeError(
    'output.invalid',
    `Cannot use the answer of '${agent}' as it does not fit its schema: ${issuesText(checked.issues)}`,
  );
};
