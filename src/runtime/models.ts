import type { AgentDefinition } from '../actors/agent-definition.ts';
import type { ModelChoice } from '../contracts/agent.ts';
import type { BackendPlace } from '../contracts/backend.ts';
import type { Model } from '../contracts/model.ts';
import { modelFromEnvironment, resolveModel } from '../models/model-registry.ts';
import type { Actor } from './stage.ts';

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

/** What an actor asks when it decides: its backend's engine, which no run's choice of a model replaces, else its models. */
export const modelsOf = (actor: Actor, choice: ModelChoice | undefined): readonly Model[] => {
  const { agent } = actor.definition;
  const backend = agent?.backend;
  if (backend?.engine === undefined) return resolveModels(choice, agent);
  const model = backend.engine(placeOf(actor, backend.name));
  return [agent?.strategy?.model?.(model) ?? model];
};

/** What the first event of a run says of its model. */
export const modelFacts = (root: Actor): { model?: string; isLanguageModel?: boolean } => {
  if (root.definition.agent === undefined) return {};
  try {
    const [model] = root.run.modelsOf(root);
    if (model === undefined) return {};
    return { model: `${model.provider}:${model.id}`, isLanguageModel: model.isLanguageModel ?? true };
  } catch {
    // Preparing says what is wrong with it.
    return {};
  }
};

const placeOf = (actor: Actor, backend: string): BackendPlace => {
  const { run, path } = actor;
  return {
    runId: run.runId,
    path,
    agent: actor.definition.name,
    thread: run.thread,
    now: () => run.clock.now(),
    lost: (reason) => {
      // An engine may notice after nobody waits for it any more.
      if (!actor.isOver && !run.isOver) run.log.write({ type: 'session.lost', backend, reason }, actor);
    },
  };
};
