import { canonical } from '../../base/json/canonical.ts';
import type { EnvironmentSpec } from '../../contracts/environments/environment-spec.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData } from '../../contracts/errors/error.ts';
import { toJson } from '../../base/json/json.ts';
import type { PreflightIssue } from '../../contracts/tasks/task.ts';
import { missingEnvironment, openFor } from '../../tools/environments/preflight.ts';
import { requirementsOf } from '../../tools/environments/requiring.ts';
import type { Desk } from '../desk.ts';
import { issueProblem } from './issue-problem.ts';

/** Opens the agent's environment; returns all unmet requirements of its task and tools. Never throws or rejects. */
export const openEnvironment = (desk: Desk): readonly ErrorData[] | Promise<readonly ErrorData[]> => {
  const { definition, task: { task, issues = NONE } = {} } = desk;
  const unfit = issues.map(issueProblem);
  const broken = (thrown: unknown): readonly ErrorData[] => {
    const message = `Cannot make the environment of '${definition.name}' as it threw`;
    return [...unfit, errorData(thrown, 'environment.unfit', { message })];
  };
  try {
    const required = requirementsOf(definition.tools);
    const { environment } = desk;
    if (environment === undefined)
      return required.size === 0 ? unfit : [...unfit, ...missingEnvironment(required).map(issueProblem)];
    return openFor(environment, required, task).then(
      (found) => [...unfit, ...found.map(issueProblem), ...otherThan(task?.environment, desk)],
      broken,
    );
  } catch (thrown) {
    return broken(thrown);
  }
};

const NONE: readonly PreflightIssue[] = [];

/** Checks whether the agent's fixed environment differs from the one that the task names. */
const otherThan = (wanted: EnvironmentSpec | undefined, { definition }: Desk): readonly ErrorData[] => {
  const { environment } = definition;
  // An environment created per run was created for the task.
  if (wanted === undefined || environment === undefined || typeof environment === 'function') return [];
  const found: EnvironmentSpec = environment.spec ?? { type: environment.name };
  const isSame = Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(found, key) && canonical(toJson(value)) === canonical(toJson(found[key])),
  );
  if (isSame) return [];
  const message = `Cannot begin the task as its environment is not that of '${definition.name}': ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`;
  return [issueProblem({ code: 'environment.missing', field: 'environment', message })];
};
