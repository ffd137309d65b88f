import type { Json } from './json.ts';
import type { RunResult } from './run.ts';
import type { StopReason } from './stop.ts';
import type { Task } from './task.ts';
import type { Artifact } from './tool.ts';

/** A finished run under examination. */
export interface Examined<Output = unknown> {
  readonly result: RunResult<Output>;
  /** What the run was given. */
  readonly input: Json;
  readonly task?: Task | undefined;
}

/** What an evaluator says: a score from 0 to 1, or plainly yes or no; a reason if there is one to give. */
export type Judgement =
  | boolean
  | number
  | { readonly score: number; readonly reason?: string | undefined; readonly passed?: boolean | undefined };

/**
 * Judges a finished run. It sees everything and changes nothing; whatever it throws is a failed evaluation, so that a
 * broken evaluator never passes a run.
 */
export interface Evaluator<Output = unknown> {
  readonly name: string;
  /** The score from which it passes. Default 1. */
  readonly threshold?: number | undefined;
  evaluate(examined: Examined<Output>): Judgement | Promise<Judgement>;
}

/** What one evaluator found. */
export interface Evaluation {
  readonly evaluator: string;
  readonly passed: boolean;
  /** From 0 to 1. */
  readonly score: number;
  readonly reason?: string | undefined;
  /** Why there is no judgement: it threw, or said something that is none. */
  readonly error?: string | undefined;
}

/** How evaluations make one: all have to pass, any, or the mean of their scores reaches the threshold. */
export type Combination = 'all' | 'any' | 'mean';

/** An evaluation that is made of others. */
export interface CombinedEvaluation extends Evaluation {
  readonly parts: readonly Evaluation[];
}

/** What a run used and how it ended: the same words for every run, so that runs can be put side by side. */
export interface RunMetrics {
  readonly status: RunResult['status'];
  readonly stop: StopReason['kind'];
  readonly error?: string | undefined;
  readonly steps: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly failedToolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly retries: number;
  readonly durationMs: number;
  /** What its environment gave for all that was done in it; absent where it gave nothing. */
  readonly reward?: number | undefined;
  /** The models that answered. */
  readonly models: readonly string[];
}

/** What came of a task. */
export interface TaskResult {
  readonly taskId: string;
  /** The run completed and every criterion passed. */
  readonly success: boolean;
  /** True if the run itself ended with an accepted answer. */
  readonly isCompleted: boolean;
  /** One for each success criterion, in order. */
  readonly criteria: readonly Evaluation[];
  readonly artifacts: readonly Artifact[];
  readonly metrics: RunMetrics;
}
