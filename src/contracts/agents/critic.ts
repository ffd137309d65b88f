import type { Json } from '../../base/json/json.ts';
import type { ToolResult } from '../tools/tool-result.ts';
import type { Delegate } from './delegate.ts';
import type { RunResult } from '../runs/run-result.ts';
import type { ToolTurn } from '../conversations/transcript.ts';
import type { Critique } from './critique.ts';

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
  readonly run: <Input, Output>(agent: Delegate<Input, Output>, input: Input) => Promise<RunResult<Output>>;
}

/**
 * Judges an answer before it is committed.
 *
 * A critic that throws, times out or returns something invalid has not approved of anything: it counts as `stop` and is
 * reported as `critic.failed`. The run stops (`criticStopped`), and the answer is kept as its candidate. With
 * `ifBroken: 'accept'` the answer goes out unchecked.
 */
export interface Critic {
  readonly name: string;
  /** Review candidate answers only (default), or every step. */
  readonly each?: 'answer' | 'step' | undefined;
  /** With `each: 'step'`: review every nth step: with 50 the 50th, the 100th … Default 1. */
  readonly every?: number | undefined;
  /** In ms; default 120,000. `Infinity` waits as long as the run does. */
  readonly timeoutMs?: number | undefined;
  /** The verdict of a broken critic. Default `stop`; with `accept`, answers that nobody could check go out. */
  readonly ifBroken?: 'accept' | 'stop' | undefined;
  critique(review: Review): Critique | Promise<Critique>;
}
