import type { ModelChoice } from '../../contracts/agent.ts';
import type { BackendPlace } from '../../contracts/backend.ts';
import type { Model } from '../../contracts/model.ts';
import type { RunOptions, SharedResource } from '../../contracts/run.ts';
import { modelFromEnvironment, resolveModel } from '../../models/model-registry.ts';
import type { Secrets } from '../../contracts/secrets/redactor.ts';
import type { Actor } from './actor.ts';
import type { Definition } from '../define/definition.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Speaker } from '../log/lazy-log.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';

/** What the models of a run need of it: an engine tells when it lost its session. */
export interface ModelledRun {
  readonly runId: string;
  readonly thread: string | undefined;
  readonly log: Pick<EventLog, 'write' | 'now'>;
  readonly secrets: Pick<RunSecrets, 'give'>;
  readonly isOver: boolean;
}

/** Which models the agents of a run ask. Owns what the run says of all of them; each agent has its own until that changes. */
export class RunModels {
  readonly #run: ModelledRun;
  /** In place of each agent's own. */
  #choice: ModelChoice | undefined;
  /** Stand around each. */
  readonly #resources: readonly SharedResource[];

  constructor(run: ModelledRun, { model, resources = [] }: Pick<RunOptions, 'model' | 'resources'>) {
    this.#run = run;
    this.#choice = model;
    this.#resources = resources;
  }

  /** Every agent asks this one from now on; throws for one that there is not. */
  choose(choice: ModelChoice): void {
    resolveModels(choice);
    this.#choice = choice;
  }

  /**
   * What an actor asks when it decides: its backend's engine, which no run's choice of a model replaces, else its models. What runs share
   * stands around each, and the agent's strategy around that.
   */
  of(actor: ModelledActor): readonly Model[] {
    const { agent } = actor.definition;
    const backend = agent?.backend;
    const found =
      backend?.engine === undefined
        ? resolveModels(this.#choice, agent?.models)
        : [backend.engine(this.#placeOf(actor, backend.name))];
    const models = found.map((model) => {
      const within = this.#resources.reduceRight((inner, each) => each.around?.(inner) ?? inner, model);
      return agent?.strategy?.model?.(within) ?? within;
    });
    this.#run.secrets.give(secretsOf(models));
    return models;
  }

  #placeOf(actor: ModelledActor, backend: string): BackendPlace {
    const run = this.#run;
    const { runId, thread, log } = run;
    return {
      runId,
      path: actor.path,
      agent: actor.definition.name,
      thread,
      now: () => log.now(),
      lost: (reason) => {
        // An engine may notice after nobody waits for it any more.
        if (!actor.isOver && !run.isOver) log.write({ type: 'session.lost', backend, reason }, actor);
      },
    };
  }
}

/** An actor as its models know it. */
interface ModelledActor extends Speaker {
  readonly definition: Definition;
  readonly isOver: boolean;
}

/** The models of an agent, in order: the run's choice, else its own, else the environment's. Throws for an unknown one. */
export const resolveModels = (
  choice: ModelChoice | undefined,
  own: readonly ModelChoice[] = [],
): readonly Model[] => {
  const choices = choice === undefined ? own : [choice];
  return choices.length > 0 ? choices.map((each) => resolveModel(each)) : [modelFromEnvironment()];
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
export const modelFacts = (
  root: Pick<Actor, 'definition' | 'models'>,
): { model?: string; isLanguageModel?: boolean } => {
  if (root.definition.agent === undefined) return {};
  try {
    const [model] = root.models;
    if (model === undefined) return {};
    return { model: `${model.provider}:${model.id}`, isLanguageModel: model.isLanguageModel ?? true };
  } catch {
    // Preparing says what is wrong with it.
    return {};
  }
};
