import type { TakenDecision } from './decision.ts';
import type { Json } from './json.ts';
import type { Model, ModelRetry } from './model.ts';
import type { PromptFragment } from './prompt.ts';
import type { Schema } from './schema.ts';

/**
 * Answers in place of the models when an agent has to decide. The six phases, events, limits and ends are the same for
 * every backend.
 *
 * A backend is a plain object without state of a run: one may serve many agents and runs at the same time.
 */
export interface Backend {
  /** The name by which agents refer to it: letters, digits, `-` and `_`. */
  readonly name: string;
  /** Added to the system prompt. */
  readonly fragments?: readonly PromptFragment[] | undefined;
  /** Creates the model that is asked in place of the agent's models: once for each agent in a run. */
  readonly engine?: ((place: BackendPlace) => Model) | undefined;
  /** True if the engine has tools of its own and accepts none of the agent's. */
  readonly hasOwnTools?: boolean | undefined;
  /** The format that every answer must have, and the decision made from it. */
  readonly answer?: BackendAnswer | undefined;
  /** Used where the agent does not configure `retry`. */
  readonly retry?: ModelRetry | undefined;
}

/** One agent in a run, as its backend sees it. */
export interface BackendPlace {
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
export interface BackendAnswer {
  readonly schema: Schema;
  /**
   * Number of consecutive times that an invalid answer is asked for again. After that the run fails with
   * `output.invalid`.
   */
  readonly repairs: number;
  /** Turns the validated answer into a decision; undefined to use the answer itself. */
  readonly decision?: ((answer: Json) => TakenDecision | undefined) | undefined;
}

/** A backend, or the name of a registered one. */
export type BackendChoice = 'reason-act' | 'routing' | (string & {}) | Backend;
