import type { ModelAnswer } from '../../contracts/model.ts';
import type { Strategy } from '../../contracts/strategy.ts';
import { maxSteps } from '../../machines/stop-rules.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { andThen } from '../promises.ts';

/**
 * One question, one answer: no tools, and no second step, whatever comes.
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

/** An answer of words alone: calls of tools that nobody offered are dropped. */
export const withoutCalls = (answer: ModelAnswer): ModelAnswer =>
  answer.calls.length === 0
    ? answer
    : { ...answer, calls: [], finish: answer.finish === 'tool-calls' ? 'stop' : answer.finish };
