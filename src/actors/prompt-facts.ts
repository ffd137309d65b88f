import type { PromptFacts } from '../contracts/prompt.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { AgentContext } from '../machines/agent-context.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { Desk } from './desk.ts';
import { composePrompt, composeStep } from './prompt-fragments.ts';

const factsOf = ({ name, description }: AgentDefinition, tools: readonly ToolSpec[]): PromptFacts => ({
  agent: name,
  description,
  tools,
  members: [],
});

/** The system prompt of an agent, as its tools stand now: whoever keeps it keeps the first. */
export const systemPrompt = (definition: AgentDefinition, tools: readonly ToolSpec[]): string =>
  composePrompt(definition.fragments, factsOf(definition, tools));

/** What is said to the model in this step only; empty where no fragment has anything to say. */
export const stepPrompt = ({ step, state, tally }: AgentContext, desk: Desk): string => {
  const { definition, tools } = desk;
  if (!definition.fragments.some(({ each }) => each === 'step')) return '';
  return composeStep(definition.fragments, { ...factsOf(definition, tools.specs()), step, state, tally });
};
