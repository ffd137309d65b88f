import { issueProblem } from '../../actors/preparing/issue-problem.ts';
import type { RunTask } from '../../actors/preparing/run-task.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import { toJson } from '../../base/json/json.ts';
import type { Task, TaskInput } from '../../contracts/tasks/task.ts';
import { taskSchema } from '../../contracts/tasks/task.ts';
import { problemOf } from '../../machines/agent/agent-end.ts';
import { checkTask } from '../../tools/environments/check-task.ts';
import type { Definition } from '../define/definition.ts';
import { outcomeOfFailure } from './result.ts';

/** Validates the task of a run, including that some agent has an environment if the task names one. */
export const readTask = (given: TaskInput, root: Definition): RunTask => {
  const { task, issues } = checkTask(given);
  if (task?.environment === undefined || hasEnvironment(root)) return { task, issues };
  const message = `Cannot begin the task as '${root.name}' has no environment: it names '${task.environment.type}'`;
  return { task, issues: [{ code: 'environment.missing', field: 'environment', message }] };
};

const hasEnvironment = ({ agent, members }: Definition): boolean =>
  agent?.environment !== undefined || [...members.values()].some(hasEnvironment);

/** The task as the first event records it, if it is valid. A copy, because its environment may be any object. */
export const taskFacts = (read: RunTask | undefined): { readonly task?: Task } => {
  const task = read?.task && taskSchema.safeParse(toJson(read.task)).data;
  return task === undefined ? {} : { task };
};

/** The failure at `at` of a team with an invalid task; undefined for an agent, which reports it when it prepares. */
export const refusalOf = (
  { agent }: Definition,
  task: RunTask | undefined,
  at: number,
): Outcome | undefined => {
  const problems = (agent === undefined ? task?.issues : undefined)?.map(issueProblem) ?? [];
  const [first] = problems;
  if (first === undefined) return undefined;
  const error = problemOf(problems, first);
  return { ...outcomeOfFailure(error.code, error.message, at), error };
};
