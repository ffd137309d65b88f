import type { Json } from './json.ts';
import type { ToolResult } from './tool.ts';
import type { Agent } from './agent.ts';
import type { RunResult } from './run.ts';
import type { ToolTurn } from './transcript.ts';

/** What a critic says. `revise` sends the agent back with the note; `stop` ends the run. */
export type Critique =
  | { readonly verdict: 'accept'; readonly note?: string | undefined }
  | { readonly verdict: 'revise'; readonly note: string }
  | { readonly verdict: 'stop'; readonly note: string };

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
  /** What the caller of the run gave as `context`: check what it is before use. */
  readonly context?: unknown;
  readonly signal: AbortSignal;
  /** Runs an agent as a child of this run, to judge. */
  readonly run: <Input, Output>(agent: Agent<Input, Output>, input: Input) => Promise<RunResult<Output>>;
}

/**
 * Judges an answer before it is committed.
 *
 * What a critic throws counts as `accept` and is reported as `critic.failed`: a broken critic can neither loop
 * nor lose an answer.
 */
export interface Critic {
  readonly name: string;
  /** Look at candidate answers only (default), or at every step. */
  readonly each?: 'answer' | 'step' | undefined;
  critique(review: Review): Critique | Promise<Critique>;
}
