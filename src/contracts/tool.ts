import type { Agent } from './agent.ts';
import type { Allotment } from './budget.ts';
import type { EnvironmentOps, EnvironmentOutcome, OpsGroup } from './environment.ts';
import type { BeforeEnd, ChildOptions, ChildTerms, Delegation } from './delegation.ts';
import type { ErrorData } from './error.ts';
import type { Json, JsonObject, JsonSchema } from './json.ts';
import type { Messenger } from './message.ts';
import type { RunResult } from './run.ts';
import type { Checked } from './schema.ts';
import type { Turn } from './transcript.ts';

/** A model's or an agent's wish to use a tool. */
export interface ToolCall {
  /** Unique within a run: `call_<step>_<index>` once the runtime has numbered it. */
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** Why this call cannot stand (arguments that are no JSON, or cut off): it is answered, never executed. */
  readonly problem?: string | undefined;
  /** Facts that the provider that made it wants back with it. */
  readonly origin?: CallOrigin | undefined;
}

/** A provider's own id of a call, and the fields that it put beside it; read by that provider alone. */
export interface CallOrigin {
  readonly provider: string;
  /** The provider's id; absent where it gave none. */
  readonly id?: string | undefined;
  /** The model that made `fields`: they are worth nothing to another. */
  readonly model?: string | undefined;
  /** Fields that go back as they came: signatures, and whatever else is not known. */
  readonly fields?: JsonObject | undefined;
}

/** What a model is told of a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** `read` changes nothing, `write` changes something, `danger` cannot be taken back. */
export type Safety = 'read' | 'write' | 'danger';

/** Facts about a tool that people, policies and registries use. */
export interface ToolFacts {
  /** Default `0.0.0`. */
  readonly version: string;
  /** Default `general`. */
  readonly category: string;
  readonly tags: readonly string[];
  /** Why not to use it any more; it still works, and a warning event says so. */
  readonly deprecated?: string | undefined;
  readonly replacedBy?: string | undefined;
  /** Default `read`. */
  readonly safety: Safety;
  /** True if repeating it with the same key does no harm. Default: true for `read`. */
  readonly idempotent: boolean;
  /**
   * Its answer follows from its input until something is changed: within a run an equal call is answered from the first,
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

/** What became of a call: its value, as `execute` would have returned it; undefined if the call was never done. */
export interface Became<Value = unknown> {
  readonly value: Value;
}

/** The number of times that a failed call is repeated by the runtime; waits double from `initialWaitMs` (ms) up to `maxWaitMs` (ms). */
export interface ToolRetry {
  /** Attempts in all. Default 3 for an idempotent tool, else 1. */
  readonly attempts: number;
  readonly initialWaitMs: number;
  readonly maxWaitMs: number;
}

/**
 * Something that an agent can do, with its types rubbed off: what registries and runtimes hold.
 *
 * Make one with `tool()`; it checks the input before `execute` sees it.
 */
export interface Tool extends ToolFacts {
  readonly name: string;
  readonly description: string;
  /** Takes any input unchecked (for tools whose schema is known only at run time). */
  readonly dynamicSchema: boolean;
  readonly parameters: JsonSchema;
  /** The JSON Schema of its value, where it says what that is. */
  readonly outputSchema?: JsonSchema | undefined;
  /** Checks whether a person has to say yes to this very input first. */
  needsApproval(input: Json): boolean;
  /** What a person reads while it runs: "Reading config.json". */
  describe(input: Json): string;
  check(input: Json): Checked<unknown> | Promise<Checked<unknown>>;
  /** Whom it gives work to that goes on when the call is through. */
  readonly delegates?: Delegates | undefined;
  /** Agents that its calls may name: the system prompt of an agent that has the tool lists them. */
  readonly receivers?: readonly Receiver[] | undefined;
  /** The parameters and check of a tool that completes, for an agent whose answer has this schema. Absent where they are always the same. */
  readonly forOutput?: ((answer: JsonSchema) => Pick<Tool, 'parameters' | 'check'>) | undefined;
  /** Called with what `check` let through. Returns the value, or a {@link DualResult}. */
  execute(input: unknown, context: ToolContext): unknown;
  /** What became of the call with this key; where it throws, nobody knows. See `ToolOptions`. */
  whatBecame?(
    key: string,
    options: { readonly signal: AbortSignal },
  ): Became | undefined | Promise<Became | undefined>;
}

/** An agent that work can be given to, and what it is good for. */
export interface Receiver {
  readonly name: string;
  readonly description: string;
}

/** Whom a tool may give work to. */
export interface Delegates {
  readonly to: readonly Agent<string, unknown>[];
  /** The agent that has the tool as well, without the tool. */
  readonly includesSelf: boolean;
  readonly budget?: Allotment | undefined;
}

/** What a tool may use while it runs. It may be taken apart: each piece works by itself. */
export interface ToolContext {
  /** The name that it was called by, with that of its toolset. */
  readonly tool: string;
  readonly callId: string;
  /**
   * The idempotency key: equal for every attempt of this very call, also after a crash, and never equal with other arguments, as it
   * ends with a digest of them.
   */
  readonly key: string;
  readonly runId: string;
  /** The keys of the calls that this one's agent works for, outermost first: each waits until this one is done. */
  readonly callers?: readonly string[] | undefined;
  /** Where the calling agent sits: `desk/researcher-1`. */
  readonly path: string;
  readonly agent: string;
  readonly step: number;
  /** From 1. */
  readonly attempt: number;
  /** The agent's state as it is at this call: a frozen copy, made when it is read. */
  readonly state: Json;
  /** What the caller of the run gave as `context`: check what it is before use. */
  readonly context?: unknown;
  /** The operations of the run's environment. */
  readonly ops?: EnvironmentOps | undefined;
  /** Aborted at the time-out, or when the run ends. Made on first use. */
  readonly signal: AbortSignal;
  /** Now, by the run's clock, in ms since 1970. */
  readonly now: () => number;
  /** Tells observers how far it is (`tool.progressed`). */
  readonly progress: (text: string) => void;
  /** Tells observers of something of the app's own (`custom.emitted`): `emit('shop.ordered', { id: 7 })`. */
  readonly emit: (name: string, data: Json) => void;
  /** Asks a person and waits; rejects with `tool.failed` where nobody can answer. */
  readonly ask: (question: string) => Promise<string>;
  /** Talks to other agents of the run: whom it knows by name, and what they say to each other. */
  readonly messages: Messenger;
  /** What the calling agent was told and has said, before this step. */
  readonly conversation: readonly Turn[];
  /** The work that the calling agent has given away, as it was when the call began. */
  readonly delegations: readonly Delegation[];
  /** Runs an agent or team, or the calling agent itself, as a child of this run: its events, limits and abort are the run's. */
  readonly run: <Input, Output>(
    agent: Agent<Input, Output> | 'self',
    input: Input,
    options?: ChildOptions,
  ) => Promise<RunResult<Output>>;
}

/** A result in two languages: `text` for the model, `value` and `artifacts` for the program. */
export interface DualResult {
  readonly text: string;
  readonly value?: unknown;
  readonly artifacts?: readonly Artifact[] | undefined;
  readonly control?: Control | undefined;
}

/** Something that a tool made and that is too large or too odd for the model's eyes. */
export interface Artifact {
  readonly name: string;
  readonly mediaType: string;
  /** Text, or base64 where `encoding` says so. */
  readonly content: string;
  readonly encoding?: 'utf8' | 'base64' | undefined;
}

/** What a control tool makes of the run, once its whole batch is through and only if it succeeded. */
export type Control =
  | { readonly type: 'complete'; readonly answer: Json; readonly summary?: string | undefined }
  | { readonly type: 'handoff'; readonly to: string; readonly message?: string | undefined }
  /** Gives work away: the run goes on, and what comes of it comes back as a message. */
  | ({
      readonly type: 'delegate';
      readonly id: string;
      readonly to: string;
      readonly task: string;
      /** Work that it goes on with, by its id. */
      readonly follows?: string | undefined;
      readonly beforeEnd: BeforeEnd;
      /** The time that one that waits still waits for more, once something has come back, in ms. */
      readonly gatherMs: number;
    } & Omit<ChildTerms, 'history'>)
  /** Work that was given away is done, and can be gone on with. */
  | {
      readonly type: 'delegated';
      readonly id: string;
      readonly to: string;
      readonly conversation: readonly Turn[];
    }
  | { readonly type: 'callOff'; readonly id: string }
  /** Waits until something comes back. */
  | { readonly type: 'await' };

/** Which level refused or broke. */
export type ToolErrorKind =
  'validation' | 'execution' | 'system' | 'timeout' | 'denied' | 'unknown' | 'cancelled';

interface ToolResultBase {
  readonly callId: string;
  readonly tool: string;
  /** What the model reads; never empty. */
  readonly text: string;
  /** In ms, by the run's clock. */
  readonly durationMs: number;
  readonly attempts: number;
  /** What it was called with, where a person changed that before saying yes. */
  readonly input?: Json | undefined;
  /** Answered from an equal call of this run: the tool did not run. */
  readonly cached?: boolean | undefined;
  readonly artifacts?: readonly Artifact[] | undefined;
  /** What the call made of the run's environment. */
  readonly environment?: EnvironmentOutcome | undefined;
}

/** How a call ended; failures are data for the next decision, they never end a run by themselves. */
export type ToolResult = ToolSuccess | ToolFailure;

/** A call that worked. */
export interface ToolSuccess extends ToolResultBase {
  readonly ok: true;
  readonly value: Json;
  readonly control?: Control | undefined;
}

/** A call that did not. */
export interface ToolFailure extends ToolResultBase {
  readonly ok: false;
  readonly kind: ToolErrorKind;
  readonly error: ErrorData;
}

/** Tools that belong together: a namespace, and a life cycle around every run that uses them. */
export interface Toolset {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Before the first step of a run; a throw is a problem that preparing reports. */
  setup?(): void | Promise<void>;
  /** After the run, however it ended, in reverse order of set-up. */
  teardown?(): void | Promise<void>;
}
