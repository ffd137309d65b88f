import { onDemand } from '../../base/on-demand.ts';
import { listOf, objectLike, objectWith, optionsSchema } from '../../base/schemas/option-schemas.ts';
import { optionProblems, refusedOptions } from '../../contracts/errors/check-options.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { Evaluation, Evaluator, Examined, Judgement } from '../../contracts/tasks/evaluator.ts';

/**
 * Runs one evaluator. If the evaluator throws or returns something invalid, the evaluation fails.
 *
 * @throws (rejects with) `input.invalid` for what is not an evaluator, and without anything to examine.
 */
export const evaluate = async <Output>(
  evaluator: Evaluator<Output>,
  examined: Examined<Output>,
): Promise<Evaluation> => {
  checkEvaluation([evaluator], examined);
  const { name, threshold = 1 } = evaluator;
  try {
    const { score, reason, passed, parts, costUsd } = readJudgement(await evaluator.evaluate(examined));
    return {
      evaluator: name,
      passed: passed ?? score >= threshold,
      score,
      ...(reason === undefined ? {} : { reason }),
      ...(parts === undefined ? {} : { parts }),
      ...(costUsd === undefined ? {} : { costUsd }),
    };
  } catch (thrown) {
    return { evaluator: name, passed: false, score: 0, error: messageOf(thrown) };
  }
};

/** Checks what is given to evaluate. */
const checkEvaluation = (evaluators: unknown, examined: unknown): void => {
  const given = { evaluators, examined };
  const problems = optionProblems(evaluationSchema(), given);
  if (problems.length > 0)
    throw refusedOptions(problems, { code: 'input.invalid', owner: 'an evaluation', verb: 'start' });
};

/** The schema of a list of evaluators. */
export const evaluatorList = onDemand(() =>
  listOf(objectWith(['evaluate'], 'not an evaluator: write an object with a name and evaluate()')),
);

const evaluationSchema = onDemand(() =>
  optionsSchema<{ readonly evaluators: unknown; readonly examined: unknown }>({
    evaluators: evaluatorList(),
    examined: objectLike(
      { result: objectLike({}, 'not the result of a run') },
      'not what is examined: write { result, input }',
    ),
  }),
);

/** Validated, as an evaluator is foreign code. */
const readJudgement = (said: Judgement): Exclude<Judgement, boolean | number> => {
  if (typeof said === 'boolean') return { score: said ? 1 : 0 };
  const judgement = typeof said === 'number' ? { score: said } : said;
  const score: unknown = judgement?.score;
  if (typeof score !== 'number' || !(score >= 0 && score <= 1))
    throw new TypeError(`it gave no score from 0 to 1: ${messageOf(score)}`);
  return judgement;
};
