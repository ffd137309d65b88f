import type { Delegate } from '../agents/delegate.ts';
import type { Allotment } from '../runs/budget.ts';
import type { MediaPart } from '../content/part.ts';
import type { EnvironmentOps, OpsGroup } from '../environments/operations.ts';
import type { ChildOptions, Delegation } from './delegation.ts';
import type { Json, JsonSchema } from '../../base/json/json.ts';
import type { Model } from '../models/model.ts';
import type { Messenger } from '../messages/message.ts';
import type { RequestOptions } from '../people/request.ts';
import type { RunResult } from '../runs/run-result.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import type { Turn } from '../conversations/transcript.ts';

/** `read` changes nothing, `write` changes something, `danger` cannot be undone. */
export type Safety = 'read' | 'write' | 'danger';

/** Facts about a tool that people, policies and registries use. */
export interface ToolFacts {
  /** Default `0.0.0`. */
  readonly version: string;
  /** Default `general`. */
  readonly category: string;
  readonly tags: readonly string[];
  /** Deprecation notice; the tool still works, and a warning event reports it. */
  readonly deprecated?: string | undefined;
  readonly replacedBy?: string | undefined;
  /** Not sent to the model until it is found by `find_tools`. Default: as its toolset, else false. */
  readonly deferred?: boolean | undefined;
  /** Default `read`; for a safety strategy `write`. */
  readonly safety: Safety;
  /** True if its author declared no `safety`. */
  readonly undeclared?: boolean | undefined;
  /** True if repeating it with the same key does no harm. Default: true for `read`. */
  readonly idempotent: boolean;
  /**
   * The result follows from the input until something changes: within a run an equal call reuses the first result,
   * until any tool that is not `read` was called. Default: false.
   */
  readonly cacheable?: boolean | undefined;
  /** Runs alone: a barrier among the calls of one step. Default: false for `read`, true otherwise. */
  readonly exclusive: boolean;
  /** In ms, `Infinity` for none. Default 60,000. */
  readonly timeoutMs: number;
  readonly retry: ToolRetry;
  /** Operations of the environment that it cannot do without; a run without them ends before its first step. */
  readonly requires?: readonly OpsGroup[] | undefined;
}

/**
 * The outcome of an earlier call: its value, as `execute` would have returned it; undefined if the call was never
 * executed.
 */
export interface Became<Value = unknown> {
  readonly value: Value;
}

/** The number of times that a failed call is repeated by the runtime; waits double from `initialWaitMs` (ms) up to `maxWaitMs` (ms). */
export interface ToolRetry {
  /** Total number of attempts. Default 3 for an idempotent tool, else 1. */
  readonly attempts: number;
  readonly initialWaitMs: number;
  readonly maxWaitMs: number;
}

/**
 * A tool, with its types erased: the form that registries and runtimes hold.
 *
 * Make one with `tool()`; it validates the input before `execute` sees it.
 */
export interface Tool extends ToolFacts {
  readonly name: string;
  readonly description: string;
  /** Takes any input unchecked (for tools whose schema is known only at run time). */
  readonly dynamicSchema: boolean;
  readonly parameters: JsonSchema;
  /** The JSON Schema of its value, if it declares one. */
  readonly outputSchema?: JsonSchema | undefined;
  /** Checks whether a person must approve a call with this input, which the run's safety strategy judged by this rule. */
  needsApproval(input: Json, rule?: string): boolean;
  /** Describes a running call for people: "Reading config.json". */
  describe(input: Json): string;
  check(input: Json): Checked<unknown> | Promise<Checked<unknown>>;
  /** Agents that it delegates to and that continue after the call returns. */
  readonly delegates?: Delegates | undefined;
  /** Agents that its calls may name: the system prompt of an agent that has the tool lists them. */
  readonly receivers?: readonly Receiver[] | undefined;
  /** True if its results may begin with an announcement of deferred tools, which the model is sent from then on. */
  readonly announces?: boolean | undefined;
  /** The parameters and check of a tool that completes, for an agent whose answer has this schema. Absent where they are always the same. */
  readonly forOutput?: ((answer: JsonSchema) => Pick<Tool, 'parameters' | 'check'>) | undefined;
  /** Called with the validated input. Returns the value, or a {@link DualResult}. */
  execute(input: unknown, context: ToolContext): unknown;
  /** Returns the outcome of the call with this key; if it throws, the outcome is unknown. See `ToolOptions`. */
  whatBecame?(
    key: string,
    options: { readonly signal: AbortSignal },
  ): Became | undefined | Promise<Became | undefined>;
}

/** An agent that work can be delegated to, and its purpose. */
export interface Receiver {
  readonly name: string;
  readonly description: string;
}

/** The agents that a tool may delegate to. */
export interface Delegates {
  readonly to: readonly Delegate<string, unknown>[];
  /** The agent that has the tool as well, without the tool. */
  readonly includesSelf: boolean;
  readonly budget?: Allotment | undefined;
}

/** Facilities for a running tool. It may be destructured: each part works by itself. */
export interface ToolContext {
  /** The name that it was called by, with that of its toolset. */
  readonly tool: string;
  /** The id of the call in its step: `call_0_1`. */
  readonly callId: string;
  /**
   * Idempotency key: equal for every attempt of this very call, also after a crash, and never equal with other
   * arguments, as it ends with a digest of them.
   */
  readonly key: string;
  /** The id of the run. */
  readonly runId: string;
  /** The keys of the calls that this one's agent works for, outermost first: each waits until this one is done. */
  readonly callers?: readonly string[] | undefined;
  /** Address of the calling agent: `desk/researcher-1`. */
  readonly path: string;
  /** The name of the calling agent. */
  readonly agent: string;
  readonly step: number;
  /** From 1. */
  readonly attempt: number;
  /** The agent's state at this call: a frozen copy, made when read. */
  readonly state: Json;
  /** The `context` that the caller of the run passed; validate it before use. */
  readonly context?: unknown;
  /** The operations of the run's environment. */
  readonly ops?: EnvironmentOps | undefined;
  /** Aborted at the time-out, or when the run ends. Made on first use. */
  readonly signal: AbortSignal;
  /** Now, by the run's clock, in ms since 1970. */
  readonly now: () => number;
  /** Reports progress to observers (`tool.progressed`). */
  readonly progress: (text: string) => void;
  /** Emits a custom event (`custom.emitted`): `emit('shop.ordered', { id: 7 })`. */
  readonly emit: (name: string, data: Json) => void;
  /** The last checkpoint of this very call, by an earlier attempt or before the run was resumed; undefined if there is none. */
  readonly resumedFrom?: Json | undefined;
  /**
   * Commits a value that an attempt after this one finds as `resumedFrom`, then waits for `waitMs` (default 0) as a run waits for a time:
   * such a run may be parked. A call with a checkpoint is executed again after a crash, also if its tool is not idempotent.
   */
  readonly checkpoint: (value: Json, waitMs?: number) => Promise<void>;
  /** Asks a person and waits; rejects with `tool.failed` if nobody can answer. Of its time limit and that of the run, the shorter one counts. */
  readonly ask: (question: string, options?: RequestOptions) => Promise<string>;
  /** Exchanges messages with other agents of the run. */
  readonly messages: Messenger;
  /** The calling agent's conversation before this step. */
  readonly conversation: readonly Turn[];
  /** Reads the bytes of media from the run's blob store; rejects with `content.missing` if they are not there. */
  readonly bytesOf: (part: MediaPart) => Promise<Uint8Array>;
  /** Work delegated by the calling agent, as of the start of the call. */
  readonly delegations: readonly Delegation[];
  /** Runs an agent or team, or the calling agent itself, as a child of this run: its events, limits and abort are the run's. */
  readonly run: <Input, Output>(
    agent: Delegate<Input, Output> | 'self',
    input: Input,
    options?: ChildOptions,
  ) => Promise<RunResult<Output>>;
}

/** Tools that belong together: a namespace, and a life cycle around every run that uses them. */
export interface Toolset {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Defers those of its tools that do not say. Default false. */
  readonly deferred?: boolean | undefined;
  /** Advice on two sets of this name that `open`, of which an agent takes one. Default: to rename one. */
  readonly mergeHint?: string | undefined;
  /** Before the first step of a run; a throw is a problem that preparing reports. */
  setup?(): void | Promise<void>;
  /** After the run, however it ended, in reverse order of set-up. */
  teardown?(): void | Promise<void>;
  /**
   * Opens the set for one agent of one run, after `setup`: for tools that are known only then, such as those of a server.
   * A throw is a problem that preparing reports; so is a tool of an invalid or a known name.
   */
  open?(opening: ToolsetOpening): OpenToolset | Promise<OpenToolset>;
}

/** Facilities for a toolset that opens. */
export interface ToolsetOpening {
  /** The fingerprints of its tools when this run first opened it, by name; undefined the first time. */
  readonly listed: Readonly<Record<string, string>> | undefined;
  /** Returns the tools of the agent, with those of sets that are open by then. */
  readonly tools: () => readonly OfferedTool[];
  /** The models of the agent, in order of preference; throws if one of them cannot be created. */
  readonly models: readonly Model[];
  /** Aborted when the set is torn down, also while it opens. */
  readonly signal: AbortSignal;
  /** Registers a secret of the run: it is redacted from events, errors and traces from then on. */
  readonly hide: (secret: string, name: string) => void;
}

/** A tool of an agent, as one of its toolsets sees it. */
export interface OfferedTool {
  /** With that of its toolset. */
  readonly name: string;
  readonly description: string;
  /** Not sent to the model until it is found or announced. */
  readonly isDeferred: boolean;
}

/** A toolset as it was opened for one agent of one run. */
export interface OpenToolset {
  /** In addition to those of the set. */
  readonly tools: readonly Tool[];
  /** A fingerprint of each definition by the name of its tool (or skill), for the record of the run (`toolset.opened`). */
  readonly listed: Readonly<Record<string, string>>;
  /** The reason for each tool that was left out, by its name. */
  readonly refused?: Readonly<Record<string, string>> | undefined;
  /** Called when the set is torn down, before `teardown`. */
  close?(): void | Promise<void>;
}
