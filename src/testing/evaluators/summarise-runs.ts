import { TroupeError } from '../../contracts/errors/error.ts';
import type { RunMetrics, TaskResult } from '../../contracts/tasks/evaluator.ts';
import { passPower } from '../statistics/pass-power.ts';

/** A run as far as it is counted. */
export type RunOutcome = Pick<TaskResult, 'success' | 'metrics'>;

/** Statistics of many runs. */
export interface RunSummary {
  readonly runs: number;
  readonly successes: number;
  /** From 0 to 1. */
  readonly successRate: number;
  readonly meanSteps: number;
  readonly meanDurationMs: number;
  /** Over runs whose environment gave a reward; absent if none did. */
  readonly meanReward?: number | undefined;
  /** Number of runs per stop reason. */
  readonly stops: Readonly<Partial<Record<RunMetrics['stop'], number>>>;
  /** Probability that k runs in a row succeed, for each k from 1 to the number of runs. */
  readonly passPower: readonly number[];
}

/** Summarises the results of many runs. @throws {TroupeError} `input.invalid` for an empty list. */
export const summariseRuns = (results: readonly RunOutcome[]): RunSummary => {
  const runs = results.length;
  if (runs === 0) throw new TroupeError('input.invalid', 'Cannot summarise runs as there are none: found []');
  const successes = results.filter(({ success }) => success).length;
  const stops: Partial<Record<RunMetrics['stop'], number>> = {};
  for (const { metrics } of results) stops[metrics.stop] = (stops[metrics.stop] ?? 0) + 1;
  const rewards = results.flatMap(({ metrics }) => metrics.reward ?? []);
  const mean = (of: (metrics: RunMetrics) => number): number =>
    results.reduce((sum, { metrics }) => sum + of(metrics), 0) / runs;
  return {
    runs,
    successes,
    successRate: successes / runs,
    meanSteps: mean(({ steps }) => steps),
    meanDurationMs: mean(({ durationMs }) => durationMs),
    ...(rewards.length === 0
      ? {}
      : { meanReward: rewards.reduce((sum, each) => sum + each) / rewards.length }),
    stops,
    passPower: results.map((_, index) => passPower(runs, successes, index + 1)),
  };
};
