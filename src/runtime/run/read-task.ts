import { issueProblem } from '../../actors/issue-problem.ts';
import type { RunTask } from '../../actors/run-task.ts';
import type { Outcome } from '../../contracts/run.ts';
import { toJson } from '../../contracts/json.ts';
import type { Task, TaskInput } from '../../contracts/task.ts';
import { taskSchema } from '../../contracts/task.ts';
import { problemOf } from '../../machines/agent-end.ts';
import { checkTask } from '../../tools/environments/check-task.ts';
import type { Definition } from '../define/definition.ts';
import { outcomeOfFailure } from './result.ts';

/** Reads the task of a run, and looks whether anybody has an environment where it names one. */
export const readTask = (given: TaskInput, root: Definition): RunTask => {
  const { task, issues } = checkTask(given);
  if (task?.environment === undefined || hasEnvironment(root)) return { task, issues };
  const message = `Cannot begin the task as '${root.name}' has no environment: it names '${task.environment.type}'`;
  return { task, issues: [{ code: 'environment.missing', field: 'environment', message }] };
};

const hasEnvironment = ({ agent, members }: Definition): boolean =>
  agent?.environment !== undefined || [...members.values()].some(hasEnvironment);

/** What the first event says of a task that is fit; a copy, as what it names for an environment may be anybody's object. */
export const taskFacts = (read: RunTask | undefined): { readonly task?: Task } => {
  const task = read?.task && taskSchema.safeParse(toJson(read.task)).data;
  return task === undefined ? {} : { task };
};

/** How a team ends at `at` that was given a task which is unfit: an agent finds that when it prepares, a team does not prepare. */
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
