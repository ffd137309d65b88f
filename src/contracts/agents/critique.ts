import type { Json, JsonObject } from '../../base/json/json.ts';
import type { ToolResult } from '../tools/tool.ts';
import type { Agent } from './agent.ts';
import type { RunResult } from '../runs/run.ts';
import type { ToolTurn } from '../conversations/transcript.ts';

/** A critic's verdict. `revise` sends the agent back with the note; `stop` ends the run. Each may carry a patch, too. */
export type Critique = (
  | { readonly verdict: 'accept'; readonly note?: string | undefined }
  | { readonly verdict: 'revise'; readonly note: string }
  | { readonly verdict: 'stop'; readonly note: string }
) & { readonly patch?: CritiquePatch | undefined };

/** Changes that come with a verdict. Plain JSON only; anything else makes the critique invalid. */
export interface CritiquePatch {
  /** Keys that replace those of the agent's state, before the run continues or ends. */
  readonly state?: JsonObject | undefined;
  /** Added to the agent's instructions from the next step on; only recorded where the run ends. */
  readonly instruction?: string | undefined;
}

/** A critique, with the name of its critic. */
export type SaidCritique = Critique & {
  /** The critic's name. */
  readonly critic: string;
};

/** The input of a critic. */
export interface Review {
  readonly input: Json;
  /** The proposed answer; absent where a critic of `each: 'step'` reviews a step without one. */
  readonly candidate?: Json | undefined;
  readonly state: Json;
  /** The results of the step under review. */
  readonly results: readonly ToolResult[];
  /** Tool results that the agent received in this run, in order. Collected when read. */
  readonly evidence: readonly ToolTurn[];
  readonly step: number;
  /** Rejections so far. */
  readonly rejections: number;
  /**
   * The models that may have written the reviewed answer, as `provider:id`: all that the agent falls back along; empty
   * if it asked no model. The author of an answer should not judge it.
   */
  readonly authors: readonly string[];
  /** The `context` that the caller of the run passed; validate it before use. */
  readonly context?: unknown;
  /** Aborted when the critique is no longer needed. */
  readonly signal: AbortSignal;
  /** Runs an agent as a child of this run, to judge; out of time the child is stopped. */
  readonly run: <Input, Output>(agent: Agent<Input, Output>, input: Input) => Promise<RunResult<Output>>;
}

/**
 * Judges an answer before it is committed.
 *
 * A critic that throws, times out or returns something invalid counts as `accept` and is reported as `critic.failed`: a
 * broken critic can neither loop nor lose an answer. With `ifBroken: 'stop'` it counts as `stop` instead, and the
 * answer is kept as the candidate.
 */
export interface Critic {
  readonly name: string;
  /** Review candidate answers only (default), or every step. */
  readonly each?: 'answer' | 'step' | undefined;
  /** With `each: 'step'`: review every nth step: with 50 the 50th, the 100th … Default 1. */
  readonly every?: number | undefined;
  /** In ms; default 120,000. `Infinity` waits as long as the run does. */
  readonly timeoutMs?: number | undefined;
  /** The verdict of a broken critic. Default `accept`; use `stop` for answers that must not go out unchecked. */
  readonly ifBroken?: 'accept' | 'stop' | undefined;
  critique(review: Review): Critique | Promise<Critique>;
}
