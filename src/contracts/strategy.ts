import type { AgentView } from './agent.ts';
import type { Critic } from './critique.ts';
import type { Decision, TakenDecision } from './decision.ts';
import type { Model } from './model.ts';
import type { PromptFragment } from './prompt.ts';
import type { StopRule } from './stop.ts';

/** A choice, or undefined where it is left to others. */
export type Choice = Decision | undefined | Promise<Decision | undefined>;

/**
 * A way to decide, wrapped around an agent's own `decide` and its model. The six phases stay the same.
 *
 * A strategy is a plain object without state: one may serve many agents and runs at the same time.
 */
export interface Strategy {
  readonly name: string;
  /** Added to the system prompt. */
  readonly fragments?: readonly PromptFragment[] | undefined;
  /** Wraps each of the agent's models. */
  readonly model?: ((model: Model) => Model) | undefined;
  /** Wraps the agent's own `decide` (a no-op if it has none); undefined continues with the model. */
  readonly decide?: ((view: AgentView, own: (view: AgentView) => Choice) => Choice) | undefined;
  /** Reviews every decision before it takes effect, from any source. */
  readonly review?:
    ((decision: TakenDecision, desk: DecisionDesk) => DecisionReview | Promise<DecisionReview>) | undefined;
  /** Run after the agent's own. */
  readonly critics?: readonly Critic[] | undefined;
  /** Used where the agent sets none. */
  readonly maxRejections?: number | undefined;
  /** Checked after the agent's own. */
  readonly stop?: readonly StopRule[] | undefined;
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
