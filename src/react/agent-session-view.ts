import type { AnyActorLogic } from 'xstate';
import type { Agent } from '../contracts/agents/agent.ts';
import type { ToolProgress } from '../events/progress/agent-progress.ts';
import type { RemoteAgent } from '../client/remote-agent.ts';
import type { Connection } from '../client/read-run.ts';
import type { ErrorData } from '../contracts/errors/error-data.ts';
import type { Json } from '../base/json/json.ts';
import type { DeepPartial } from '../contracts/runs/partial-output.ts';
import type { RunTotals } from '../contracts/runs/run-totals.ts';
import type { Progress } from '../events/progress/progress.ts';
import type { ProgressMessage } from '../events/progress/progress-message.ts';
import type { ProgressRequest } from '../events/progress/progress-request.ts';
import type { LogicOptions } from '../runtime/embed/logic-options.ts';

/** An agent or a team, from `agent()` or a pattern. */
export interface ViewedAgent<Input = string, Output = string> extends Agent<Input, Output, unknown> {
  logicWith(options: LogicOptions): AnyActorLogic;
}

/** Run options of a component's agent, except the run id. */
export interface UseAgentOptions<Input = string> extends Omit<LogicOptions, 'runId'> {
  /** Input of a run that starts when the component is mounted; without it, the first `send` starts one. Later changes have no effect. */
  readonly input?: Input | undefined;
}

/** An agent or a team of a server, from `agent` of `connect`. */
export type ViewedRemoteAgent<Input = string, Output = string> = RemoteAgent<Input, Output>;

/** Options of a component's agent on a server: all else is the server's to say. */
export interface UseRemoteAgentOptions<Input = string> {
  /** Input of a run that starts when the component is mounted; without it, the first `send` starts one. Later changes have no effect. */
  readonly input?: Input | undefined;
  /** A run to show when the component is mounted, such as the one that a page showed before it was loaded again; not with `input`. */
  readonly runId?: string | undefined;
  /** The conversation that runs continue. Default: one of this component; `false` for none, as on a server without a store. */
  readonly thread?: string | false | undefined;
  /** `'abort'` aborts a run whose component is hidden or unmounted. Default: it is left to the server. */
  readonly onStop?: 'abort' | undefined;
}

/** Functions to talk with an agent. */
export interface SessionControls<Input = string> {
  /**
   * Starts a run with this input, continuing the conversation; during a run, sends a text as a message to it. False, with the reason in
   * `error`, if neither is possible.
   */
  send(this: void, input: Input): boolean;
  /**
   * Aborts the run; an answer that was streaming stays among the `messages`, as one that is cut. Like the following commands, false if no
   * run is in progress.
   */
  stop(this: void, reason?: string): boolean;
  /** Pauses the run before the next effect. */
  pause(this: void): boolean;
  resume(this: void): boolean;
  /** Approves a call, by the id of its request; with `input`, for these arguments. */
  approve(this: void, id: string, options?: { readonly input?: Json | undefined }): boolean;
  deny(this: void, id: string, reason?: string): boolean;
  /** Answers a question; without an id, the oldest. */
  reply(this: void, text: string, id?: string): boolean;
}

/** An agent as a component sees it; the same object as long as nothing changes. */
export interface AgentSessionView<Input = string, Output = string> extends SessionControls<Input> {
  /** `idle` until a run starts. */
  readonly status: 'idle' | Progress['status'];
  /** Phase of the agent itself: `DECIDE`, `waiting`, `completed` … */
  readonly phase: string | undefined;
  readonly step: number | undefined;
  /** Path of the current or last speaker: for a team, a member's. */
  readonly speaker: string | undefined;
  /** The speaker's text as it streams, then the complete text. */
  readonly text: string;
  readonly isStreaming: boolean;
  /** The partial answer of an agent with an `output` schema; not validated before `output` is set. */
  readonly partial: DeepPartial<Output> | undefined;
  /** The validated answer, once the run has completed. */
  readonly output: Output | undefined;
  /** Messages of all runs so far, oldest first. */
  readonly messages: readonly ProgressMessage[];
  /** Open requests for people, oldest first: for `approve`, `deny` or `reply`. */
  readonly requests: readonly ProgressRequest[];
  /** Tool calls in progress. */
  readonly tools: readonly (ToolProgress & { readonly path: string })[];
  /** Totals of the last run. */
  readonly totals: RunTotals;
  /** The reason why the run failed, or a command was refused. */
  readonly error: ErrorData | undefined;
  /** The whole progress of the last run. */
  readonly progress: Progress;
}

/**
 * An agent of a server as a component sees it. A command is true once it is on its way: what the server says against it is in `error`. A
 * request is out of `requests` while its answer is on its way.
 */
export interface RemoteSessionView<Input = string, Output = string> extends AgentSessionView<Input, Output> {
  /** The id of the run that is shown, once the server has it. */
  readonly runId: string | undefined;
  /** `waiting` while the server cannot be reached: it is tried again. */
  readonly connection: Connection;
}
