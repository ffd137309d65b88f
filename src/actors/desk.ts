import type { RequestOptions } from '../contracts/people/request.ts';
import type { BudgetSpent } from '../contracts/runs/budget.ts';
import type { Delegate } from '../contracts/agents/delegate.ts';
import type { ContentOptions } from '../contracts/content/content-options.ts';
import type { MediaPart, Part } from '../contracts/content/part.ts';
import type { Turn } from '../contracts/conversations/transcript.ts';
import type { Clock } from '../base/clock.ts';
import type { ChildOptions } from '../contracts/tools/delegation.ts';
import type { EventBody } from '../contracts/events/event.ts';
import type { Json } from '../base/json/json.ts';
import type { MemoryRecord } from '../contracts/conversations/memory.ts';
import type { Messenger } from '../contracts/messages/message.ts';
import type { LongWait } from '../contracts/models/long-wait.ts';
import type { Model, ModelAnswer, ModelDelta, ModelRequest } from '../contracts/models/model.ts';
import type { Usage } from '../contracts/models/usage.ts';
import type { ApprovalTerms, Approver } from '../contracts/people/approval-terms.ts';
import type { ApprovalRequest } from '../contracts/people/request.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import type { Checked } from '../base/schemas/schema.ts';
import type { ToolExecutor } from '../contracts/tools/executor.ts';
import type { SafetyRefusal, SafetyStrategy } from '../contracts/tools/safety.ts';
import type { Artifact, ToolResult } from '../contracts/tools/tool-result.ts';
import type { TurnCounter } from '../memory/tokens/count-tokens.ts';
import type { BudgetAccount } from '../policy/budget-account.ts';
import type { Approval } from '../machines/tool-call/tool-call-context.ts';
import type { LazyAbort } from '../base/promises/lazy-abort.ts';
import type { EnvironmentSession } from '../tools/environments/environment-session.ts';
import type { CallCache } from '../tools/calls/call-cache.ts';
import type { MemorySession } from '../memory/memories/memory-session.ts';
import type { ShownConversation } from '../memory/processors/shown-conversation.ts';
import type { ToolRegistry } from '../tools/define/tool-registry.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { PlannedCall } from '../machines/agent/call-plan.ts';
import type { RunTask } from './preparing/run-task.ts';

/** A call for a person to decide on. */
export type CallWish = Pick<ApprovalRequest, 'kind' | 'callId' | 'tool' | 'input' | 'description' | 'error'> &
  ApprovalTerms;

/** Validates changed arguments of a call; `by` made the change. */
export type CallChange = (input: Json, by?: Approver) => Checked<unknown> | Promise<Checked<unknown>>;

/** The media of a run, as effects use them. */
export interface DeskContent {
  readonly convert: ContentOptions['convert'];
  /** Reads parts as they were given, and stores their bytes. @throws {TroupeError} `content.*` */
  take(parts: readonly unknown[]): readonly Part[];
  bytesOf(part: MediaPart): Promise<Uint8Array>;
  /** Turns with their parts converted for the model of that name. */
  fittedTo(model: string): WeakMap<Turn, Turn>;
}

/** The resources of the code that performs an effect. The runtime creates a desk per effect. */
export interface Desk {
  /** The idempotency key of a call of this step. */
  keyOf(call: Pick<PlannedCall, 'id' | 'input'>): string;
  /** Keys of the calls that the agent works for, outermost first. */
  readonly callers?: readonly string[];
  readonly definition: AgentDefinition;
  readonly clock: Clock;
  readonly tools: ToolRegistry;
  /** The system prompt: composed once per agent and run, then byte-identical. */
  readonly systemPrompt: string;
  /** The agent's environment in this run; throws if it cannot be created. */
  readonly environment: EnvironmentSession | undefined;
  /** The agent's memories in this run; absent if it has none. */
  readonly memory: MemorySession | undefined;
  /** The media of the run. */
  readonly content: DeskContent;
  /** The conversation as its models were shown it. */
  readonly conversation: ShownConversation;
  /** The agent's models in order of preference; throws if one of them cannot be created. */
  readonly models: readonly Model[];
  /** Answers of the run's cacheable tools. */
  readonly answers: CallCache;
  /** Judges every tool call; absent if there is none. */
  readonly safety: SafetyStrategy | undefined;
  /** The denial of what is about to happen, by the run's safety strategy and all that has happened in the run. */
  refusal(next: EventBody): SafetyRefusal | undefined;
  /** Executes every tool call; absent if tools execute themselves. */
  readonly executor: ToolExecutor | undefined;
  /** The caller's `context` of the run. */
  readonly context: unknown;
  /** The agents and teams above the agent, the root first. */
  readonly above: readonly string[];
  /** Origins of what the agent has read; empty where none are kept. */
  readonly origins: readonly string[];
  /** The run's task; undefined also for an agent that was called as a tool, which has its own input. */
  readonly task: RunTask | undefined;
  /** The agent's budget; undefined if nothing limits it. */
  readonly account: BudgetAccount | undefined;
  /** Charges a step or a tool call, once for the same work; returns the budget that refuses it, if any. */
  take(kind: 'steps' | 'toolCalls'): BudgetSpent | undefined;
  /** Counts the tokens of a request, for budgets. */
  readonly counter: TurnCounter;
  /** Loads prices for the agent's models; undefined if there is nothing to wait for. */
  openPrices(): Promise<void> | undefined;
  /** In US dollars; undefined if unknown. */
  costOf(model: Model, usage: Usage, answered?: string): number | undefined;
  /** Adds tokens that no event reports to the run's totals. */
  charge(model: Model, usage: Usage): void;
  /** True if the work may have been done, wholly or in part, before the run was resumed. */
  readonly isResumed: boolean;
  /** Aborted when the effect is cancelled. */
  readonly abort: LazyAbort;
  /** True if anything reads streamed text. */
  readonly isWatched: boolean;
  /** From 0 to below 1. */
  random(): number;
  emit(body: EventBody): void;
  /** Publishes a model call, and records its request if observers want it. */
  asked(body: Extract<EventBody, { type: 'model.asked' }>, request: ModelRequest): void;
  /** Publishes a model's answer, and records the response if observers want it. */
  answered(body: Extract<EventBody, { type: 'model.answered' }>, answer: ModelAnswer): void;
  /** Takes the answer that a person gave in place of the model's; undefined if there is none. */
  takeGiven(): ModelAnswer | undefined;
  /** Writes records to the agent's memories without waiting; `index` distinguishes several writes of one effect. */
  remember(records: readonly MemoryRecord[], index: number): void;
  /** Registers the secret fields of a result; called before anything reports it. */
  hide(result: ToolResult): void;
  delta(delta: ModelDelta): void;
  /** Records a result that arrived after the effect was cancelled. */
  onLate(output: unknown): void;
  /** Stores a long text in the run's blob store, without the secrets of the run; `source` begins its name. */
  putAside(text: string, source: string): { readonly text: string; readonly whole: MediaPart };
  /** Adds artifacts of a tool to the run's result. */
  keep(artifacts: readonly Artifact[]): void;
  /** The last checkpoint of the effect's call. */
  readonly checkpoint: Json | undefined;
  /** Commits a checkpoint of the effect's call, then waits. */
  commit(checkpoint: Json, waitMs: number): Promise<void>;
  /** Calls `onLate` once the effect has worked for `ms`: while its call waits for a person, the time stands still. Returns a function that stops this. */
  afterWork(ms: number, onLate: () => void): () => void;
  /** Asks a person; rejects if there is none. */
  ask(question: string, options?: RequestOptions): Promise<string>;
  /** The effect's waits for hours. */
  longWait(): LongWait;
  /** Sends messages to other agents of the run. */
  readonly messages: Messenger;
  /** Asks a person whether a call may be made; `check` validates changed arguments. */
  approve(call: CallWish, check: CallChange): Promise<Approval>;
  /** Resolves when all records are committed; undefined if they are, or nothing is recorded. */
  written(): void | Promise<void>;
  /** Runs a child of this run, which is stopped by `abort` (default: that of the effect). */
  run<Input, Output>(
    agent: Delegate<Input, Output> | 'self',
    input: Input,
    abort?: LazyAbort,
    options?: ChildOptions,
  ): Promise<RunResult<Output>>;
}
