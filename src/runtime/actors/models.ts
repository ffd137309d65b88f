import type { ModelChoice, Model, ModelSettings } from '../../contracts/models/model.ts';
import type { ModelUse, RunOptions, SharedResource } from '../../contracts/runs/run-options.ts';
import type { EnginePlace, Strategy } from '../../contracts/agents/strategy.ts';
import { resolveModel } from '../../models/model-registry.ts';
import { namesSecret } from '../../contracts/secrets/assigned-values.ts';
import type { Secrets } from '../../contracts/secrets/redactor.ts';
import type { Actor } from './actor.ts';
import type { Definition } from '../define/definition.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Speaker } from '../log/lazy-log.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';

/** The calls that models need of their run. */
export interface ModelledRun {
  readonly runId: string;
  readonly thread: string | undefined;
  readonly tenant: string | undefined;
  readonly given: Pick<RunOptions, 'context'>;
  readonly log: Pick<EventLog, 'write' | 'now'>;
  readonly secrets: Pick<RunSecrets, 'give'>;
  readonly isOver: boolean;
}

/** The models of a run's agents. Owns the run's choice; each agent has its own models unless there is one. */
export class RunModels {
  readonly #run: ModelledRun;
  /** The choices so far: the last one replaces each agent's own models. */
  chosen: readonly ModelChoice[];
  /** Wrap each model. */
  readonly resources: readonly SharedResource[];

  constructor(run: ModelledRun, { model, resources = [] }: Pick<RunOptions, 'model' | 'resources'>) {
    this.#run = run;
    this.chosen = model === undefined ? NONE : [model];
    this.resources = resources;
  }

  /** Sets the model of every agent from now on; throws for an unknown one. */
  choose(choice: ModelChoice): void {
    resolveModels(choice);
    this.chosen = [...this.chosen.filter((each) => each !== choice), choice];
  }

  /**
   * The models of an actor: the engine of a strategy, which no choice of the run replaces, or else its models. Shared resources wrap each of
   * them, and the agent's strategies wrap the result.
   */
  of(actor: ModelledActor): readonly Model[] {
    const { agent } = actor.definition;
    const strategies = agent?.strategies ?? [];
    const outside = strategies.find(({ engine }) => engine !== undefined);
    const found =
      outside?.engine === undefined
        ? resolveModels(this.chosen.at(-1), agent?.models)
        : [outside.engine(this.#placeOf(actor, outside.name))];
    const use = this.resources.length === 0 ? undefined : this.#useBy(actor);
    const models = found.map((model) => wrapForRun(model, this.resources, strategies, use));
    this.#run.secrets.give({ ...secretsOf(models), ...headerSecrets(agent?.settings) });
    return models;
  }

  #useBy(actor: ModelledActor): ModelUse {
    const run = this.#run;
    const { runId, given, tenant, log } = run;
    return {
      runId,
      path: actor.path,
      agent: actor.definition.name,
      context: given.context,
      tenant,
      now: () => log.now(),
      emit: (name, data) => {
        // A shared answer may come after the actor has ended.
        if (!actor.isOver && !run.isOver) log.write({ type: 'custom.emitted', name, data }, actor);
      },
    };
  }

  #placeOf(actor: ModelledActor, strategy: string): EnginePlace {
    const run = this.#run;
    const { runId, thread, log } = run;
    return {
      runId,
      path: actor.path,
      agent: actor.definition.name,
      thread,
      now: () => log.now(),
      lost: (reason) => {
        // An engine may notice a lost session after the actor has ended.
        if (!actor.isOver && !run.isOver) log.write({ type: 'session.lost', strategy, reason }, actor);
      },
    };
  }
}

const NONE: readonly ModelChoice[] = [];

/** An actor as its models see it. */
interface ModelledActor extends Speaker {
  readonly definition: Definition;
  readonly isOver: boolean;
}

/** A model as a run asks it: by its shared resources, and by the strategies of the agent. */
export const wrapForRun = (
  model: Model,
  resources: readonly SharedResource[],
  strategies: readonly Strategy[],
  use?: ModelUse,
): Model => {
  const within = resources.reduceRight((inner, each) => each.around?.(inner, use) ?? inner, model);
  return strategies.reduceRight((inner, each) => each.model?.(inner) ?? inner, within);
};

/** The models of an agent, in order: the run's choice, else its own, else the environment's. Throws for an unknown one. */
const resolveModels = (
  choice: ModelChoice | undefined,
  own: readonly ModelChoice[] = [],
): readonly Model[] => {
  const choices = choice === undefined ? own : [choice];
  return choices.length > 0 ? choices.map((each) => resolveModel(each)) : [resolveModel()];
};

/** Secrets that models hold. */
export const secretsOf = (models: readonly ModelChoice[]): Secrets =>
  Object.assign(
    {},
    ...models.map((model) => (typeof model === 'string' ? {} : (model.secrets?.() ?? {}))),
  ) as Secrets;

/** The values of headers that are named like secrets, and credentials within them: `Bearer TOKEN` is sent, `TOKEN` may come back. */
const headerSecrets = ({ headers = {} }: ModelSettings = {}): Secrets =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => /authorization|cookie/i.test(name) || namesSecret(name))
      .flatMap(([name, value]) => {
        const [, credential] = /^[\w-]+ +(\S+)$/.exec(value) ?? [];
        const whole = [`header ${name}`, value] as const;
        return credential === undefined
          ? [whole]
          : [whole, [`credential in header ${name}`, credential] as const];
      }),
  );

/** Secrets of the models of an agent or a team, as far as they are known before it runs. */
export const modelSecrets = ({ agent, members }: Definition, choice: ModelChoice | undefined): Secrets => ({
  ...secretsOf([...(agent?.models ?? []), ...(choice === undefined ? [] : [choice])]),
  ...headerSecrets(agent?.settings),
  ...Object.assign({}, ...[...members.values()].map((member) => modelSecrets(member, undefined))),
});

/** The model as the first event reports it. */
export const modelFacts = (
  root: Pick<Actor, 'definition' | 'models'>,
): { model?: string; isLanguageModel?: boolean } => {
  if (root.definition.agent === undefined) return {};
  try {
    const [model] = root.models;
    if (model === undefined) return {};
    return { model: `${model.provider}:${model.id}`, isLanguageModel: model.isLanguageModel ?? true };
  } catch {
    // The `prepare` effect reports the problem.
    return {};
  }
};
