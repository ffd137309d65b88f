import type { ModelChoice } from '../contracts/agent.ts';
import type { BackendPlace } from '../contracts/backend.ts';
import type { Model } from '../contracts/model.ts';
import type { SharedResource } from '../contracts/run.ts';
import { modelFromEnvironment, resolveModel } from '../models/model-registry.ts';
import type { Secrets } from '../contracts/secrets/redactor.ts';
import type { Definition } from './definition.ts';
import type { Actor } from './stage.ts';

/** What a run says of the models of all its agents. */
export interface RunModels {
  /** In place of each agent's own. */
  choice: ModelChoice | undefined;
  /** Stand around each. */
  readonly resources: readonly SharedResource[] | undefined;
}

/** The models of an agent, in order: the run's choice, else its own, else the environment's. Throws for an unknown one. */
export const resolveModels = (
  choice: ModelChoice | undefined,
  own: readonly ModelChoice[] = [],
): readonly Model[] => {
  const choices = choice === undefined ? own : [choice];
  return choices.length > 0 ? choices.map((each) => resolveModel(each)) : [modelFromEnvironment()];
};

/**
 * What an actor asks when it decides: its backend's engine, which no run's choice of a model replaces, else its models. What runs share
 * stands around each, and the agent's strategy around that.
 */
export const modelsOf = (actor: Actor, { choice, resources = [] }: RunModels): readonly Model[] => {
  const { agent } = actor.definition;
  const backend = agent?.backend;
  const found =
    backend?.engine === undefined
      ? resolveModels(choice, agent?.models)
      : [backend.engine(placeOf(actor, backend.name))];
  return found.map((model) => {
    const within = resources.reduceRight((inner, each) => each.around?.(inner) ?? inner, model);
    return agent?.strategy?.model?.(within) ?? within;
  });
};

/** What models know that nobody may read. */
export const secretsOf = (models: readonly ModelChoice[]): Secrets =>
  Object.assign(
    {},
    ...models.map((model) => (typeof model === 'string' ? {} : (model.secrets?.() ?? {}))),
  ) as Secrets;

/** The same, of all the models of an agent or a team, as far as they are known before it runs. */
export const modelSecrets = ({ agent, members }: Definition, choice: ModelChoice | undefined): Secrets => ({
  ...secretsOf([...(agent?.models ?? []), ...(choice === undefined ? [] : [choice])]),
  ...Object.assign({}, ...[...members.values()].map((member) => modelSecrets(member, undefined))),
});

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
    now: () => run.log.now(),
    lost: (reason) => {
      // An engine may notice after nobody waits for it any more.
      if (!actor.isOver && !run.isOver) run.log.write({ type: 'session.lost', backend, reason }, actor);
    },
  };
};
