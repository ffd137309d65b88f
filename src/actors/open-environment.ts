import type { ErrorData } from '../contracts/error.ts';
import { errorData } from '../contracts/error.ts';
import type { PreflightIssue } from '../contracts/task.ts';
import { missingEnvironment } from '../tools/environments/preflight.ts';
import { requirementsOf } from '../tools/environments/requiring.ts';
import type { Desk } from './desk.ts';

/** Opens the agent's environment; answers with all that its tools miss there. Never throws, never rejects. */
export const openEnvironment = (desk: Desk): readonly ErrorData[] | Promise<readonly ErrorData[]> => {
  try {
    const required = requirementsOf(desk.definition.tools);
    const { environment } = desk;
    if (environment === undefined)
      return required.size === 0 ? NONE : missingEnvironment(required).map(problemOf);
    return environment.open(required).then((issues) => issues.map(problemOf));
  } catch (thrown) {
    const message = `Cannot make the environment of '${desk.definition.name}' as it threw`;
    return [errorData(thrown, 'environment.unfit', { message })];
  }
};

const NONE: readonly ErrorData[] = [];

const problemOf = ({ code, field, message }: PreflightIssue): ErrorData => ({
  code: code.startsWith('environment.') ? 'environment.unfit' : 'task.invalid',
  message,
  retryable: 'no',
  details: { issue: code, field },
});
