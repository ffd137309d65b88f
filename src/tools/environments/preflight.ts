import type { Environment, EnvironmentScope } from '../../contracts/environments/environment.ts';
import type { OpsGroup } from '../../contracts/environments/operations.ts';
import type { PreflightIssue, Task, TaskInput } from '../../contracts/tasks/task.ts';
import type { Tool, Toolset } from '../../contracts/tools/tool.ts';
import { checkResources } from './check-resources.ts';
import { checkTask } from './check-task.ts';
import { EnvironmentSession } from './environment-session.ts';
import { requirementsOf } from './requiring.ts';

/** The input of the checks before a run. */
export interface PreflightPlan {
  readonly task?: TaskInput | undefined;
  readonly environment?: Environment | undefined;
  readonly tools?: readonly (Tool | Toolset)[] | undefined;
  readonly scope: Omit<EnvironmentScope, 'task'>;
}

/** The result: no problems and an open session, or all problems and nothing left open. */
export interface Preflight {
  readonly issues: readonly PreflightIssue[];
  readonly task: Task | undefined;
  /** Open, and the caller's to close; undefined without an environment or with issues. */
  readonly session: EnvironmentSession | undefined;
}

/**
 * Checks task, environment and tools before the first step, and collects all problems.
 *
 * Never rejects. Closes what it opened again unless all is well.
 */
export const preflight = async ({
  task: given,
  environment,
  tools = [],
  scope,
}: PreflightPlan): Promise<Preflight> => {
  const { task, issues: taskIssues } =
    given === undefined ? { task: undefined, issues: [] } : checkTask(given);
  const issues: PreflightIssue[] = [...taskIssues];
  const required = requirementsOf(tools);
  if (environment === undefined) {
    issues.push(...missingEnvironment(required));
    return { issues, task, session: undefined };
  }
  const session = new EnvironmentSession(environment, { ...scope, task });
  issues.push(...(await openFor(session, required, task)));
  if (issues.length === 0) return { issues, task, session };
  await session.close();
  return { issues, task, session: undefined };
};

/** Opens an environment; where that goes well, the task's resources are looked for in it. */
export const openFor = async (
  session: EnvironmentSession,
  required: ReadonlyMap<OpsGroup, readonly string[]>,
  task: Task | undefined,
): Promise<readonly PreflightIssue[]> => {
  const issues = await session.open(required);
  if (task === undefined || issues.length > 0) return issues;
  const { files } = session.ops;
  return files === undefined ? issues : checkResources(task, files);
};

/** Lists the operations that tools lack if there is no environment. */
export const missingEnvironment = (
  required: ReadonlyMap<OpsGroup, readonly string[]>,
): readonly PreflightIssue[] =>
  [...required].map(([group, names]) => ({
    code: 'environment.missing',
    field: group,
    message: `Cannot use ${names.join(', ')} as there is no environment: '${group}' is required`,
  }));
