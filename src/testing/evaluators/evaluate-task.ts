import { TroupeError } from '../../contracts/errors/error.ts';
import type { Evaluator, Examined, TaskResult } from '../../contracts/tasks/evaluator.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import type { Json } from '../../base/json/json.ts';
import type { SuccessCriterion, Task, TaskInput } from '../../contracts/tasks/task.ts';
import { checkTask } from '../../tools/environments/check-task.ts';
import { evaluate } from './evaluate.ts';
import { contains, exact, matches } from './answer-evaluators.ts';
import { metricsOf } from './run-metrics.ts';

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
      return exact(criterion.expected);
    case 'contains':
      return contains(criterion.text, { ignoreCase: criterion.ignoreCase });
    case 'matches':
      return matches(new RegExp(criterion.pattern, criterion.flags));
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
