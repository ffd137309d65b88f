import type { Json, JsonObject } from './json.ts';
import type { ToolResult } from './tool.ts';
import type { Agent } from './agent.ts';
import type { RunResult } from './run.ts';
import type { ToolTurn } from './transcript.ts';

/** What a critic says. `revise` sends the agent back with the note; `stop` ends the run. Each may change something, too. */
export type Critique = (
  | { readonly verdict: 'accept'; readonly note?: string | undefined }
  | { readonly verdict: 'revise'; readonly note: string }
  | { readonly verdict: 'stop'; readonly note: string }
) & { readonly patch?: CritiquePatch | undefined };

/** What a critic changes beside its verdict. Plain JSON; anything else makes the critique none. */
export interface CritiquePatch {
  /** Its keys replace those of the agent's state, before the run goes on or ends. */
  readonly state?: JsonObject | undefined;
  /** Told to the agent from the next step on; where the run ends it is only on record. */
  readonly instruction?: string | undefined;
}

/** What a critic said, and which. */
export type SaidCritique = Critique & {
  /** The critic's name. */
  readonly critic: string;
};

/** What a critic looks at. */
export interface Review {
  readonly input: Json;
  /** The answer that would be given; absent where a critic of `each: 'step'` looks at a step without one. */
  readonly candidate?: Json | undefined;
  readonly state: Json;
  /** The results of the step under review. */
  readonly results: readonly ToolResult[];
  /** What tools told the agent in this run, in order. Gathered when it is read. */
  readonly evidence: readonly ToolTurn[];
  readonly step: number;
  /** Rejections so far. */
  readonly rejections: number;
  /**
   * The models that may have written what is under review, as `provider:id`: all that the agent falls back along, or none where
   * it asked no model. Who wrote an answer should not judge it.
   */
  readonly authors: readonly string[];
  /** What the caller of the run gave as `context`: check what it is before use. */
  readonly context?: unknown;
  /** Aborted when nobody waits for the critique any more. */
  readonly signal: AbortSignal;
  /** Runs an agent as a child of this run, to judge; out of time the child is stopped. */
  readonly run: <Input, Output>(agent: Agent<Input, Output>, input: Input) => Promise<RunResult<Output>>;
}

/**
 * Judges an answer before it is committed.
 *
 * What a critic throws counts as `accept` and is reported as `critic.failed`: a broken critic can neither loop
 * nor lose an answer. So does what is no critique, and a critic that is out of time. Where `ifBroken` says so it counts as
 * `stop` instead, and the answer is kept as the candidate.
 */
export interface Critic {
  readonly name: string;
  /** Look at candidate answers only (default), or at every step. */
  readonly each?: 'answer' | 'step' | undefined;
  /** With `each: 'step'`: look at one step of so many: with 50 at the 50th, the 100th … Default 1. */
  readonly every?: number | undefined;
  /** In ms; default 120,000. `Infinity` waits as long as the run does. */
  readonly timeoutMs?: number | undefined;
  /** What it counts as when it is broken. Default `accept`; `stop` is for answers that must not go out unchecked. */
  readonly ifBroken?: 'accept' | 'stop' | undefined;
  critique(review: Review): Critique | Promise<Critique>;
}
