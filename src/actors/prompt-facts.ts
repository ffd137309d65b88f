import type { PromptFacts } from '../contracts/prompt.ts';
import type { Receiver, Tool, ToolSpec } from '../contracts/tool.ts';
import type { AgentContext } from '../machines/agent-context.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { Desk } from './desk.ts';
import { isToolset } from '../tools/tool-registry.ts';
import { agentsFragment, composePrompt, composeStep } from './prompt-fragments.ts';

const factsOf = (definition: AgentDefinition, tools: readonly ToolSpec[]): PromptFacts => ({
  agent: definition.name,
  description: definition.description,
  tools,
  members: membersOf(definition, tools),
});

/** Those whom the tools that it has now give work to: a child that is another of the agent may have fewer. */
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

/** The system prompt of an agent, as its tools stand now: whoever keeps it keeps the first. */
export const systemPrompt = (definition: AgentDefinition, tools: readonly ToolSpec[]): string =>
  composePrompt(definition.fragments, factsOf(definition, tools));

/** The system prompt as it was before the agents that work can be given to were listed in it: journals of then hold it. */
export const promptWithoutAgents = (definition: AgentDefinition, tools: readonly ToolSpec[]): string =>
  composePrompt(
    definition.fragments.filter((fragment) => fragment !== agentsFragment),
    factsOf(definition, tools),
  );

/** What is said to the model in this step only; empty where no fragment has anything to say. */
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
