import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { PreflightIssue } from '../../contracts/tasks/task.ts';

/** Converts a preflight issue to a problem of the run, with the issue's code and field as details. */
export const issueProblem = ({ code, field, message }: PreflightIssue): ErrorData => ({
  code: code.startsWith('environment.') ? 'environment.unfit' : 'task.invalid',
  message,
  retryable: 'no',
  details: { issue: code, field },
});
