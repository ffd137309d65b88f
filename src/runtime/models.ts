import type { AgentDefinition } from '../actors/agent-definition.ts';
import type { ModelChoice } from '../contracts/agent.ts';
import type { Model } from '../contracts/model.ts';
import { modelFromEnvironment, resolveModel } from '../models/model-registry.ts';

/** The models of an agent, in order: the run's choice, else its own, else the environment's; its strategy stands around each. Throws for an unknown one. */
export const resolveModels = (
  choice: ModelChoice | undefined,
  own: Pick<AgentDefinition, 'models' | 'strategy'> | undefined,
): readonly Model[] => {
  const { models = [], strategy } = own ?? {};
  const choices = choice === undefined ? models : [choice];
  const found = choices.length > 0 ? choices.map((each) => resolveModel(each)) : [modelFromEnvironment()];
  return found.map((model) => strategy?.model?.(model) ?? model);
};
