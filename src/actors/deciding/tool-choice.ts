import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { ToolChoice } from '../../contracts/models/model.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { unknownToolMessage } from '../../tools/define/unknown-tool.ts';
import type { AgentContext } from '../../machines/agent/agent-context.ts';
import { isWrappingUp } from '../../machines/stopping/wrap-up.ts';
import type { AgentDefinition } from '../agent-definition.ts';
import type { Desk } from '../desk.ts';

/**
 * The choice of tools of a model call, by the agent's settings; none while it wraps up.
 *
 * A forced call is forced until the agent has called a tool in its run: forced at every step, it could never answer.
 */
export const choiceOfTools = (
  { review, tally }: Pick<AgentContext, 'review' | 'tally'>,
  { settings }: Pick<AgentDefinition, 'settings'>,
  specs: readonly ToolSpec[],
): ToolChoice | undefined => {
  if (isWrappingUp(review.watch)) return 'none';
  const choice = settings?.toolChoice;
  if (choice === undefined || choice === 'auto' || choice === 'none') return choice;
  // A tool that was removed in the meantime cannot be forced.
  return tally.toolCalls > 0 || forcedProblem(choice, specs) !== undefined ? undefined : choice;
};

/** Checks whether calls of a model are taken: one may call tools that its request rules out. */
export const mayCallTools = (
  { review }: Pick<AgentContext, 'review'>,
  { settings }: Pick<AgentDefinition, 'settings'>,
): boolean => !isWrappingUp(review.watch) && settings?.toolChoice !== 'none';

/** The problem of a setting that forces a call of a tool which the model is not shown. */
export const choiceProblem = ({
  definition: { name, settings },
  tools,
}: Pick<Desk, 'definition' | 'tools'>): ErrorData | undefined => {
  if (settings?.toolChoice === undefined) return undefined;
  const problem = forcedProblem(settings.toolChoice, tools.specs());
  if (problem === undefined) return undefined;
  const message = `Cannot run '${name}' as its \`settings.toolChoice\` cannot be met: ${problem}`;
  return { code: 'tool.unknown', message, retryable: 'no' };
};

const forcedProblem = (choice: ToolChoice, specs: readonly ToolSpec[]): string | undefined => {
  if (choice === 'required') return specs.length === 0 ? 'it has no tools' : undefined;
  if (typeof choice !== 'object' || specs.some(({ name }) => name === choice.name)) return undefined;
  return unknownToolMessage(
    choice.name,
    specs.map(({ name }) => name),
  );
};
