import { takenHistory } from '../../content/read-given.ts';
import { contentText, isPartList } from '../../../contracts/content/part.ts';
import type { Json } from '../../../base/json/json.ts';
import type { RunEntry } from '../../../contracts/journals/journal.ts';
import type { Began } from '../../../contracts/journals/journal-record.ts';
import type { EnvironmentSpec } from '../../../contracts/environments/environment-spec.ts';
import { environmentSpecSchema } from '../../../contracts/environments/environment-spec.ts';
import { toJson } from '../../../base/json/json.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import type { TaskInput } from '../../../contracts/tasks/task.ts';
import type { Definition } from '../../define/definition.ts';
import type { Run } from '../../run/run.ts';
import { recordLimits } from '../replay/unlimited.ts';

/** Longest input shown in a list of runs, in characters. */
const TITLE_LENGTH = 80;

/** The first record of a journal. */
export const beganWith = (
  run: Run,
  { name }: Definition,
  input: unknown,
  { thread, task, limits = {}, ...options }: RunOptions,
): Began => {
  const history = takenHistory(options);
  const { budget, concurrency: _, messages: __, ...tree } = limits;
  return {
    kind: 'began',
    at: run.log.now(),
    runId: run.runId,
    agent: name,
    input: toJson(input),
    ...(thread === undefined ? {} : { thread }),
    ...(run.tenant === undefined ? {} : { tenant: run.tenant }),
    ...(history === undefined ? {} : { history }),
    ...statesIn(run),
    ...(task === undefined ? {} : { task: plainTask(task) }),
    ...(budget === undefined ? {} : { budget: recordLimits(budget) }),
    ...(Object.keys(tree).length === 0 ? {} : { limits: recordLimits(tree) }),
    ...(options.safety === undefined ? {} : { judged: true }),
    keys: 'digest',
  };
};

/** The states that the agents of the run's thread had reached. */
const statesIn = (run: Run): Pick<Began, 'states'> => {
  const { kept: states = {} } = run.states ?? {};
  return Object.keys(states).length === 0 ? {} : { states };
};

/** A task as it is recorded: of an environment, which may be any object, only the data is kept. */
const plainTask = (task: TaskInput): TaskInput => {
  if (typeof task !== 'object' || task?.environment === undefined) return task;
  return { ...task, environment: plainEnvironment(task.environment) };
};

/** An invalid environment is kept as it is: the check of the task names what is wrong with it. */
const plainEnvironment = (environment: EnvironmentSpec): EnvironmentSpec => {
  const { data } = environmentSpecSchema().safeParse(toJson(environment));
  return data ?? environment;
};

/** The entry of a run in a list of runs. */
export const entryOf = (
  { runId, agent, input, thread, fork }: Began,
  now: number,
  redact: (text: string) => string,
): RunEntry => ({
  runId,
  agent,
  status: 'running',
  // A list has more readers than a journal.
  title: titleOf(redact(inputText(input))),
  createdAt: now,
  updatedAt: now,
  ...(thread === undefined ? {} : { thread }),
  ...(fork === undefined ? {} : { forkedFrom: fork.runId }),
});

const inputText = (input: Json): string => {
  if (typeof input === 'string') return input;
  return isPartList(input) ? contentText(input) : JSON.stringify(input);
};

const titleOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
};
