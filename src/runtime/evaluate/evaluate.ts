import { onDemand } from '../../base/on-demand.ts';
import { listOf, objectLike, objectWith, optionsSchema } from '../../base/schemas/option-schemas.ts';
import { optionProblems, refusedOptions } from '../../contracts/errors/check-options.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type {
  Combination,
  Evaluation,
  Evaluator,
  Examined,
  Judgement,
  RunMetrics,
  TaskResult,
} from '../../contracts/tasks/evaluator.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import type { Json } from '../../base/json/json.ts';
import type { SuccessCriterion, Task, TaskInput } from '../../contracts/tasks/task.ts';
import { checkTask } from '../../tools/environments/check-task.ts';
import { evaluators as known } from './evaluators.ts';

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
    const { score, reason, passed, parts } = readJudgement(await evaluator.evaluate(examined));
    return {
      evaluator: name,
      passed: passed ?? score >= threshold,
      score,
      ...(reason === undefined ? {} : { reason }),
      ...(parts === undefined ? {} : { parts }),
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

const evaluatorList = onDemand(() =>
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

const combinationSchema = onDemand(() =>
  optionsSchema<{ readonly evaluators: unknown }>({ evaluators: evaluatorList() }),
);

const COMBINATIONS: readonly Combination[] = ['all', 'any', 'mean'];

/**
 * Combines evaluators into one: `all` and `any` test which passed, `mean` whether the mean score reaches the threshold. The evaluation has
 * the result of each in `parts`.
 *
 * @example
 * const { passed, parts } = await evaluate(combined('all', [evaluators.contains('sea'), judgedBy(judge)]), { result, input });
 *
 * @throws `agent.invalid` for another combination, for what is not an evaluator, and without any, as `all` of none would pass for everything.
 */
export const combined = <Output>(
  combination: Combination,
  evaluators: readonly Evaluator<Output>[],
  threshold = 1,
): Evaluator<Output> => {
  if (!COMBINATIONS.includes(combination))
    throw new TroupeError(
      'agent.invalid',
      `Cannot combine evaluators as their combination is not one of ${COMBINATIONS.join(', ')}: found ${foundText(combination)}`,
    );
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
  const why = reason === '' ? {} : { reason };
  switch (combination) {
    case 'all':
      return { parts, passed: parts.every(({ passed }) => passed), score: Math.min(...scores), ...why };
    case 'any':
      return { parts, passed: parts.some(({ passed }) => passed), score: Math.max(...scores), ...why };
    case 'mean':
      return { parts, passed: mean >= threshold, score: mean, ...why };
  }
};

/** A task, and evaluators for criteria that cannot be expressed as data. */
export interface TaskEvaluation {
  /** Default: the task of the run. */
  readonly task?: TaskInput | undefined;
  /** Judges criteria in words. Without it they fail. */
  readonly judge?: ((criterion: string) => Evaluator) | undefined;
  /** For criteria of kind `evaluator`, by name. */
  readonly evaluators?: readonly Evaluator[] | undefined;
}

/**
 * Evaluates a task: each of its success criteria is checked against the finished run.
 *
 * Success requires that all criteria are met and that the run completed.
 *
 * @example
 * const task = { objective: 'How deep is the sea?', successCriteria: [{ kind: 'matches', pattern: '[0-9]+ m' }] } as const;
 * const result = await clerk.run('', { task });
 * (await evaluateTask(result)).success
 *
 * @throws {TroupeError} `task.invalid` without a task, or for one that is unfit.
 */
export const evaluateTask = async (
  result: RunResult<unknown>,
  options: TaskEvaluation = {},
): Promise<TaskResult> => {
  const task = taskFor(result, options.task);
  const examined: Examined = { result, input: inputOf(result) ?? task.objective, task };
  const criteria = await Promise.all(
    task.successCriteria.map((criterion) => evaluate(evaluatorFor(criterion, options), examined)),
  );
  const isCompleted = result.status === 'completed';
  return {
    taskId: task.id,
    success: isCompleted && criteria.every(({ passed }) => passed),
    isCompleted,
    criteria,
    artifacts: result.artifacts,
    metrics: metricsOf(result),
  };
};

const taskFor = (result: RunResult<unknown>, given: TaskInput | undefined): Task => {
  if (given === undefined && result.task !== undefined) return result.task;
  if (given === undefined)
    throw new TroupeError(
      'task.invalid',
      `Cannot evaluate the run as it has no task, and none was given: ${result.runId}`,
    );
  const { task, issues } = checkTask(given);
  if (task !== undefined) return task;
  const details = issues.map(({ code, field }) => ({ issue: code, field }));
  throw new TroupeError('task.invalid', issues.map(({ message }) => message).join('; '), { details });
};

/** The input of the run; undefined if it was empty or is not on record. */
const inputOf = ({ events }: RunResult<unknown>): Json | undefined => {
  const [first] = events;
  return first?.type === 'run.started' && first.input !== '' ? first.input : undefined;
};

const evaluatorFor = (criterion: SuccessCriterion, { judge, evaluators = [] }: TaskEvaluation): Evaluator => {
  switch (criterion.kind) {
    case 'exact':
      return known.exact(criterion.expected);
    case 'contains':
      return known.contains(criterion.text, { ignoreCase: criterion.ignoreCase });
    case 'matches':
      return known.matches(new RegExp(criterion.pattern, criterion.flags));
    case 'judge':
      return judge?.(criterion.criterion) ?? nobody(criterion.criterion, 'there is no judge');
    case 'evaluator':
      return (
        evaluators.find(({ name }) => name === criterion.name) ??
        nobody(criterion.name, 'there is no evaluator of that name')
      );
  }
};

const nobody = (name: string, reason: string): Evaluator => ({
  name,
  evaluate: () => {
    throw new TypeError(`nobody has looked: ${reason}`);
  },
});

/** Usage and end of a run, including its members and children. */
export const metricsOf = (result: RunResult<unknown>): RunMetrics => {
  const { totals, status, stopReason, error, events } = result;
  const models = events.flatMap((event) => (event.type === 'model.answered' ? [event.model] : []));
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
    ...rewardOf(events),
    models: [...new Set(models)],
  };
};

/** The sum over all agents of the run; an interrupted step has no record. */
const rewardOf = (events: readonly RuntimeEvent[]): Pick<RunMetrics, 'reward'> => {
  const rewards = events
    .flatMap((event) => (event.type === 'step.ended' ? event.record.results : []))
    .flatMap(({ environment }) => environment?.reward ?? []);
  return rewards.length === 0 ? {} : { reward: rewards.reduce((sum, each) => sum + each, 0) };
};
