import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { RunTotals } from '../../contracts/runs/run-totals.ts';

/** Adds the tokens of a call to totals; an unknown cost makes the sum unknown. */
export const addUsage = (
  totals: RunTotals,
  model: string,
  usage: Usage,
  costUsd: number | undefined,
): RunTotals => {
  const { costUsd: before, unpriced = [] } = totals;
  const isKnown = costUsd !== undefined;
  return withoutUndefined({
    ...totals,
    inputTokens: totals.inputTokens + usage.input,
    outputTokens: totals.outputTokens + usage.output,
    cachedTokens: totals.cachedTokens + (usage.cached ?? 0),
    costUsd: isKnown && before !== undefined ? before + costUsd : undefined,
    billedUsd: sumOf(totals.billedUsd, usage.billedUsd),
    unpriced: isKnown ? totals.unpriced : [...new Set([...unpriced, model])],
    estimated: sumOf(totals.estimated, usage.isEstimate === true ? 1 : undefined),
  });
};

/** A total that is absent until there is something to add. */
const sumOf = (total: number | undefined, more: number | undefined): number | undefined =>
  more === undefined ? total : (total ?? 0) + more;

/** Of an answer from a cache the model was not asked after all. */
const withAnswer = (totals: RunTotals, event: EventOf<'model.answered'>): RunTotals => {
  const { model, usage, costUsd, cached } = event;
  const added = addUsage(totals, model, usage, costUsd);
  return cached === undefined ? added : { ...added, modelCalls: added.modelCalls - 1 };
};

/**
 * Adds an event to a run's totals; the same object if nothing changes. `durationMs` is unchanged until `run.ended`, whose totals replace
 * these.
 */
export const addTotals = (totals: RunTotals, event: LiveEvent): RunTotals => {
  switch (event.type) {
    case 'step.ended':
      return { ...totals, steps: totals.steps + 1 };
    case 'model.asked':
      return { ...totals, modelCalls: totals.modelCalls + 1 };
    case 'model.answered':
      return withAnswer(totals, event);
    case 'model.discarded':
    case 'model.interrupted':
      return event.usage === undefined ? totals : addUsage(totals, event.model, event.usage, event.costUsd);
    case 'tool.finished':
      return { ...totals, toolCalls: totals.toolCalls + 1 };
    case 'model.retrying':
    case 'model.fell-back':
    case 'tool.retrying':
      return { ...totals, retries: totals.retries + 1 };
    case 'run.ended':
      return event.totals;
    default:
      return totals;
  }
};
