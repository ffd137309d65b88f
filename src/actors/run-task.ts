import type { PreflightIssue, Task } from '../contracts/task.ts';

/** What a run is about, as far as it could be read, and all that is wrong with it. */
export interface RunTask {
  readonly task: Task | undefined;
  /** What keeps the run from beginning, whatever its environment is like. */
  readonly issues: readonly PreflightIssue[];
}
