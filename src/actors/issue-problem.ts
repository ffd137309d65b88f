import type { ErrorData } from '../contracts/error.ts';
import type { PreflightIssue } from '../contracts/task.ts';

/** An issue as a problem of a run: the issue's own code and field are in its details. */
export const issueProblem = ({ code, field, message }: PreflightIssue): ErrorData => ({
  code: code.startsWith('environment.') ? 'environment.unfit' : 'task.invalid',
  message,
  retryable: 'no',
  details: { issue: code, field },
});
