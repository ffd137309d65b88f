import type { AgentView } from './agent-view.ts';
import type { Critic } from './critic.ts';
import type { Decision, TakenDecision } from './decision.ts';
import type { Json } from '../../base/json/json.ts';
import type { Model, ModelRetry } from '../models/model.ts';
import type { PromptFragment } from './prompt.ts';
import type { Schema } from '../../base/schemas/schema.ts';
import type { StopRule } from './stop-rule.ts';

/** A choice, or undefined where it is left to others. */
export type Choice = Decision | undefined | Promise<Decision | undefined>;

/**
 * A way to decide, wrapped around an agent's own `decide` and its model, or an engine in place of its models. The six phases, events, limits
 * and ends are the same for every strategy.
 *
 * A strategy is a plain object without state of a run: one may serve many agents and runs at the same time.
 */
export interface Strategy {
  /** The name by which agents refer to it, if it is registered. */
  readonly name: string;
  /** Added to the system prompt. */
  readonly fragments?: readonly PromptFragment[] | undefined;
  /** Wraps each of the agent's models. */
  readonly model?: ((model: Model) => Model) | undefined;
  /** Creates the model that is asked in place of the agent's models: once for each agent in a run. */
  readonly engine?: ((place: EnginePlace) => Model) | undefined;
  /** True if the engine has tools of its own and accepts none of the agent's. */
  readonly hasOwnTools?: boolean | undefined;
  /** The format that every answer must have, and the decision made from it. */
  readonly answer?: AnswerForm | undefined;
  /** Used where the agent does not configure `failures.retry`. */
  readonly retry?: ModelRetry | undefined;
  /** Wraps the agent's own `decide` (a no-op if it has none); undefined continues with the model. */
  readonly decide?: ((view: AgentView, own: (view: AgentView) => Choice) => Choice) | undefined;
  /** Reviews every decision before it takes effect, from any source. */
  readonly review?:
    | ((decision: TakenDecision, desk: DecisionDesk) => DecisionReview | Promise<DecisionReview>)
    | undefined;
  /** Run after the agent's own. */
  readonly critics?: readonly Critic[] | undefined;
  /** Used where the agent sets none. */
  readonly maxRejections?: number | undefined;
  /** Checked after the agent's own. */
  readonly stop?: readonly StopRule[] | undefined;
}

/** A strategy, or the name of a registered one. */
export type StrategyChoice = 'reason-act' | 'routing' | (string & {}) | Strategy;

/** One agent in a run, as the engine of its strategy sees it. */
export interface EnginePlace {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  /** The conversation that the run belongs to, where it belongs to one. */
  readonly thread: string | undefined;
  /** By the run's clock, in ms since 1970. */
  now(): number;
  /** Reports a lost session (`session.lost`), with the reason. */
  lost(reason: string): void;
}

/** An answer that has to be of some form. */
export interface AnswerForm {
  readonly schema: Schema;
  /**
   * Number of consecutive times that an invalid answer is asked for again. After that the run fails with
   * `output.invalid`.
   */
  readonly repairs: number;
  /** Turns the validated answer into a decision; undefined to use the answer itself. */
  readonly decision?: ((answer: Json) => TakenDecision | undefined) | undefined;
}

/** Facilities for the review of a decision. */
export interface DecisionDesk {
  readonly view: AgentView;
  /** Asks a person; rejects if there is none. */
  ask(question: string): Promise<string>;
}

/** The result of a review. A refusal is sent to the model, which decides again in the next step. */
export type DecisionReview =
  | { readonly kind: 'keep' }
  | { readonly kind: 'replace'; readonly decision: TakenDecision }
  | { readonly kind: 'refuse'; readonly reason: string };
