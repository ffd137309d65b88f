import type { AgentView } from './agent.ts';
import type { Critic } from './critique.ts';
import type { Decision, TakenDecision } from './decision.ts';
import type { Model } from './model.ts';
import type { PromptFragment } from './prompt.ts';
import type { StopRule } from './stop.ts';

/** A choice, or undefined where it is left to others. */
export type Choice = Decision | undefined | Promise<Decision | undefined>;

/**
 * A way to decide: what stands around an agent's own `decide` and its model. The six phases stay as they are.
 *
 * A strategy is a plain object without memory of its own: one may serve many agents and runs at the same time.
 */
export interface Strategy {
  readonly name: string;
  /** Added to the system prompt. */
  readonly fragments?: readonly PromptFragment[] | undefined;
  /** Stands around each of the agent's models. */
  readonly model?: ((model: Model) => Model) | undefined;
  /** Stands around the agent's own `decide`, which is there even if the agent has none; undefined goes on to the model. */
  readonly decide?: ((view: AgentView, own: (view: AgentView) => Choice) => Choice) | undefined;
  /** Looks at every decision before it counts, whoever made it. */
  readonly review?:
    ((decision: TakenDecision, desk: DecisionDesk) => DecisionReview | Promise<DecisionReview>) | undefined;
  /** Asked after the agent's own. */
  readonly critics?: readonly Critic[] | undefined;
  /** In force where the agent says nothing else. */
  readonly maxRejections?: number | undefined;
  /** Checked after the agent's own. */
  readonly stop?: readonly StopRule[] | undefined;
}

/** What whoever reviews a decision may use. */
export interface DecisionDesk {
  readonly view: AgentView;
  /** Asks a person; rejects where there is none. */
  ask(question: string): Promise<string>;
}

/** What comes of a review. A refusal is told to the model, which decides anew in the next step. */
export type DecisionReview =
  | { readonly kind: 'keep' }
  | { readonly kind: 'replace'; readonly decision: TakenDecision }
  | { readonly kind: 'refuse'; readonly reason: string };
