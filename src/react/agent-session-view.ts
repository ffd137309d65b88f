import type { AnyActorLogic } from 'xstate';
import type { Agent } from '../contracts/agent.ts';
import type { ToolProgress } from '../events/agent-progress.ts';
import type { ErrorData } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import type { RunTotals } from '../contracts/run.ts';
import type { Progress } from '../events/progress.ts';
import type { ProgressMessage } from '../events/progress-message.ts';
import type { ProgressRequest } from '../events/progress-request.ts';
import type { LogicOptions } from '../runtime/embed/logic-options.ts';

/** An agent or a team: what `agent()` and the patterns give. */
export interface ViewedAgent<Input = string, Output = string> extends Agent<Input, Output, unknown> {
  logicWith(options: LogicOptions): AnyActorLogic;
}

/** What the runs of a component's agent are told: all that a run is, but for its id. */
export interface UseAgentOptions<Input = string> extends Omit<LogicOptions, 'runId'> {
  /** A run begins with this when the component is mounted; without it, with the first `send`. Another one later changes nothing. */
  readonly input?: Input | undefined;
}

/** A value that is not all there yet. */
export type DeepPartial<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> }
    : Value;

/** An agent as a component sees it; the same object as long as nothing changes. */
export interface AgentSessionView<Input = string, Output = string> {
  /** `idle` until a run begins. */
  readonly status: 'idle' | Progress['status'];
  /** Of the agent itself: `DECIDE`, `waiting`, `completed` … */
  readonly phase: string | undefined;
  readonly step: number | undefined;
  /** The path of who is speaking, or spoke last: a member's, of a team. */
  readonly speaker: string | undefined;
  /** What the speaker says as it streams, then the whole of it. */
  readonly text: string;
  readonly isStreaming: boolean;
  /** The answer of an agent with an `output` schema, as far as it has come; not checked before `output` is there. */
  readonly partial: DeepPartial<Output> | undefined;
  /** The answer, by the agent's schema, once the run has completed. */
  readonly output: Output | undefined;
  /** What was said in all runs so far, oldest first. */
  readonly messages: readonly ProgressMessage[];
  /** What waits for a person, oldest first: for `approve`, `deny` or `reply`. */
  readonly requests: readonly ProgressRequest[];
  /** The tool calls that are under way. */
  readonly tools: readonly (ToolProgress & { readonly path: string })[];
  /** Of the last run. */
  readonly totals: RunTotals;
  /** Why the run failed, or could not be begun or told something. */
  readonly error: ErrorData | undefined;
  /** All that is known of the last run. */
  readonly progress: Progress;
  /**
   * Begins a run with this input, which goes on from what was said before; while one is under way, a text is a message to it. False,
   * and `error` says why, where neither can be.
   */
  send(this: void, input: Input): boolean;
  /** Aborts the run. This and the others are false where no run is under way. */
  stop(this: void, reason?: string): boolean;
  /** Holds the run before the next effect. */
  pause(this: void): boolean;
  resume(this: void): boolean;
  /** Says yes to a call, by the id of its request; with `input`, with these arguments. */
  approve(this: void, id: string, options?: { readonly input?: Json | undefined }): boolean;
  deny(this: void, id: string, reason?: string): boolean;
  /** Answers a question; without an id, the oldest. */
  reply(this: void, text: string, id?: string): boolean;
}
