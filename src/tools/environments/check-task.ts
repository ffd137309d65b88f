import type { z } from 'zod';
import { messageOf } from '../../contracts/errors/error.ts';
import type { IssueCode, PreflightIssue, Task, TaskInput } from '../../contracts/tasks/task.ts';
import { taskSchema } from '../../contracts/tasks/task.ts';
import { pathNames } from './clean-path.ts';

/** A valid task, or all its problems. */
export type CheckedTask =
  | { readonly task: Task; readonly issues: readonly [] }
  | { readonly task: undefined; readonly issues: readonly PreflightIssue[] };

/**
 * Reads a task as people write it, and collects everything that is wrong with its shape.
 *
 * @example
 * checkTask('Tidy up').task?.objective // => 'Tidy up'
 * checkTask({ objective: '', budget: { steps: 0 } }).issues.map(({ code }) => code)
 * // => ['task.objective', 'task.budget.steps']
 */
export const checkTask = (given: TaskInput): CheckedTask => {
  try {
    const parsed = taskSchema.safeParse(typeof given === 'string' ? { objective: given } : given);
    if (!parsed.success) return { task: undefined, issues: parsed.error.issues.map(issueOf) };
    const issues = [...mountIssues(parsed.data), ...criterionIssues(parsed.data)];
    return issues.length === 0 ? { task: parsed.data, issues: [] } : { task: undefined, issues };
  } catch (thrown) {
    const message = `Cannot read the task as checking it threw: ${messageOf(thrown)}`;
    return { task: undefined, issues: [{ code: 'task.threw', field: '', message }] };
  }
};

/** Maps parts of a task to issue codes; the longest match counts. */
const codes: readonly (readonly [RegExp, IssueCode])[] = [
  [/^id$/, 'task.id'],
  [/^objective$/, 'task.objective'],
  [/^inputs\b/, 'task.inputs'],
  [/^budget\.timeMs$/, 'task.budget.time'],
  [/^budget\.tokens$/, 'task.budget.tokens'],
  [/^budget\.toolCalls$/, 'task.budget.toolCalls'],
  [/^budget\.usd$/, 'task.budget.usd'],
  [/^budget\.steps$/, 'task.budget.steps'],
  [/^environment\b/, 'task.environment'],
  [/^constraints\b/, 'task.constraints'],
  [/^successCriteria\b/, 'task.criteria'],
  [/^metadata\b/, 'task.metadata'],
  [/^resources\.\d+\.kind$/, 'resource.kind'],
  [/^resources\.\d+\.locator$/, 'resource.locator'],
  [/^resources\.\d+\.mount$/, 'resource.mount'],
  [/^resources\b/, 'resource.invalid'],
];

const issueOf = ({ path, message }: z.core.$ZodIssue): PreflightIssue => {
  const field = path.map(String).join('.');
  const code = codes.find(([pattern]) => pattern.test(field))?.[1] ?? 'task.invalid';
  return { code, field, message: `Cannot start the task as its ${field || 'shape'} is invalid: ${message}` };
};

const mountIssues = ({ resources }: Task): readonly PreflightIssue[] =>
  resources.flatMap(({ mount, locator, kind }, index) => {
    const isPath = kind === 'file' || kind === 'folder';
    const issues: PreflightIssue[] = [];
    if (mount !== undefined) issues.push(...pathIssue(mount, 'resource.mount', `resources.${index}.mount`));
    if (isPath) issues.push(...pathIssue(locator, 'resource.locator', `resources.${index}.locator`));
    if (kind === 'url' && !URL.canParse(locator))
      issues.push({
        code: 'resource.locator',
        field: `resources.${index}.locator`,
        message: `Cannot start the task as a resource has no usable URL: ${locator}`,
      });
    return issues;
  });

const pathIssue = (path: string, code: IssueCode, field: string): readonly PreflightIssue[] => {
  try {
    if (pathNames(path).length > 0) return [];
    return [{ code, field, message: `Cannot start the task as its ${field} is empty: '${path}'` }];
  } catch (thrown) {
    return [{ code, field, message: messageOf(thrown) }];
  }
};

const criterionIssues = ({ successCriteria }: Task): readonly PreflightIssue[] =>
  successCriteria.flatMap((criterion, index) => {
    if (criterion.kind !== 'matches') return [];
    try {
      void new RegExp(criterion.pattern, criterion.flags);
      return [];
    } catch (thrown) {
      const field = `successCriteria.${index}.pattern`;
      return [{ code: 'task.criteria', field, message: `Cannot start the task: ${messageOf(thrown)}` }];
    }
  });
