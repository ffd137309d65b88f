import type { EventOf, LiveEvent } from '../../contracts/events/event.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { AgentProgress } from '../../events/progress/agent-progress.ts';
import { isEndPhase } from '../../events/progress/agent-progress.ts';
import type { Progress } from '../../events/progress/progress.ts';
import { foldProgress, noProgress } from '../../events/progress/progress.ts';
import { activityOf, nameOf } from '../../events/progress/activity.ts';
import { oneLine } from '../../base/text/printable.ts';
import { several } from '../../base/text/number-words.ts';

/** One agent as the terminal shows it. */
export interface Row {
  readonly path: string;
  readonly name: string;
  readonly phase: string;
  readonly status: 'working' | 'waiting' | RunStatus;
  /** Its current or last activity. */
  readonly doing: string;
  /** Its task, if a team planned it. */
  readonly task: string | undefined;
  /** The assessment of its work, by its team or the agent that it works for. */
  readonly outcome: string | undefined;
  /** Input and output of its models. */
  readonly tokens: number;
  /** The number of times that critics sent its answer back. */
  readonly sentBack: number;
  /** Activities of its tools, in order. */
  readonly used: readonly string[];
}

/** The rows of a run: its agents, in order of appearance. Teams show by their members. */
export interface Rows {
  readonly progress: Progress;
  readonly rows: readonly Row[];
  /** Tasks planned and not yet started, by the team's path. */
  readonly planned: Readonly<Record<string, readonly { readonly member: string; readonly task: string }[]>>;
  /** Tasks started, by the path of their owner: an agent, or a team whose members do it. */
  readonly given: Readonly<Record<string, string>>;
}

/** Before the first event. */
export const noRows: Rows = { progress: noProgress, rows: [], planned: {}, given: {} };

const PHASES: ReadonlySet<string> = new Set(['OBSERVE', 'DECIDE', 'ACT', 'REDUCE', 'CRITIC', 'CHECK_STOP']);

/** Checks whether an event shows an agent in one of its phases: teams have phases of their own. */
export const isAgentAtWork = (event: LiveEvent): boolean =>
  event.type === 'phase.entered' && PHASES.has(event.phase);

const isEnd = (phase: string): phase is RunStatus => isEndPhase(phase);

/** The rows after one more event. Pure. */
export const foldRows = (state: Rows, event: LiveEvent): Rows => {
  const progress = foldProgress(state.progress, event);
  const next = progress === state.progress ? state : { ...state, progress };
  switch (event.type) {
    case 'model.delta':
      return next;
    case 'team.planned':
      return withOutcome(
        { ...next, planned: { ...next.planned, [event.path]: event.assignments } },
        event.path,
        several(event.assignments.length, 'task'),
      );
    case 'agent.critiqued':
      return withOutcome(updateRows(next, event), event.path, judgement(event));
    case 'member.ended':
      return updateRows(withFailed(next, event), event);
    case 'run.ended':
      return {
        ...next,
        rows: next.rows.map((row) => (isEnd(row.status) ? row : { ...row, status: event.status })),
      };
    case 'phase.entered':
      return isAgentAtWork(event) && !next.rows.some(({ path }) => path === event.path)
        ? updateRows(withRow(next, event.path, event.agent), event)
        : updateRows(next, event);
    default:
      return updateRows(next, event);
  }
};

/** Assigns an outcome to the last finished row below the actor at `path`: the outcome is about its work. */
const withOutcome = (state: Rows, path: string, outcome: string): Rows => {
  const index = state.rows.findLastIndex((row) => teamOf(row.path) === path && row.status === 'completed');
  const row = state.rows[index];
  return row === undefined ? state : { ...state, rows: state.rows.with(index, { ...row, outcome }) };
};

const judgement = ({ verdict, note }: EventOf<'agent.critiqued'>): string =>
  verdict === 'accept' ? 'accepted' : oneLine(`to be revised: ${note ?? ''}`);

const teamOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const withRow = (before: Rows, path: string, agent: string): Rows => {
  const state = withTask(before, path);
  const row: Row = {
    path,
    name: nameOf(path) || oneLine(agent, 60),
    phase: '',
    status: 'working',
    doing: '',
    task: state.given[whoseTask(state.given, path) ?? ''],
    outcome: undefined,
    tokens: 0,
    sentBack: 0,
    used: [],
  };
  return { ...state, rows: [...state.rows, row] };
};

/** Adds a member that failed before it had a row: it never began a step. A team that has rows of members shows by them. */
const withFailed = (state: Rows, { path, agent, status }: EventOf<'member.ended'>): Rows =>
  status !== 'failed' || state.rows.some((row) => row.path === path || row.path.startsWith(`${path}/`))
    ? state
    : withRow(state, path, agent);

/** Returns the owner of an actor's task: itself, or the nearest team above it. */
const whoseTask = (given: Rows['given'], path: string): string | undefined => {
  if (path === '') return undefined;
  return path in given ? path : whoseTask(given, teamOf(path));
};

/** Assigns a planned task to an actor, or to the team above it that it was planned for. */
const withTask = (state: Rows, path: string): Rows => {
  if (path === '' || path in state.given) return state;
  const team = teamOf(path);
  const waiting = state.planned[team] ?? [];
  const index = waiting.findIndex(({ member }) => nameOf(path).startsWith(member));
  const next = waiting[index];
  if (next === undefined) return withTask(state, team);
  const planned = { ...state.planned, [team]: waiting.toSpliced(index, 1) };
  return { ...state, planned, given: { ...state.given, [path]: next.task } };
};

const updateRows = (state: Rows, event: Exclude<LiveEvent, { type: 'model.delta' }>): Rows => {
  const index = state.rows.findIndex(({ path }) => path === event.path);
  const before = state.rows[index];
  const agent = state.progress.agents[event.path];
  if (before === undefined) return state;
  return { ...state, rows: state.rows.with(index, rowAfter(before, agent, event)) };
};

const rowAfter = (
  row: Row,
  agent: AgentProgress | undefined,
  event: Exclude<LiveEvent, { type: 'model.delta' }>,
): Row => {
  const tokens = event.type === 'model.answered' ? event.usage.input + event.usage.output : 0;
  const isSentBack = event.type === 'agent.critiqued' && event.verdict === 'revise';
  return {
    ...row,
    phase: agent?.phase ?? row.phase,
    doing: doingOf(agent) ?? row.doing,
    status: statusAfter(row, event),
    tokens: row.tokens + tokens,
    sentBack: row.sentBack + Number(isSentBack),
    used: event.type === 'tool.started' && event.attempt === 1 ? [...row.used, toolWords(event)] : row.used,
  };
};

const doingOf = (agent: AgentProgress | undefined): string | undefined => {
  if (agent === undefined) return undefined;
  const tools = Object.values(agent.tools);
  return tools.length > 0 ? tools.map(({ activity }) => activity).join(', ') : agent.activity;
};

const statusAfter = ({ status }: Row, event: LiveEvent): Row['status'] => {
  if (event.type === 'member.ended') return event.status;
  if (event.type !== 'phase.entered') return status;
  if (isEnd(event.phase)) return event.phase;
  return event.phase === 'waiting' ? 'waiting' : 'working';
};

const toolWords = (event: EventOf<'tool.started'>): string => activityOf(event)?.text ?? oneLine(event.tool);
