import type { PromptFacts } from '../../contracts/agents/prompt.ts';
import type { Receiver, Tool } from '../../contracts/tools/tool.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import type { AgentContext } from '../../machines/agent/agent-context.ts';
import type { AgentDefinition } from '../agent-definition.ts';
import type { Desk } from '../desk.ts';
import { isToolset } from '../../tools/define/tool-registry.ts';
import { agentsFragment, composePrompt, composeStep } from './prompt-fragments.ts';

const factsOf = (definition: AgentDefinition, tools: readonly ToolSpec[]): PromptFacts => ({
  agent: definition.name,
  description: definition.description,
  tools,
  members: membersOf(definition, tools),
});

/** The delegates of the agent's current tools; a child run of the same agent may have fewer. */
const membersOf = (definition: AgentDefinition, tools: readonly ToolSpec[]): readonly Receiver[] => {
  const receivers = definition.tools.flatMap((item) =>
    isToolset(item)
      ? item.tools.flatMap((tool) => receiversOf(tool, `${item.name}.${tool.name}`, tools))
      : receiversOf(item, item.name, tools),
  );
  return [...new Map(receivers.map((receiver) => [receiver.name, receiver])).values()];
};

const receiversOf = (
  { receivers = [] }: Tool,
  fullName: string,
  tools: readonly ToolSpec[],
): readonly Receiver[] =>
  receivers.length > 0 && tools.some(({ name }) => name === fullName) ? receivers : [];

/** The system prompt of an agent with its current tools. Callers that need stable text keep the first one. */
export const systemPrompt = (definition: AgentDefinition, tools: readonly ToolSpec[]): string =>
  composePrompt(definition.fragments, factsOf(definition, tools));

/** The system prompt without the list of agents, as old journals contain it. */
export const promptWithoutAgents = (definition: AgentDefinition, tools: readonly ToolSpec[]): string =>
  composePrompt(
    definition.fragments.filter((fragment) => fragment !== agentsFragment),
    factsOf(definition, tools),
  );

/** Prompt text for this step only; empty if no fragment has any. */
export const stepPrompt = ({ run, step, state, tally }: AgentContext, desk: Desk): string => {
  const { definition, tools } = desk;
  if (!definition.fragments.some(({ each }) => each === 'step')) return '';
  return composeStep(definition.fragments, {
    ...factsOf(definition, tools.specs()),
    step,
    phase: run.phase ?? null,
    state,
    tally,
  });
};
