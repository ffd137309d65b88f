import type { ModelAnswer } from '../../contracts/models/model.ts';
import type { Strategy } from '../../contracts/agents/strategy.ts';
import { maxSteps } from '../../machines/stopping/stop-rules.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { andThen } from '../../base/promises/thenable.ts';

/**
 * One request, one answer: no tools, and no second step.
 *
 * @example agent({ name: 'translator', strategy: singleShot() })
 */
export const singleShot = (): Strategy => ({
  name: 'single-shot',
  model: (model) =>
    wrapModel(model, (request, call) =>
      andThen(model.answer({ ...request, tools: [], toolChoice: 'none' }, call), withoutCalls),
    ),
  stop: [maxSteps(1)],
});

/** Drops calls from an answer, as no tools were offered. */
export const withoutCalls = (answer: ModelAnswer): ModelAnswer =>
  answer.calls.length === 0
    ? answer
    : { ...answer, calls: [], finish: answer.finish === 'tool-calls' ? 'stop' : answer.finish };
