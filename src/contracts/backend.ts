import type { TakenDecision } from './decision.ts';
import type { Json } from './json.ts';
import type { Model, ModelRetry } from './model.ts';
import type { PromptFragment } from './prompt.ts';
import type { Schema } from './schema.ts';

/**
 * Who or what answers when an agent has to decide. The six phases, events, limits and ends are the same for all of them.
 *
 * A backend is a plain object without memory of a run: one may serve many agents and runs at the same time.
 */
export interface Backend {
  /** What agents call it by: letters, digits, `-` and `_`. */
  readonly name: string;
  /** Added to the system prompt. */
  readonly fragments?: readonly PromptFragment[] | undefined;
  /** Makes what is asked in place of the agent's models: once for each agent in a run. */
  readonly engine?: ((place: BackendPlace) => Model) | undefined;
  /** The engine has tools of its own, and takes none of the agent's. */
  readonly hasOwnTools?: boolean | undefined;
  /** What every answer has to be, and what is made of it. */
  readonly answer?: BackendAnswer | undefined;
  /** In force where the agent says nothing else. */
  readonly retry?: ModelRetry | undefined;
}

/** One agent in a run, as its engine sees it. */
export interface BackendPlace {
  readonly runId: string;
  readonly path: string;
  readonly agent: string;
  /** The conversation that the run belongs to, where it belongs to one. */
  readonly thread: string | undefined;
  /** By the run's clock, in ms since 1970. */
  now(): number;
  /** Tells observers that a session is gone (`session.lost`), and why. */
  lost(reason: string): void;
}

/** An answer that has to be of some form. */
export interface BackendAnswer {
  readonly schema: Schema;
  /** The number of times in a row that an answer that does not fit is asked for again. After that the run fails with `output.invalid`. */
  readonly repairs: number;
  /** What the checked answer comes to; undefined for the answer itself. */
  readonly decision?: ((answer: Json) => TakenDecision | undefined) | undefined;
}

/** A backend, or the name of one that is registered. */
export type BackendChoice = 'reason-act' | 'routing' | (string & {}) | Backend;
