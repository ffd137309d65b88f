import type { ModelChoice } from '../contracts/agent.ts';
import type { Model } from '../contracts/model.ts';
import { modelFromEnvironment, resolveModel } from '../models/model-registry.ts';

/** The models of an agent, in order: the run's choice, else its own, else the environment's. Throws for an unknown one. */
export const resolveModels = (
  choice: ModelChoice | undefined,
  own: readonly ModelChoice[],
): readonly Model[] => {
  if (choice !== undefined) return [resolveModel(choice)];
  return own.length > 0 ? own.map((model) => resolveModel(model)) : [modelFromEnvironment()];
};
