import type { AgentDefinition } from '../../actors/agent-definition.ts';

/** Reuses an equal prompt of an earlier run, so that concurrent runs share one string. */
export const sharePrompt = (definition: AgentDefinition, prompt: string): string => {
  const before = prompts.get(definition);
  if (before === prompt) return before;
  prompts.set(definition, prompt);
  return prompt;
};

const prompts = new WeakMap<AgentDefinition, string>();
