import type { PreflightIssue, Task } from '../../contracts/tasks/task.ts';

/** The task of a run, as far as it is valid, and its problems. */
export interface RunTask {
  readonly task: Task | undefined;
  /** Problems that prevent the run from starting, whatever its environment. */
  readonly issues: readonly PreflightIssue[];
}
