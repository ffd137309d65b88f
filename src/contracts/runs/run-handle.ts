import type { Content } from '../content/part.ts';
import type { Observable } from 'rxjs';
import type { ErrorData } from '../errors/error-data.ts';
import type { LiveEvent } from '../events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { DeadLetter, Message, Terminated } from '../messages/message.ts';
import type { ModelChoice } from '../models/model.ts';
import type { Approver } from '../people/approval-terms.ts';
import type { OpenRequest } from '../people/request.ts';
import type { DeepPartial, OutputElement } from './partial-output.ts';
import type { AbortOptions, SuspendOptions } from './run-control.ts';
import type { Tool, Toolset } from '../tools/tool.ts';
import type { RunResult } from './run-result.ts';

/** A run in progress. Iterating yields its events; awaiting `result` works without iteration. */
export interface RunHandle<Output = Json, State = Json> extends AsyncIterable<LiveEvent> {
  readonly runId: string;
  /** Every event from now on, deltas included; replays what was missed since the start, but for deltas. */
  readonly events$: Observable<LiveEvent>;
  /**
   * The output as far as the root's model has written it: at once what is written of the answer under way, then as it
   * grows; last, the validated one, if the run completes. A preview: not validated, in no log, and begun again with each
   * answer of the model. It completes with the run, whatever its end.
   *
   * A team's output, and that of an agent with a strategy that answers for it, comes whole, at the end.
   */
  readonly partial$: Observable<DeepPartial<Output>>;
  /**
   * The items of an output that is a list, each once it is whole and valid by itself. If the model gives another item
   * for an index, as it answers again, that is emitted too; if its list is shorter, `{ index, element: undefined }` says
   * that it ends before `index`. So the list that follows this is that of the result, if the run completes. Emits
   * nothing for other outputs.
   *
   * @example
   * run.element$.subscribe(({ index, element }) => {
   *   if (element === undefined) list.length = index;
   *   else list[index] = element;
   * });
   */
  readonly element$: Observable<OutputElement<Output>>;
  /** Rejects only if the run failed; limits, critics and aborts resolve with their stop reason. */
  readonly result: Promise<RunResult<Output, State>>;
  /** Holds the next effect at the gate; effects in flight continue. */
  pause(): void;
  resume(): void;
  /**
   * Continues to the next CHECK_STOP, or by one effect, then pauses again; resolves when it is paused or the run has
   * ended.
   */
  step(unit?: 'step' | 'effect'): Promise<void>;
  /**
   * Delivers a message, a text or parts, to the mailbox of the root, or of the agent at `path`. False if nobody is there, or the mailbox
   * is full; {@link deadLetters$} reports dropped messages.
   */
  send(message: Content | Message, path?: string): boolean;
  /** Delivers like `send`; if the mailbox blocks, waits until there is room. False if nobody is there (any more). */
  sendWhenRoom(message: Content | Message, path?: string): Promise<boolean>;
  /** Undelivered messages, with the reason: the last 10,000, then live ones. */
  readonly deadLetters$: Observable<DeadLetter>;
  /**
   * Resolves when the agent or team at `path` ends; also if it has ended already, or is not engaged yet. Rejects with
   * `agent.unknown` if the run is over and nobody was ever there.
   */
  watch(path: string): Promise<Terminated>;
  /** Open requests to people in the whole run, oldest first: those of members and of agents run by tools included. */
  readonly requests: readonly OpenRequest[];
  /**
   * Approves a call, by the id of its request or of the call. With `input`, it is made with these arguments, which its
   * tool validates and the safety strategy judges. False if it does not wait for approval (any more), or the arguments are invalid;
   * throws `input.invalid` for another option.
   *
   * Where the request has `by` or `approvals`, say who approves: `{ by: { name: 'ada', roles: ['lead'] } }`. You vouch for them. Throws
   * `request.forbidden` for a person without the role, or who has approved it already; the run goes on waiting. An approval that is one
   * of several is on record (`tool.approval-given`), and the request stays open for the others.
   */
  approve(
    id: string,
    options?: { readonly input?: Json | undefined; readonly by?: Approver | undefined },
  ): boolean;
  /** Denies a call; anybody may. */
  deny(id: string, reason?: string, options?: { readonly by?: Approver | undefined }): boolean;
  /** Answers a question by the id of its request; without one, the oldest. False if there is none. */
  reply(text: string, id?: string): boolean;
  /** Swaps the model of the whole run from the next call on. */
  use(model: ModelChoice): void;
  /**
   * Adds tools to the root, or to the agent at `path`, from its next step on.
   *
   * Resolves with the problems found (`tool.duplicate`, `tool.invalid`, `tool.setup`, `agent.unknown`).
   */
  addTools(tools: readonly (Tool | Toolset)[], path?: string): Promise<readonly ErrorData[]>;
  /** Removes a tool, or a whole toolset, from the next step on; false if there is none of that name. */
  removeTool(name: string, path?: string): boolean;
  /**
   * Stops the subtree at `path`. Its supervisor sees a failure `agent.stopped` and applies its policy (`stopped`; by
   * default a restart). False if nobody is there, and for the root.
   */
  stop(path: string, reason?: string): boolean;
  /**
   * Ends the run within a tick, whatever models and tools do; with `after: 'step'`, once a step is finished and
   * committed (in a team: the first step of any agent to finish). The first reason counts.
   */
  abort(reason?: string, options?: AbortOptions): void;
  /**
   * Suspends a stored run, so that it can be resumed anywhere: starts nothing new, lets work in flight finish, and
   * commits everything. The result rejects with `run.suspended`. Rejects with `run.ended` for a finished run, and with
   * `journal.unknown` for one without a store.
   */
  suspend(options?: SuspendOptions): Promise<void>;
}
