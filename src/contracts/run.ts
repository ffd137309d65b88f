import type { Observable } from 'rxjs';
import type { Budget } from './budget.ts';
import type { SaidCritique } from './critique.ts';
import type { BranchTaken, TakenDecision } from './decision.ts';
import type { ErrorData } from './error.ts';
import type { Hook, LiveEvent, RuntimeEvent } from './event.ts';
import type { JournalStore } from './journal.ts';
import type { Inspect } from './inspection.ts';
import type { Json } from './json.ts';
import type { LogSink } from './log.ts';
import type { Model } from './model.ts';
import type { DeadLetter, Message, MessageLimits, Terminated } from './message.ts';
import type { ModelChoice } from './agent.ts';
import type { FailureReport } from './recovery.ts';
import type { ApprovalRequest, OpenRequest, RequestOptions } from './request.ts';
import type { Prices } from './prices.ts';
import type { ToolExecutor } from './executor.ts';
import type { SafetyStrategy } from './safety.ts';
import type { AbortOptions, SuspendOptions } from './run-control.ts';
import type { Secrets } from './secrets/redactor.ts';
import type { StopReason, Tally } from './stop.ts';
import type { Threads } from './thread.ts';
import type { Task, TaskInput } from './task.ts';
import type { Artifact, Tool, ToolResult, Toolset } from './tool.ts';
import type { Turn } from './transcript.ts';
import type { Clock } from './clock.ts';
import type { TreeLimits } from './tree-limits.ts';

/** How a run ended; every run ends in exactly one way. */
export type RunStatus = 'completed' | 'stopped' | 'aborted' | 'failed';

/** One value of the agent's state that a step changed. */
export interface StateChange {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** What happened in one step, from OBSERVE to CHECK_STOP. */
export interface StepRecord {
  /** From 0, within its agent. */
  readonly step: number;
  readonly path: string;
  readonly agent: string;
  readonly observation?: Json | undefined;
  readonly decision?: TakenDecision | undefined;
  /** The branch that the decision was picked from, where it was. */
  readonly branch?: BranchTaken | undefined;
  readonly results: readonly ToolResult[];
  readonly critiques: readonly SaidCritique[];
  /** The keys of the state that changed; empty where none did. */
  readonly diff: Readonly<Record<string, StateChange>>;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What every actor leaves behind when it is done: plain JSON, also the `output` of its XState actor. */
export interface Outcome<Output = Json> {
  readonly status: RunStatus;
  /** The accepted answer; absent unless `status` is `completed`. */
  readonly output?: Output | undefined;
  /** An answer that critics rejected to the last, kept but not accepted. */
  readonly candidate?: Json | undefined;
  /** The agent never said that it was done: what it had said was taken for its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error?: ErrorData | undefined;
  /** What failed, with what was done about it; absent where nothing did. */
  readonly report?: FailureReport | undefined;
  readonly steps: number;
  readonly state: Json;
  readonly tally: Tally;
  /** What was said, where it is to be gone on with; the latter half of it, where it had become too long. */
  readonly conversation?: readonly Turn[] | undefined;
}

/** What was used by a whole run, children included; `modelCalls` counts every request, also one that failed. */
export interface RunTotals {
  readonly steps: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly retries: number;
  readonly durationMs: number;
  /** In US dollars; undefined as soon as one call's price is not known. A model that is no language model costs nothing. */
  readonly costUsd?: number | undefined;
  /** The models whose price is not known, where there are any. */
  readonly unpriced?: readonly string[] | undefined;
  /** Model calls whose tokens were counted by us, as their provider did not say; absent where there are none. */
  readonly estimated?: number | undefined;
}

/** What a run gives back. `output` is there only when the run completed: a limit or a critic may have ended it first. */
export interface RunResult<Output = Json, State = Json> {
  readonly runId: string;
  /** What the run was about, read and checked; absent where it was given no task, or one that is unfit. */
  readonly task?: Task | undefined;
  readonly status: RunStatus;
  readonly output: Output | undefined;
  readonly candidate: Json | undefined;
  /**
   * The whole conversation of the run, from the history that it went on from to its answer, each call with what the tool answered: what
   * its models were shown, before anything was left out. Another run goes on from it by `history`. Made when it is read. Empty for a
   * team: its members talk, each with its own.
   */
  readonly transcript: readonly Turn[];
  /** What was said to it and by it: of a child whose terms say so. */
  readonly conversation?: readonly Turn[] | undefined;
  /** The agent never said that it was done: what it had said was taken for its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error: ErrorData | undefined;
  /** What failed, with what was done about it; absent where nothing did. */
  readonly report?: FailureReport | undefined;
  readonly state: State;
  /** The root agent's steps, in order; children have theirs in the events `step.ended`. */
  readonly records: readonly StepRecord[];
  readonly events: readonly RuntimeEvent[];
  readonly artifacts: readonly Artifact[];
  readonly totals: RunTotals;
  /** Every effect of the run: what was asked, by key, and what came of it. */
  readonly effects: readonly EffectRecord[];
}

/** Intent and result of one effect. */
export interface EffectRecord {
  readonly key: string;
  readonly port: string;
  readonly path: string;
  readonly askedAt: number;
  /** `late` answered after nobody wanted it. */
  readonly state: 'asked' | 'answered' | 'failed' | 'withdrawn' | 'late';
  readonly output?: unknown;
}

/** Something that runs share. */
export interface SharedResource {
  /** The model as this run is to ask it: it may have to wait for others, or be refused. */
  around?(model: Model): Model;
}

/** What a run may be told beside its input. */
export interface RunOptions {
  /** Default: a random UUID. Two runs of one engine that are under way cannot share one. */
  readonly runId?: string | undefined;
  readonly model?: ModelChoice | undefined;
  /** Aborting it aborts the run. */
  readonly signal?: AbortSignal | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /**
   * Texts that nobody may read, by the name that stands for them, beside the secrets of the process's environment: events, errors, threads
   * and stored journals have `[redacted NAME]`, or a reference to the name, in their place. Tools and models get what they need.
   *
   * To resume a stored run they have to be given again, else it is refused with `secret.missing`.
   */
  readonly secrets?: Secrets | undefined;
  /**
   * Seals in a stored run, and in the states of its thread, what its schemas mark as secret (`writeOnly: true`, `format: 'password'`): 32 bytes in
   * base64 or hexadecimal digits, as `openssl rand -base64 32` makes them; or such keys, of which the first one seals and each opens. Default: that of
   * the variable `TROUPE_SECRET_KEY`.
   *
   * Without one a stored run with such fields is refused with `secret.missing`, as is going on with it; with another, that is
   * refused with `secret.wrong-key`. What is no key is `secret.invalid`.
   */
  readonly secretKey?: string | readonly string[] | undefined;
  /** Told of every error, once for each event that tells of one. */
  readonly log?: LogSink | undefined;
  readonly clock?: Clock | undefined;
  /** Answers questions and approvals in place of `handle.reply` and `handle.approve`. */
  readonly person?: Person | undefined;
  /** The time that people may take. */
  readonly requests?: RequestOptions | undefined;
  /** Effects under way at the same time in the whole run, at least 1. Default: no limit but those of tools. */
  readonly concurrency?: number | undefined;
  /** Earlier turns of the conversation, to go on from, tool cycles included; the members of a team are told of them, too. */
  readonly history?: readonly Turn[] | undefined;
  /**
   * The conversation that this run belongs to, by a name of the caller's: memories of scope `thread` are shared by its
   * runs, and sessions of external engines are gone on with in it. Default: the run is a thread of its own.
   *
   * Where threads are kept (`threads`, or else `store`), the run goes on from what was said and done in it, unless it is given a
   * `history`, and adds what it was asked, each call with what the tool answered, and its answer, or how it ended. What of that is
   * shown is the agent's to say, by `context`. Its agents begin with the state that they came to in the thread before.
   */
  readonly thread?: string | undefined;
  /** Where threads are kept; see `threads` of `troupe/memory`. Default: where the run is, if that is in a `store`. */
  readonly threads?: Threads | undefined;
  /** Says of every tool call whether it may run. */
  readonly safety?: SafetyStrategy | undefined;
  /** Executes every tool call of the run. Default: each tool executes its own. */
  readonly executor?: ToolExecutor | undefined;
  /**
   * Whatever the caller wants tools, hooks, critics, safety strategies and an agent's own functions to have of it (tenant, trace,
   * transaction …): handed on as it is, to this run only. It is no part of the run's state, of an event or of a record.
   */
  readonly context?: unknown;
  /** The most that the run may use, all agents together; what it sets takes the place of the root agent's own budget. */
  readonly budget?: Budget | undefined;
  /** The limits on the agents of the run, in number and depth; see {@link TreeLimits} for what holds without. */
  readonly limits?: TreeLimits | undefined;
  /**
   * What the run is about: a text, or an objective with constraints, inputs, resources, a budget and criteria of success.
   *
   * It is checked before the first step, against the agent's environment, too: each thing wrong is a problem
   * (`task.invalid`, `environment.unfit`) with the code and field in its `details`. The agent, or all members of a
   * team, are told of it before their input, which says what is to be done with it and may be `''`; criteria are not told.
   * Its budget comes before the root's own, for this run only, and `budget` before both. See `evaluateTask`.
   */
  readonly task?: TaskInput | undefined;
  /** The limits on talk between agents of the run. */
  readonly messages?: MessageLimits | undefined;
  /** What model calls cost. Default: `@pydantic/genai-prices`, where it is installed. */
  readonly prices?: Prices | undefined;
  /**
   * Where the run is kept: from then on it is its journal, and can be resumed, replayed and forked by its `runId`.
   *
   * Everything that comes into the run is written before anything comes of it; observers see what is written. The run is moved by the
   * pure turn, unless `inspect` is given.
   */
  readonly store?: JournalStore | undefined;
  /** Stand around all models of the run, the first outermost; a run closes none of them. See `perProvider` of `troupe/resources`. */
  readonly resources?: readonly SharedResource[] | undefined;
  /** An XState inspector, or a recorder of `troupe/inspect`; it is wrapped, so that it cannot hurt the run. */
  readonly inspect?: Inspect | undefined;
  /** Start held at the gate, to be stepped. */
  readonly paused?: boolean | undefined;
}

/** A turn of a conversation that a run goes on from. */
export interface EarlierTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Who spoke, where it was neither the user nor this agent; see `perspective` of `troupe/memory`. */
  readonly from?: string | undefined;
}

/** Somebody who answers for the user of a run. */
export interface Person {
  answer?(question: string, signal: AbortSignal): string | Promise<string>;
  /** True, false, or why not. */
  approve?(request: ApprovalRequest, signal: AbortSignal): boolean | string | Promise<boolean | string>;
}

/** A run under way. Iterating it gives its events; awaiting `result` does not need anybody to iterate. */
export interface RunHandle<Output = Json, State = Json> extends AsyncIterable<LiveEvent> {
  readonly runId: string;
  /** Every event from now on, deltas included; replays what was missed since the start, but for deltas. */
  readonly events$: Observable<LiveEvent>;
  /** Rejects only if the run failed; limits, critics and aborts resolve with their stop reason. */
  readonly result: Promise<RunResult<Output, State>>;
  /** Holds the next effect at the gate; what is under way goes on. */
  pause(): void;
  resume(): void;
  /** Goes on to the next CHECK_STOP, or by one effect, then holds again; resolves when it holds or the run has ended. */
  step(unit?: 'step' | 'effect'): Promise<void>;
  /**
   * Puts a message into the mailbox of the root, or of the agent at `path`. False if nobody is there, or there is no room: what it let
   * go of is told by {@link deadLetters$}.
   */
  send(message: string | Message, path?: string): boolean;
  /** Like `send`; for a mailbox that blocks it waits until there is room. False if nobody is there (any more) to take it. */
  sendWhenRoom(message: string | Message, path?: string): Promise<boolean>;
  /** Messages that reached nobody, and why: the last 10,000, then each as it happens. */
  readonly deadLetters$: Observable<DeadLetter>;
  /**
   * Tells once how the agent or team at `path` came to its end, also where it has by now, or is not engaged yet. Rejects with
   * `agent.unknown` where the run is over and nobody was ever there.
   */
  watch(path: string): Promise<Terminated>;
  /** What waits for a person in the whole run, oldest first: also of members and of agents that tools run. */
  readonly requests: readonly OpenRequest[];
  /**
   * Says yes to a call, by the id of its request or of the call. With `input`, it is made with these arguments, which are checked
   * by its tool again. False if nobody waits for that (any more), or they do not fit.
   */
  approve(id: string, options?: { readonly input?: Json | undefined }): boolean;
  deny(id: string, reason?: string): boolean;
  /** Answers a question by the id of its request; without one, the oldest. False if nobody waits for that. */
  reply(text: string, id?: string): boolean;
  /** Swaps the model of the whole run from the next call on. */
  use(model: ModelChoice): void;
  /**
   * Gives the root, or the agent at `path`, more tools; they are there from its next step on.
   *
   * Resolves with what was wrong with them (`tool.duplicate`, `tool.invalid`, `tool.setup`, `agent.unknown`).
   */
  addTools(tools: readonly (Tool | Toolset)[], path?: string): Promise<readonly ErrorData[]>;
  /** Takes a tool, or a whole toolset, away from the next step on; false if nothing is called that. */
  removeTool(name: string, path?: string): boolean;
  /**
   * Ends the agent or team at `path`, with all below it, for whoever engaged it: it has failed with `agent.stopped`, and its supervisor
   * does about that what its policy says (`stopped`; by default it begins anew). False if nobody is there, and for the root.
   */
  stop(path: string, reason?: string): boolean;
  /**
   * Settles the run within a tick, whatever models and tools do; with `after: 'step'`, once a step is through and on record (of a
   * team: the first of any agent that is). The first reason is the one that counts.
   */
  abort(reason?: string, options?: AbortOptions): void;
  /**
   * Stops a stored run here, so that it can be resumed anywhere: nothing more is begun, what is under way may finish, and all of it is
   * written. The result rejects with `run.suspended`. Rejects with `run.ended` for a run that is over, and with
   * `journal.unknown` for one that is kept nowhere.
   */
  suspend(options?: SuspendOptions): Promise<void>;
}
