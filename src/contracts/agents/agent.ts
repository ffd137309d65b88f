import type { Budget } from '../runs/budget.ts';
import type { Critic } from './critic.ts';
import type { Delegate } from './delegate.ts';
import type { Decision, TakenDecision } from './decision.ts';
import type { LoopLimits, StopChoice, WrapUp } from './ending.ts';
import type { Environment, EnvironmentScope } from '../environments/environment.ts';
import type { Hook } from '../events/event.ts';
import type { Content } from '../content/part.ts';
import type { AsJson, Json } from '../../base/json/json.ts';
import type { MemorySource, RecallPolicy } from '../conversations/memory.ts';
import type { AgentMailbox } from '../messages/message.ts';
import type { ModelRetry, ModelSettings, ModelChoice } from '../models/model.ts';
import type { RunHandle } from '../runs/run-handle.ts';
import type { RunOptions } from '../runs/run-options.ts';
import type { RunResult } from '../runs/run-result.ts';
import type { CompactionOptions, CompactionPreset } from '../conversations/processor.ts';
import type { PromptFragment } from './prompt.ts';
import type { InputOf, KeptOf, OutputOf } from '../../base/schemas/schema.ts';
import type { Described, InputSchemaOf, OutputSchemaOf, ValidDescription } from './signature.ts';
import type { RecoveryPolicy } from './recovery.ts';
import type { StrategyChoice } from './strategy.ts';
import type { MemberPolicy } from './supervision.ts';
import type { Tool, Toolset } from '../tools/tool.ts';
import type { ToolResult } from '../tools/tool-result.ts';
import type { SubtreeLimits } from '../runs/tree-limits.ts';
import type { AgentView } from './agent-view.ts';

/**
 * Definition of an agent, not a process. Everything but the name has a default.
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
  /** Its purpose, in a sentence; shown to agents that may delegate to it. */
  readonly description?: string | undefined;
  /** The system prompt. */
  readonly instructions?: string | undefined;
  /** One model, or a list to fall back along. Default: the one that the environment names, else the offline model. */
  readonly model?: ModelChoice | readonly ModelChoice[] | undefined;
  readonly settings?: ModelSettings | undefined;
  /**
   * Schema of the input, or its fields: `'question: string'`. Without it the input is a string. A whole signature
   * (`'question -> answer: string, confidence: number'`), here or as the output, describes both.
   */
  readonly input?: Input & ValidDescription<Input>;
  /** Schema of the answer, or its fields; without it the answer is a string. */
  readonly output?: Output & ValidDescription<Output>;
  readonly tools?: readonly (Tool | Toolset)[] | undefined;
  /**
   * The world that it acts in: one for all its runs, or a function that makes one for each run. The function receives
   * the run's task, and its result is used for whatever environment the task names; a shared environment must match the
   * one that the task names.
   */
  readonly environment?: Environment | ((scope: EnvironmentScope) => Environment) | undefined;
  /** Its conversation with the model: how the input reads, more of the system prompt, what is omitted of a long one. */
  readonly conversation?: ConversationOptions<OutputOf<InputSchemaOf<Input, Output>>> | undefined;
  /**
   * Memory beside its conversation, within a run or across runs (see `troupe/memory`): tasks, actions and results are
   * stored there, and recalled at the start of a run.
   */
  readonly memory?: MemorySource | readonly MemorySource[] | AgentMemory | undefined;
  /** The state to start from: plain JSON, or the agent is refused. Default `{}`. */
  readonly state?: State;
  /**
   * Returns what the agent perceives at the start of each step; shown to the model unless it is undefined. Its view
   * holds the environment's own observation, which is used where this option is absent.
   */
  readonly observe?:
    | ((view: AgentView<State>) => Observation | undefined | Promise<Observation | undefined>)
    | undefined;
  /** The agent's own choice, or a branch of choices; `undefined` leaves it to the model. */
  readonly decide?:
    | ((
        view: AgentView<State, Observation, AsJson<KeptOf<InputSchemaOf<Input, Output>>>>,
      ) =>
        | Decision<AnswerFor<Input, Output>>
        | undefined
        | Promise<Decision<AnswerFor<Input, Output>> | undefined>)
    | undefined;
  /**
   * Folds a step into the state. The state must stay plain JSON, and the one passed in is frozen: return a new one.
   * Returning anything else, or mutating in place, fails the run.
   */
  readonly reduce?: ((view: ReduceView<State, Observation>) => NoInfer<State>) | undefined;
  /** In order; the first that stops or revises wins. */
  readonly critics?: readonly Critic[] | undefined;
  /**
   * The way it decides: a strategy of `troupe/patterns` (one shot, chain of thought, calls as text, an engine outside …), the name of a
   * registered one, or several, the first outermost. Default `reason-act`: native tool calls of its models, step after step.
   */
  readonly strategy?: StrategyChoice | readonly StrategyChoice[] | undefined;
  /**
   * When it is done: a stop rule, several, or all that there is to say of it. Default `maxSteps(50)`. Rules given here are checked
   * first; the default stays unless one of them limits steps.
   */
  readonly stop?: StopChoice | undefined;
  /** Its limits: what it may use, how often it may be sent back or repeat itself, how large the tree below it may grow. */
  readonly limits?: AgentLimits | undefined;
  /** Handling of failures: of its models, of its own functions, and of itself as a member of a team. */
  readonly failures?: FailureOptions | undefined;
  /** Its mailbox: limits, subscriptions, and the handling of unread messages. */
  readonly mailbox?: AgentMailbox | undefined;
  readonly hooks?: readonly Hook[] | undefined;
}

/** The limits of an agent beside its stop rules, and those on the tree below it, within the limits of the run. */
export interface AgentLimits extends SubtreeLimits {
  /** The most that it and all below it may use in a run. */
  readonly budget?: Budget | undefined;
  /**
   * Thresholds at which a looping model is warned, and at which the run ends. Steps decided by the agent's own `decide`
   * are exempt. Default `{ warnAt: 3, stopAt: 5 }`; `false` disables the check.
   */
  readonly loops?: false | Partial<LoopLimits> | undefined;
  /** Near a limit the model is warned, then has to answer without tools. Default false: limits are met unprepared. */
  readonly wrapUp?: boolean | Partial<WrapUp> | undefined;
  /** Number of rejections after which the run ends `rejected`. Default 2. */
  readonly maxRejections?: number | undefined;
  /** Maximum number of concurrent calls. Default 4. */
  readonly toolConcurrency?: number | undefined;
}

/** Handling of failures. */
export interface FailureOptions {
  /** Retries of failed model calls; tools have a `retry` of their own. */
  readonly retry?: ModelRetry | undefined;
  /** Handling of failures that would end the run. Default: none, the first failure ends it. */
  readonly recovery?: RecoveryPolicy | undefined;
  /**
   * Time limit, in ms, for each of its own asynchronous functions (`observe`, `decide`, its environment's `observe`,
   * `step` and `isTerminal`, a recovery handler, the `review` of its strategy until a person is asked, and the run's
   * safety strategy). Default 600,000; `Infinity` for no limit.
   */
  readonly timeoutMs?: number | undefined;
  /** Supervision it asks for as a team member: whether and how it is restarted after a failure. */
  readonly asMember?: MemberPolicy | undefined;
}

/** The conversation that a model is shown. */
export interface ConversationOptions<Input = unknown> {
  /**
   * Renders the input as the first message: as text, or as parts. Default: a string as it is, anything else as JSON. Of an
   * input of parts it is given the text, and their media follow.
   */
  readonly prompt?: ((input: Input) => Content) | undefined;
  /** More of the system prompt, by priority; the instructions have 100. */
  readonly fragments?: readonly PromptFragment[] | undefined;
  /**
   * Keeps a long conversation within the model's limit. Default: past the soft limit of the model, tool results are
   * cut, old tool cycles reduced to a line, and older turns summarised. A preset does that to every request, however
   * short; `false` always sends everything.
   */
  readonly compaction?: CompactionPreset | CompactionOptions | false | undefined;
  /**
   * A longer text of its model, or in the result of a tool, is cut in the conversation, in bytes of UTF-8: its beginning and its end stay,
   * the whole goes to the run's blob store (`text.spilled`), and the model is given `read_result`, which reads pieces of it. The
   * answer of the run and the value of a result are never cut. Default 65,536.
   */
  readonly maxTextBytes?: number | undefined;
}

/** The memories of an agent, and what is recalled of them. */
export interface AgentMemory {
  readonly sources?: MemorySource | readonly MemorySource[] | undefined;
  /** Which memories are recalled into its conversation, and how often. */
  readonly recall?: RecallPolicy | undefined;
}

/** Type of an answer from `decide`: the input side of the output schema, as JSON; any JSON without a schema. */
type AnswerFor<Input extends Described, Output extends Described> = AsJson<
  InputOf<OutputSchemaOf<Input, Output>, Json>
>;

/** The input of a reducer. */
export interface ReduceView<State extends Json = Json, Observation extends Json = Json> {
  readonly state: State;
  readonly step: number;
  readonly observation: Observation | undefined;
  readonly decision: TakenDecision | undefined;
  readonly results: readonly ToolResult[];
}

/**
 * An agent or a team, ready to run: both share this interface, so teams nest.
 *
 * A definition: running it twice gives two runs that share nothing.
 */
export interface Agent<Input = string, Output = string, State = Json> extends Delegate<Input, Output> {
  /**
   * Runs to the end. Rejects if the run failed, with a `TroupeError` whose `result` says how far it came; a limit, a
   * critic or an abort resolves with its stop reason. The run starts asynchronously, after work already queued in the
   * process.
   */
  run(input: Input, options?: RunOptions): Promise<RunResult<Output, State>>;
  /** Starts a run and returns its handle: events, control, result. */
  stream(input: Input, options?: RunOptions): RunHandle<Output, State>;
  /**
   * It as Mermaid text: its statechart, or its composition: who is in it, with which tools, and how work flows between them. Default: the
   * chart; of a workflow, the composition, which is its graph.
   */
  diagram(options?: { readonly of?: 'chart' | 'composition' | undefined }): string;
}

/** The agent that `AgentOptions` describe. */
export type AgentFor<Input extends Described, Output extends Described, State extends Json> = Agent<
  InputOf<InputSchemaOf<Input, Output>, Content>,
  KeptOf<OutputSchemaOf<Input, Output>>,
  State
>;
