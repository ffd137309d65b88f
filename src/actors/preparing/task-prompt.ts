import type { Task, TaskResource } from '../../contracts/tasks/task.ts';

/**
 * The first message of an agent: the run's task, then its own input.
 *
 * Success criteria are omitted, as an answer tailored to them would prove nothing.
 */
export const taskPrompt = (task: Task, input: string): string => {
  const { objective, constraints, inputs, resources } = task;
  return [
    objective.trim() === input.trim() ? '' : `Task: ${objective}`,
    titledList('Constraints', constraints),
    Object.keys(inputs).length === 0 ? '' : `Inputs:\n${JSON.stringify(inputs, null, 2)}`,
    titledList('Resources', resources.map(resourceLine)),
    input,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
};

const titledList = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`;

const resourceLine = ({ kind, locator, mount, access, required, description }: TaskResource): string => {
  const facts = [access, ...(required ? [] : ['may be missing'])].join(', ');
  const place = mount === undefined ? '' : ` at ${mount}`;
  return `${kind} ${locator}${place} (${facts})${description === undefined ? '' : `: ${description}`}`;
};
