import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { ExaminedRun, RunMetrics } from '../../contracts/tasks/evaluator.ts';
import { modelsIn } from '../../runtime/critics/author-problem.ts';

/** Usage and end of a run, including its members and children. */
export const metricsOf = (result: ExaminedRun): RunMetrics => {
  const { totals, status, stopReason, error, events } = result;
  return {
    status,
    stop: stopReason.kind,
    ...(error === undefined ? {} : { error: error.code }),
    steps: totals.steps,
    modelCalls: totals.modelCalls,
    toolCalls: totals.toolCalls,
    failedToolCalls: events.filter((event) => event.type === 'tool.finished' && !event.ok).length,
    inputTokens: totals.inputTokens,
    outputTokens: totals.outputTokens,
    retries: totals.retries,
    durationMs: totals.durationMs,
    ...(totals.costUsd === undefined ? {} : { costUsd: totals.costUsd }),
    ...rewardOf(events),
    models: modelsIn(events),
  };
};

/** The sum over all agents of the run; an interrupted step has no record. */
const rewardOf = (events: readonly RuntimeEvent[]): Pick<RunMetrics, 'reward'> => {
  const rewards = events
    .flatMap((event) => (event.type === 'step.ended' ? event.record.results : []))
    .flatMap(({ environment }) => environment?.reward ?? []);
  return rewards.length === 0 ? {} : { reward: rewards.reduce((sum, each) => sum + each, 0) };
};
