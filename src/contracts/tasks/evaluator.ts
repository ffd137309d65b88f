import type { Json } from '../../base/json/json.ts';
import type { RunResult } from '../runs/run-result.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import type { Task } from './task.ts';
import type { EvalCase } from './eval-case.ts';
import type { Artifact } from '../tools/tool-result.ts';

/** A finished run as far as its journal has it: the same for one that has just ended, and for one that ended a year ago. */
export type ExaminedRun<Output = unknown> = Pick<
  RunResult<Output>,
  'runId' | 'task' | 'status' | 'output' | 'error' | 'records' | 'events' | 'totals'
> & { readonly stopReason: { readonly kind: StopReason['kind'] } };

/** A finished run under examination. */
export interface Examined<Output = unknown> {
  readonly result: ExaminedRun<Output>;
  /** The input of the run. */
  readonly input: Json;
  readonly task?: Task | undefined;
  /** The case of a dataset that it was run for. */
  readonly case?: EvalCase | undefined;
  /** True for an answer on record without the run that gave it: there are no events, and no totals. */
  readonly isAnswerOnly?: boolean | undefined;
  /** Aborted when the evaluation is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
}

/** An evaluator's judgement: a score from 0 to 1, or plainly yes or no; with an optional reason. */
export type Judgement =
  | boolean
  | number
  | {
      readonly score: number;
      readonly reason?: string | undefined;
      readonly passed?: boolean | undefined;
      /** The evaluations that it is composed of. */
      readonly parts?: readonly Evaluation[] | undefined;
      /** The cost of the judgement itself, in US dollars, where a model was asked. */
      readonly costUsd?: number | undefined;
    };

/**
 * Judges a finished run. It sees everything and changes nothing; an evaluator that throws counts as a failed
 * evaluation, so a broken one never passes a run.
 */
export interface Evaluator<Output = unknown> {
  readonly name: string;
  /** The score from which it passes. Default 1. */
  readonly threshold?: number | undefined;
  /** True if it asks a model, which costs: recorded runs are then not given to it unless it is wanted. Default false. */
  readonly asksModel?: boolean | undefined;
  evaluate(examined: Examined<Output>): Judgement | Promise<Judgement>;
}

/** The result of one evaluator. */
export interface Evaluation {
  readonly evaluator: string;
  readonly passed: boolean;
  /** From 0 to 1. */
  readonly score: number;
  readonly reason?: string | undefined;
  /** The reason for a missing judgement: the evaluator threw, or returned something invalid. */
  readonly error?: string | undefined;
  /** Of combined evaluators: the result of each. */
  readonly parts?: readonly Evaluation[] | undefined;
  /** In US dollars, where a model was asked. */
  readonly costUsd?: number | undefined;
}

/** The rule that combines evaluations: all have to pass, any, or the mean of their scores reaches the threshold. */
export type Combination = 'all' | 'any' | 'mean';

/** Resources used by a run and its status, in the same fields for every run, so that runs can be compared. */
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
  /** In US dollars; absent if the price of one call is not known. */
  readonly costUsd?: number | undefined;
  /** The sum of the rewards that its environment gave; absent if there were none. */
  readonly reward?: number | undefined;
  /** The models that answered. */
  readonly models: readonly string[];
}

/** The result of a task. */
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
