import type { Distribution } from './log-histogram.ts';

/** The counts and times of one agent, model, tool or phase. Times in ms, by the run's clock. */
export interface Timing {
  readonly name: string;
  /** Finished ones, by outcome: `unfinished` were cancelled. */
  readonly done: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly durationMs: Distribution;
}

/** A model's calls, each attempt counted. */
export interface ModelTiming extends Timing {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Parts of the input and of the output. */
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** In US dollars, of the answers whose price is known. */
  readonly costUsd: number;
  /** Answers whose price is not known. */
  readonly unpriced: number;
  /** Time to the first delta of an answer, if `chunks` is on and it was streamed. */
  readonly firstChunkMs: Distribution;
}

/** The runs of a tenant. */
export interface TenantTiming extends Timing {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, of the answers whose price is known. */
  readonly costUsd: number;
  /** Answers whose price is not known. */
  readonly unpriced: number;
}

/** Current work: all are 0 once all runs are over. */
export interface Gauges {
  readonly runs: number;
  readonly actors: number;
  readonly modelCalls: number;
  /** Running tools. */
  readonly toolCalls: number;
  /** Tool calls not started yet: held by a cap, by a lock, or until approval. */
  readonly waitingCalls: number;
  /** Answers that are arriving, and the characters of them so far; 0 unless `chunks` is on. */
  readonly streams: number;
  readonly streamedCharacters: number;
}

/** The counts of {@link metrics}, as plain JSON. */
export interface MetricsSnapshot {
  readonly runs: Readonly<Record<'started' | 'completed' | 'stopped' | 'aborted' | 'failed', number>>;
  readonly steps: number;
  /** Attempts beyond the first: of model calls, of tool calls, of restarted members. */
  readonly retries: Readonly<Record<'model' | 'tool' | 'member', number>>;
  /** Number of failures, by error code; `tool.failed` includes results that are failures. */
  readonly errors: Readonly<Record<string, number>>;
  /** Events and messages dropped by observers and mailboxes. */
  readonly dropped: Readonly<Record<'events' | 'messages', number>>;
  /** Largest reported fraction of a budget, 0 to 1 or beyond; by its kind. */
  readonly budgets: Readonly<Record<string, number>>;
  readonly now: Gauges;
  /** Whole runs, by the agent or team that was run. */
  readonly runTimes: readonly Timing[];
  /** Whole runs, by the tenant that `by` of their engine names. */
  readonly tenants: readonly TenantTiming[];
  /** Agents and teams, the members of teams included. */
  readonly agents: readonly Timing[];
  readonly models: readonly ModelTiming[];
  readonly tools: readonly Timing[];
  /** Dwell times in the phases of agents and teams. */
  readonly phases: readonly Timing[];
  /** True if the number of names exceeded the limit: the rest is `(other)`. */
  readonly isCut: boolean;
}
