import type { AgentView, ModelChoice } from '../contracts/agent.ts';
import type { Backend } from '../contracts/backend.ts';
import type { Critic } from '../contracts/critique.ts';
import type { Decision, TakenDecision } from '../contracts/decision.ts';
import type { Environment, EnvironmentScope } from '../contracts/environment.ts';
import type { Hook } from '../contracts/event.ts';
import type { Json } from '../contracts/json.ts';
import type { ModelRetry, ModelSettings, OutputSpec } from '../contracts/model.ts';
import type { MemorySource, RecallPolicy } from '../contracts/memory.ts';
import type { Summariser, TokenBudget } from '../contracts/processor.ts';
import type { PromptFragment } from '../contracts/prompt.ts';
import type { Checked, Schema } from '../contracts/schema.ts';
import type { Strategy } from '../contracts/strategy.ts';
import type { Tool, Toolset } from '../contracts/tool.ts';
import type { RecoveryPolicy } from '../contracts/recovery.ts';
import type { Rules } from '../machines/rules.ts';
import type { ContextPlan } from '../memory/shown-conversation.ts';

/** An agent with its types rubbed off and its defaults filled in: what does the work reads this, never the options. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** The system prompt in pieces; the instructions are one of them. */
  readonly fragments: readonly PromptFragment[];
  readonly strategy: Strategy | undefined;
  /** Set by its backend, where it has another than its models. */
  readonly backend?: Backend | undefined;
  /** Empty: the environment decides. */
  readonly models: readonly ModelChoice[];
  readonly settings: ModelSettings | undefined;
  readonly retry: ModelRetry | undefined;
  readonly tools: readonly (Tool | Toolset)[];
  readonly environment: Environment | ((scope: EnvironmentScope) => Environment) | undefined;
  readonly memories: readonly MemorySource[];
  readonly recall: RecallPolicy;
  /** Absent where everything is sent, always. */
  readonly context: ContextDefinition | undefined;
  readonly toolConcurrency: number;
  readonly maxTextBytes: number;
  readonly state: Json;
  readonly rules: Rules;
  readonly critics: readonly Critic[];
  readonly maxRejections: number;
  readonly recovery: RecoveryPolicy | undefined;
  /** The time that each of its own functions may take, in ms. */
  readonly timeoutMs: number;
  readonly hooks: readonly Hook[];
  /** Present where the answer has a schema. */
  readonly output: OutputCheck | undefined;
  /** Checks an answer that no model of its own gave as `output` asked for it; absent where the answer has no schema. */
  readonly checkOutput: ((answer: Json) => Checked<unknown> | Promise<Checked<unknown>>) | undefined;
  /** What its input and its answer are described by, where they are. */
  readonly schemas: { readonly input: Schema | undefined; readonly output: Schema | undefined };
  /** It has no input schema: its input is a string. */
  readonly takesText: boolean;
  checkInput(input: unknown): Checked<unknown> | Promise<Checked<unknown>>;
  prompt(input: unknown): string;
  readonly observe: ((view: AgentView) => Json | undefined | Promise<Json | undefined>) | undefined;
  readonly decide: ((view: AgentView) => Decision | undefined | Promise<Decision | undefined>) | undefined;
}

/** How the conversation is kept within what a model takes. */
export interface ContextDefinition extends ContextPlan {
  readonly budget: Partial<TokenBudget> | undefined;
  readonly summariser: Summariser | false | undefined;
  readonly thread: 'cycles' | 'answers';
}

/** How a structured answer is asked for, and checked. */
export interface OutputCheck {
  readonly spec: OutputSpec;
  check(value: unknown): Checked<unknown> | Promise<Checked<unknown>>;
  /** The number of times in a row that an answer that does not fit is asked for again. Default: until there are too many bad turns. */
  readonly repairs?: number | undefined;
  /** What a checked answer comes to; undefined for the answer itself. */
  readonly decision?: ((answer: Json) => TakenDecision | undefined) | undefined;
}
