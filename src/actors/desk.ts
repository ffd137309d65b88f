import type { BudgetSpent } from '../contracts/budget.ts';
import type { Agent } from '../contracts/agent.ts';
import type { Clock } from '../contracts/clock.ts';
import type { ChildOptions } from '../contracts/delegation.ts';
import type { EventBody } from '../contracts/event.ts';
import type { Json } from '../contracts/json.ts';
import type { MemoryRecord } from '../contracts/memory.ts';
import type { Messenger } from '../contracts/message.ts';
import type { Model, ModelAnswer, ModelDelta, ModelRequest, Usage } from '../contracts/model.ts';
import type { ApprovalRequest } from '../contracts/request.ts';
import type { RunResult } from '../contracts/run.ts';
import type { Checked } from '../contracts/schema.ts';
import type { ToolExecutor } from '../contracts/executor.ts';
import type { SafetyStrategy } from '../contracts/safety.ts';
import type { Artifact, ToolResult } from '../contracts/tool.ts';
import type { TurnCounter } from '../memory/count-tokens.ts';
import type { BudgetAccount } from '../policy/budget-account.ts';
import type { Approval } from '../machines/tool-call-context.ts';
import type { LazyAbort } from '../contracts/lazy-abort.ts';
import type { EnvironmentSession } from '../tools/environments/environment-session.ts';
import type { CallCache } from '../tools/call-cache.ts';
import type { MemorySession } from '../memory/memory-session.ts';
import type { ShownConversation } from '../memory/shown-conversation.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { PlannedCall } from '../machines/call-plan.ts';
import type { RunTask } from './run-task.ts';

/** A call that a person is to decide on. */
export type CallWish = Pick<ApprovalRequest, 'kind' | 'callId' | 'tool' | 'input' | 'description'>;

/** Checks whether a call can be made with other arguments. */
export type CallChange = (input: Json) => Checked<unknown> | Promise<Checked<unknown>>;

/** What somebody who does the work of one effect may use. The runtime lays out a desk for each effect. */
export interface Desk {
  /** The idempotency key of a call of this step. */
  keyOf(call: Pick<PlannedCall, 'id' | 'input'>): string;
  /** The keys of the calls that the agent works for, outermost first. */
  readonly callers?: readonly string[];
  readonly definition: AgentDefinition;
  readonly clock: Clock;
  readonly tools: ToolRegistry;
  /** The system prompt: composed once for an agent in a run, and the same bytes from then on. */
  readonly systemPrompt: string;
  /** The agent's environment in this run; throws where it cannot be made. */
  readonly environment: EnvironmentSession | undefined;
  /** The agent's memories in this run; absent where it has none. */
  readonly memory: MemorySession | undefined;
  /** What its models were shown so far. */
  readonly conversation: ShownConversation;
  /** The agent's models in order of preference; throws where one of them cannot be made. */
  readonly models: readonly Model[];
  /** What the run's cacheable tools have answered. */
  readonly answers: CallCache;
  /** Says of every tool call whether it may run; absent where nobody said. */
  readonly safety: SafetyStrategy | undefined;
  /** Executes every tool call; absent where the tools do it themselves. */
  readonly executor: ToolExecutor | undefined;
  /** What the caller of the run gave for its functions. */
  readonly context: unknown;
  /** What the run is about; undefined also for an agent that was called as a tool: it has its own input. */
  readonly task: RunTask | undefined;
  /** What the agent may still use; undefined where nothing limits it. */
  readonly account: BudgetAccount | undefined;
  /** Takes a step or a tool call, once for the same work; gives the budget that does not allow it, if one does not. */
  take(kind: 'steps' | 'toolCalls'): BudgetSpent | undefined;
  /** Counts the tokens of a request, where a budget wants to know what it may cost. */
  readonly counter: TurnCounter;
  /** What has to be waited for before the agent's models can be priced; undefined if nothing. */
  openPrices(): Promise<void> | undefined;
  /** In US dollars; undefined where nobody knows. */
  costOf(model: Model, usage: Usage, answered?: string): number | undefined;
  /** Counts tokens that were used, into the run's totals; no event tells of them. */
  charge(model: Model, usage: Usage): void;
  /** The work may have been done, wholly or in part, before the run was taken up again. */
  readonly isResumed: boolean;
  /** Aborted when nobody waits for the work any more. */
  readonly abort: LazyAbort;
  /** True if anybody reads streamed text. */
  readonly isWatched: boolean;
  /** From 0 to below 1. */
  random(): number;
  emit(body: EventBody): void;
  /** Tells that a model is asked, and keeps what it is sent for those who want that. */
  asked(body: Extract<EventBody, { type: 'model.asked' }>, request: ModelRequest): void;
  /** Tells that a model has answered, and keeps what came. */
  answered(body: Extract<EventBody, { type: 'model.answered' }>, answer: ModelAnswer): void;
  /** Has something remembered, for which nobody waits; `index` tells several of one effect apart. */
  remember(records: readonly MemoryRecord[], index: number): void;
  /** Redacts what a tool's schema marks as secret in its value; called before anything reports it. */
  hide(result: ToolResult): void;
  delta(delta: ModelDelta): void;
  /** Takes down what came of the work although nobody waited for it any more. */
  onLate(output: unknown): void;
  /** Puts what a tool made beside its result into the result of the run. */
  keep(artifacts: readonly Artifact[]): void;
  /** Asks a person; rejects where there is none. */
  ask(question: string): Promise<string>;
  /** Talks to others of the run. */
  readonly messages: Messenger;
  /** Asks a person whether a call may be made; `check` says of other arguments whether they fit. */
  approve(call: CallWish, check: CallChange): Promise<Approval>;
  /** Resolves when all that is on record is written; undefined where it is already, or nothing is written. */
  written(): void | Promise<void>;
  /** Runs a child of this run; it is stopped when `abort` is, which by default is that of the work. */
  run<Input, Output>(
    agent: Agent<Input, Output> | 'self',
    input: Input,
    abort?: LazyAbort,
    options?: ChildOptions,
  ): Promise<RunResult<Output>>;
}
