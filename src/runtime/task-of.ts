import { issueProblem } from '../actors/issue-problem.ts';
import type { RunTask } from '../actors/run-task.ts';
import type { Outcome, RunOptions } from '../contracts/run.ts';
import type { Json } from '../contracts/json.ts';
import { toJson } from '../contracts/json.ts';
import type { Task, TaskInput } from '../contracts/task.ts';
import { taskSchema } from '../contracts/task.ts';
import type { Restart } from '../machines/outputs.ts';
import { problemOf } from '../machines/agent-end.ts';
import { checkTask } from '../tools/environments/check-task.ts';
import type { Definition, Placement } from './definition.ts';
import { isOfRun } from './is-of-run.ts';
import { outcomeOfFailure } from './result.ts';
import { statesOf } from './run-states.ts';
import type { Actor, Stage } from './stage.ts';

/** Reads the task of a run, and looks whether anybody has an environment where it names one. */
export const readTask = (given: TaskInput, root: Definition): RunTask => {
  const { task, issues } = checkTask(given);
  if (task?.environment === undefined || hasEnvironment(root)) return { task, issues };
  const message = `Cannot begin the task as '${root.name}' has no environment: it names '${task.environment.type}'`;
  return { task, issues: [{ code: 'environment.missing', field: 'environment', message }] };
};

const hasEnvironment = ({ agent, members }: Definition): boolean =>
  agent?.environment !== undefined || [...members.values()].some(hasEnvironment);

/** What the first event says of a task that is fit; a copy, as what it names for an environment may be anybody's object. */
export const taskFacts = (read: RunTask | undefined): { readonly task?: Task } => {
  const task = read?.task && taskSchema.safeParse(toJson(read.task)).data;
  return task === undefined ? {} : { task };
};

/** The task of the run that an actor is there for; undefined for one that somebody's work runs for ends of its own. */
export const taskOf = (actor: Actor): RunTask | undefined => {
  const { run, principal } = actor;
  return run.task !== undefined && isOfRun(principal) ? run.task : undefined;
};

/** The placement of an actor that is engaged. */
export const placeOf = (actor: Actor, at: number, restart: Restart | undefined): Placement => ({
  runId: actor.run.runId,
  path: actor.path,
  at,
  history: beginningOf(actor, restart),
  state: keptStateOf(actor),
  keepsConversation: actor.terms?.keepsConversation,
  inputFrom: actor.terms?.inputFrom,
  phase: phaseOf(actor),
});

/** The phase of the work that an actor is there for: its own, or that of the actor that started it. */
const phaseOf = ({ terms, sponsor }: Actor): string | undefined =>
  terms?.phase ?? (sponsor.kind === 'root' ? undefined : phaseOf(sponsor.parent));

/** What was said before an actor begins: what its terms have it go on from, else what was said before the run that it is there for; then what was said in its team. */
const beginningOf = (actor: Actor, restart: Restart | undefined): RunOptions['history'] => {
  const { history } = actor.run;
  const { history: own, sees } = actor.terms ?? {};
  const before = own ?? (history !== undefined && isOfRun(actor) ? history : undefined);
  const said = sees === undefined ? before : [...(before ?? []), ...sees];
  if (restart?.note === undefined) return said;
  return [...(said ?? []), { role: 'user', from: 'runtime', text: restart.note }];
};

/** The state that its agent came to earlier in the thread of the run. */
const keptStateOf = (actor: Actor): Json | undefined =>
  isOfRun(actor) ? statesOf(actor.run)?.kept[actor.definition.name] : undefined;

/** The placement of the root of a run. */
export const placeOfRoot = (
  { runId, root }: Stage,
  at: number,
  history: RunOptions['history'],
): Placement => ({ runId, path: root.path, at, history, state: keptStateOf(root) });

/** How a team ends that was given a task which is unfit: an agent finds that when it prepares, a team does not prepare. */
export const refusalOf = ({ run, definition }: Actor): Outcome | undefined => {
  const problems = (definition.agent === undefined ? run.task?.issues : undefined)?.map(issueProblem) ?? [];
  const [first] = problems;
  if (first === undefined) return undefined;
  const error = problemOf(problems, first);
  return { ...outcomeOfFailure(error.code, error.message, run.log.now()), error };
};
