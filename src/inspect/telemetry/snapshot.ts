import type { Distribution } from './log-histogram.ts';

/** The counts and times of one agent, model, tool or phase. Times in ms, by the run's clock. */
export interface Timing {
  readonly name: string;
  /** Those that are over, by how they ended: `unfinished` were called off. */
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
  /** Time to the first piece of an answer, where `chunks` is on and it came in pieces. */
  readonly firstChunkMs: Distribution;
}

/** What is under way now: each is 0 once all runs are over. */
export interface Gauges {
  readonly runs: number;
  readonly actors: number;
  readonly modelCalls: number;
  /** Tools at work at the same time. */
  readonly toolCalls: number;
  /** Tool calls that have not begun: held by a cap, by a lock, or until somebody approves. */
  readonly waitingCalls: number;
  /** Answers that are arriving, and the characters of them so far; 0 unless `chunks` is on. */
  readonly streams: number;
  readonly streamedCharacters: number;
}

/** What {@link metrics} has counted, as plain JSON. */
export interface MetricsSnapshot {
  readonly runs: Readonly<Record<'started' | 'completed' | 'stopped' | 'aborted' | 'failed', number>>;
  readonly steps: number;
  /** Tries beyond the first: of model calls, of tool calls, of members that began anew. */
  readonly retries: Readonly<Record<'model' | 'tool' | 'member', number>>;
  /** The number of times that work failed, by the code of its error; `tool.failed` also stands for results that are failures. */
  readonly errors: Readonly<Record<string, number>>;
  /** What observers and mailboxes never got. */
  readonly dropped: Readonly<Record<'events' | 'messages', number>>;
  /** The largest part of a budget that was told to be used, 0 to 1 or beyond; by its kind. */
  readonly budgets: Readonly<Record<string, number>>;
  readonly now: Gauges;
  /** Whole runs, by the agent or team that was run. */
  readonly runTimes: readonly Timing[];
  /** Agents and teams, the members of teams included. */
  readonly agents: readonly Timing[];
  readonly models: readonly ModelTiming[];
  readonly tools: readonly Timing[];
  /** Dwell times in the phases of agents and teams. */
  readonly phases: readonly Timing[];
  /** True if there were more names of one kind than are told apart: the rest is `(other)`. */
  readonly isCut: boolean;
}
