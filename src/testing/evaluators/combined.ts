import { onDemand } from '../../base/on-demand.ts';
import { optionsSchema } from '../../base/schemas/option-schemas.ts';
import { optionProblems, refusedOptions } from '../../contracts/errors/check-options.ts';
import type { Combination, Evaluation, Evaluator, Examined } from '../../contracts/tasks/evaluator.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { evaluate, evaluatorList } from './evaluate.ts';

const combinationSchema = onDemand(() =>
  optionsSchema<{ readonly evaluators: unknown }>({ evaluators: evaluatorList() }),
);

/**
 * Combines evaluators into one: `all` and `any` test which passed, `mean` whether the mean score reaches the threshold. The evaluation has
 * the result of each in `parts`.
 *
 * @example
 * const { passed, parts } = await evaluate(evaluators.all([evaluators.contains('sea'), evaluators.judge(judge)]), { result, input });
 *
 * @throws `agent.invalid` for what is not an evaluator, and without any, as `all` of none would pass for everything.
 */
export const combined = <Output>(
  combination: Combination,
  evaluators: readonly Evaluator<Output>[],
  threshold = 1,
): Evaluator<Output> => {
  const problems = optionProblems(combinationSchema(), { evaluators });
  if (problems.length > 0)
    throw refusedOptions(problems, { code: 'agent.invalid', owner: 'evaluators', verb: 'combine' });
  if (evaluators.length === 0)
    throw new TroupeError(
      'agent.invalid',
      `Cannot combine evaluators as there are none: '${combination}' of []`,
    );
  return {
    name: `${combination}(${evaluators.map(({ name }) => name).join(', ')})`,
    threshold,
    asksModel: evaluators.some(({ asksModel = false }) => asksModel),
    evaluate: (examined) => combine(combination, evaluators, examined, threshold),
  };
};

const combine = async <Output>(
  combination: Combination,
  evaluators: readonly Evaluator<Output>[],
  examined: Examined<Output>,
  threshold: number,
): Promise<Omit<Evaluation, 'evaluator'>> => {
  const parts = await Promise.all(evaluators.map((each) => evaluate(each, examined)));
  const scores = parts.map(({ score }) => score);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const reason = parts
    .filter(({ passed }) => !passed)
    .map(({ evaluator, reason: why, error }) => `${evaluator}: ${error ?? why ?? 'not passed'}`)
    .join('; ');
  const costs = parts.flatMap(({ costUsd }) => costUsd ?? []);
  const why = {
    ...(reason === '' ? {} : { reason }),
    ...(costs.length === 0 ? {} : { costUsd: costs.reduce((sum, each) => sum + each, 0) }),
  };
  switch (combination) {
    case 'all':
      return { parts, passed: parts.every(({ passed }) => passed), score: Math.min(...scores), ...why };
    case 'any':
      return { parts, passed: parts.some(({ passed }) => passed), score: Math.max(...scores), ...why };
    case 'mean':
      return { parts, passed: mean >= threshold, score: mean, ...why };
  }
};
