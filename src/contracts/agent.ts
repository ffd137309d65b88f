import type { BackendChoice } from './backend.ts';
import type { Budget } from './budget.ts';
import type { Critic } from './critique.ts';
import type { Decision, TakenDecision } from './decision.ts';
import type { Ending, LoopLimits, WrapUp } from './ending.ts';
import type { Environment, EnvironmentScope } from './environment.ts';
import type { Hook } from './event.ts';
import type { AsJson, Json } from './json.ts';
import type { MemoryBlock, MemorySource, RecallPolicy } from './memory.ts';
import type { AgentMailbox } from './message.ts';
import type { Model, ModelRetry, ModelSettings } from './model.ts';
import type { RunHandle, RunOptions, RunResult } from './run.ts';
import type { ContextOptions, ContextPreset } from './processor.ts';
import type { PromptFragment } from './prompt.ts';
import type { InputOf, OutputOf } from './schema.ts';
import type { Described, InputSchemaOf, OutputSchemaOf, ValidDescription } from './signature.ts';
import type { RecoveryPolicy } from './recovery.ts';
import type { StopRule, StopView, Tally } from './stop.ts';
import type { Strategy } from './strategy.ts';
import type { MemberPolicy } from './supervision.ts';
import type { Tool, ToolResult, Toolset } from './tool.ts';
import type { Transcript } from './transcript.ts';
import type { SubtreeLimits } from './tree-limits.ts';

/** A model, or its name as `provider:model`. */
export type ModelChoice = Model | string;

/**
 * What an agent is: a definition, not a process. Everything but the name has a default.
 *
 * `observe`, `decide` and critics may be asynchronous: they are effects. `reduce`, `shouldStop` and stop rules are
 * synchronous and pure, as they run inside the machine.
 */
export interface AgentOptions<
  Input extends Described = undefined,
  Output extends Described = undefined,
  State extends Json = Json,
  Observation extends Json = Json,
> {
  /** Letters, digits, `-` and `_`; unique within a run. */
  readonly name: string;
  /** What it is good for, in a sentence: shown to those who delegate. */
  readonly description?: string | undefined;
  /** The system prompt. */
  readonly instructions?: string | undefined;
  /** One, or a list to fall back along. Default: what the environment names, else the offline model. */
  readonly model?: ModelChoice | readonly ModelChoice[] | undefined;
  readonly settings?: ModelSettings | undefined;
  /**
   * Schema of the input, or its fields: `'question: string'`. Without it the input is a string. A whole signature
   * (`'question -> answer: string, confidence: number'`), here or as the output, describes both.
   */
  readonly input?: Input & ValidDescription<Input>;
  /** How the input reads as the first message. Default: a string as it is, anything else as JSON. */
  readonly prompt?: ((input: OutputOf<InputSchemaOf<Input, Output>>) => string) | undefined;
  /** Schema of the answer, or its fields; without it the answer is a string. */
  readonly output?: Output & ValidDescription<Output>;
  /** How it decides: one shot, chain of thought, calls as text … Default: native calls, round and round. */
  readonly strategy?: Strategy | undefined;
  /**
   * Who or what answers when it decides: `reason-act` (default, its models), `routing`, another that is registered, or a
   * backend; see `troupe/backends`.
   */
  readonly backend?: BackendChoice | undefined;
  /** More of the system prompt, by priority; the instructions have 100. */
  readonly fragments?: readonly PromptFragment[] | undefined;
  readonly tools?: readonly (Tool | Toolset)[] | undefined;
  /**
   * The world that it acts in: one for all its runs, or a function that makes one for each run. The function is told of the
   * run's task, and what it makes is taken for what the task names; one for all runs has to be what the task names.
   */
  readonly environment?: Environment | ((scope: EnvironmentScope) => Environment) | undefined;
  /**
   * What it keeps beside its conversation, from run to run or within one (see `troupe/memory`): its tasks, what it did and
   * what came of it are written there, and recalled at the start of a run.
   */
  readonly memory?: MemorySource | readonly MemorySource[] | undefined;
  /** What of its memory it is told, and how often. */
  readonly recall?: RecallPolicy | undefined;
  /**
   * How a long conversation is kept within what the model takes. Default: once it is past the soft limit of the model,
   * tool results are cut, old tool cycles told in a line, and what is older summarised. A preset does that to every
   * request, however short; `false` sends everything, always.
   */
  readonly context?: ContextPreset | ContextOptions | false | undefined;
  /** Calls under way at the same time. Default 4. */
  readonly toolConcurrency?: number | undefined;
  /**
   * A longer text of its model is cut in the conversation, and the whole of it is an artifact of the run (`text.spilled`); in
   * bytes of UTF-8. The answer of the run is never cut. Default 65,536, as for results of tools.
   */
  readonly maxTextBytes?: number | undefined;
  /** The state to start from: plain JSON, or the agent is refused. Default `{}`. */
  readonly state?: State;
  /**
   * What the agent perceives at the start of each step; told to the model where it is not undefined. Its view holds what
   * the environment shows, which is what counts without this.
   */
  readonly observe?:
    ((view: AgentView<State>) => Observation | undefined | Promise<Observation | undefined>) | undefined;
  /** The agent's own choice, or a branch of choices; `undefined` leaves it to the model. */
  readonly decide?:
    | ((
        view: AgentView<State, Observation, AsJson<OutputOf<InputSchemaOf<Input, Output>>>>,
      ) =>
        | Decision<AnswerFor<Input, Output>>
        | undefined
        | Promise<Decision<AnswerFor<Input, Output>> | undefined>)
    | undefined;
  /**
   * Folds a step into the state, which stays plain JSON: what is none ends the run as failed. The state that it sees is
   * frozen, as it is everywhere: it gives another, and whoever changes it in place ends the run as failed.
   */
  readonly reduce?: ((view: ReduceView<State, Observation>) => NoInfer<State>) | undefined;
  /**
   * The phase that the work is in, by the category of the tool that was used last: `{ files: 'edit', processes: 'validate' }`. Tools of
   * other categories leave it as it is, as do tools that are added while it runs. Policies of ending and fragments of a step see it.
   */
  readonly workPhases?: Readonly<Record<string, string>> | undefined;
  /** Ends the run with what it says (or plainly, for `true`). */
  readonly shouldStop?: ((view: StopView) => string | boolean | undefined) | undefined;
  /** In order; the first that stops or revises wins. */
  readonly critics?: readonly Critic[] | undefined;
  /** After so many the run ends `rejected`. Default 2. */
  readonly maxRejections?: number | undefined;
  /** Default `maxSteps(50)`; rules given here are checked first, that default stays unless one of them limits steps. */
  readonly stop?: StopRule | readonly StopRule[] | undefined;
  /** When its work counts as done: `byTool()`, `byMarker('DONE')`, `bySupervisor([…])`. Default: by an answer that calls nothing. */
  readonly ends?: Ending | undefined;
  /** When a model that goes round in circles is told so, and ends the run. What the agent's own `decide` repeats is no loop. Default `{ warnAt: 3, stopAt: 5 }`; false looks for nothing. */
  readonly loops?: false | Partial<LoopLimits> | undefined;
  /** Near a limit the model is warned, then has to answer without tools. Default false: limits are met unprepared. */
  readonly wrapUp?: boolean | Partial<WrapUp> | undefined;
  /** How its mailbox is kept, what it subscribes to, and what becomes of messages that it has not read. */
  readonly mailbox?: AgentMailbox | undefined;
  /** The most that it and all below it may use in a run. */
  readonly budget?: Budget | undefined;
  /** How it wants to be treated as a member of a team, if it fails: whether and how it is restarted. */
  readonly asMember?: MemberPolicy | undefined;
  /** The limits on what is below it, within those of the run. */
  readonly limits?: SubtreeLimits | undefined;
  /** How failed calls of models are tried again; tools have a `retry` of their own. */
  readonly retry?: ModelRetry | undefined;
  /** What is done about a failure that would end the run. Default: nothing, the first one ends it. */
  readonly recovery?: RecoveryPolicy | undefined;
  /**
   * The time that each of its own asynchronous functions may take (`observe`, `decide`, its environment's
   * `observe`, `step` and `isTerminal`, a recovery handler, the `review`
   * of its strategy until a person is asked, and the run's safety strategy), in ms. Default 600,000; `Infinity` waits for ever.
   */
  readonly timeoutMs?: number | undefined;
  readonly hooks?: readonly Hook[] | undefined;
}

/** What `decide` may answer with: what the output schema takes in, as JSON; without one any JSON. */
type AnswerFor<Input extends Described, Output extends Described> = AsJson<
  InputOf<OutputSchemaOf<Input, Output>, Json>
>;

/** What an agent's own functions see of the run. */
export interface AgentView<State extends Json = Json, Observation extends Json = Json, Input = Json> {
  /** As JSON holds it: where the input schema makes a Date, its text. */
  readonly input: Input;
  readonly state: State;
  readonly step: number;
  readonly transcript: Transcript;
  /** What `observe` gave in this step. */
  readonly observation: Observation | undefined;
  /** What was recalled in this step. */
  readonly memory?: MemoryBlock | undefined;
  /** The results of the step before. */
  readonly results: readonly ToolResult[];
  readonly tally: Tally;
  /** What the caller of the run gave as `context`: check what it is before use. */
  readonly context?: unknown;
  /** Aborted when the run ends. Made on first use. */
  readonly signal: AbortSignal;
}

/** What a reducer folds into the state. */
export interface ReduceView<State extends Json = Json, Observation extends Json = Json> {
  readonly state: State;
  readonly step: number;
  readonly observation: Observation | undefined;
  readonly decision: TakenDecision | undefined;
  readonly results: readonly ToolResult[];
}

/**
 * An agent or a team, ready to run: both have this one face, so teams nest.
 *
 * A definition: running it twice gives two runs that share nothing.
 */
export interface Agent<Input = string, Output = string, State = Json> {
  readonly name: string;
  readonly description: string;
  /**
   * Runs to the end. Rejects if the run failed, with a `TroupeError` whose `result` says how far it came; a limit, a critic or an
   * abort resolves with its stop reason. It begins in its turn, not within the call: what is under way in the process goes on first.
   */
  run(input: Input, options?: RunOptions): Promise<RunResult<Output, State>>;
  /** Starts a run and hands it over: events, control, result. */
  stream(input: Input, options?: RunOptions): RunHandle<Output, State>;
  /** The statechart as Mermaid text. */
  diagram(): string;
}

/** The agent that `AgentOptions` describe. */
export type AgentFor<Input extends Described, Output extends Described, State extends Json> = Agent<
  InputOf<InputSchemaOf<Input, Output>>,
  OutputOf<OutputSchemaOf<Input, Output>>,
  State
>;
