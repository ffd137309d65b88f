import type { AgentView } from '../contracts/agents/agent-view.ts';
import type { ModelChoice, ModelRetry, ModelSettings, OutputSpec } from '../contracts/models/model.ts';
import type { Critic } from '../contracts/agents/critic.ts';
import type { Decision, TakenDecision } from '../contracts/agents/decision.ts';
import type { Environment, EnvironmentScope } from '../contracts/environments/environment.ts';
import type { Hook } from '../contracts/events/event.ts';
import type { Content } from '../contracts/content/part.ts';
import type { Json } from '../base/json/json.ts';
import type { MemorySource, RecallPolicy } from '../contracts/conversations/memory.ts';
import type { Summariser, TokenBudget } from '../contracts/conversations/processor.ts';
import type { PromptFragment } from '../contracts/agents/prompt.ts';
import type { KeptValue } from '../tools/schemas/kept-value.ts';
import type { Checked, Schema } from '../base/schemas/schema.ts';
import type { Strategy } from '../contracts/agents/strategy.ts';
import type { Tool, Toolset } from '../contracts/tools/tool.ts';
import type { RecoveryPolicy } from '../contracts/agents/recovery.ts';
import type { Rules } from '../machines/rules.ts';
import type { CompactionPlan } from '../memory/processors/shown-conversation.ts';

/** An agent's validated options with defaults and without types. Code that performs effects reads this, never the options. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** The system prompt in parts; the instructions are one of them. */
  readonly fragments: readonly PromptFragment[];
  /** Ways to decide, the first outermost. */
  readonly strategies: readonly Strategy[];
  /** If empty, the environment decides. */
  readonly models: readonly ModelChoice[];
  readonly settings: ModelSettings | undefined;
  readonly retry: ModelRetry | undefined;
  readonly tools: readonly (Tool | Toolset)[];
  readonly environment: Environment | ((scope: EnvironmentScope) => Environment) | undefined;
  readonly memories: readonly MemorySource[];
  readonly recall: RecallPolicy;
  /** Absent if the whole conversation is always sent. */
  readonly compaction: CompactionDefinition | undefined;
  readonly toolConcurrency: number;
  readonly maxTextBytes: number;
  readonly state: Json;
  readonly rules: Rules;
  readonly critics: readonly Critic[];
  readonly maxRejections: number;
  readonly recovery: RecoveryPolicy | undefined;
  /** Time limit of each of its own functions, in ms. */
  readonly timeoutMs: number;
  readonly hooks: readonly Hook[];
  /** Present if the answer has a schema. */
  readonly output: OutputCheck | undefined;
  /** Validates an answer that did not come from a model asked for `output`; absent if the answer has no schema. */
  readonly checkOutput: ((answer: Json) => Checked<Json> | Promise<Checked<Json>>) | undefined;
  /** Schemas of its input and answer, if any. */
  readonly schemas: { readonly input: Schema | undefined; readonly output: Schema | undefined };
  /** True without an input schema: its input is a string. */
  readonly takesText: boolean;
  checkInput(input: unknown): Checked<KeptValue> | Promise<Checked<KeptValue>>;
  prompt(input: unknown): Content;
  readonly observe: ((view: AgentView) => Json | undefined | Promise<Json | undefined>) | undefined;
  readonly decide: ((view: AgentView) => Decision | undefined | Promise<Decision | undefined>) | undefined;
}

/** Options that keep the conversation within a model's limit. */
export interface CompactionDefinition extends CompactionPlan {
  readonly budget: Partial<TokenBudget> | undefined;
  readonly summariser: Summariser | false | undefined;
  readonly thread: 'cycles' | 'answers';
}

/** The schema of a structured answer, and its validation. */
export interface OutputCheck {
  readonly spec: OutputSpec;
  check(value: unknown): Checked<Json> | Promise<Checked<Json>>;
  /** Validates an item of an answer that is a list, by itself. Absent where the schema of the items is not known. */
  readonly checkItem?: ((value: unknown) => Checked<Json> | Promise<Checked<Json>>) | undefined;
  /** Number of consecutive invalid answers that are sent back. Default: until the limit of bad turns. */
  readonly repairs?: number | undefined;
  /** Converts a validated answer to a decision; undefined for the answer itself. */
  readonly decision?: ((answer: Json) => TakenDecision | undefined) | undefined;
}
