import type { ErrorData } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import type { Message } from '../contracts/message.ts';
import type { Outcome, RunStatus } from '../contracts/run.ts';
import type { StopReason, Tally } from '../contracts/stop.ts';
import { emptyTally } from '../contracts/stop.ts';
import type { Engagement } from '../machines/outputs.ts';

/** What a team's machine knows: plain JSON. `own` is the pattern's, the rest is every team's. */
export interface TeamContext<Own extends Json = Json, Options extends Json = Json> {
  readonly team: {
    readonly runId: string;
    readonly path: string;
    readonly name: string;
    /** Who there is to hand work on to. */
    readonly members: readonly string[];
  };
  readonly options: Options;
  readonly input: Json;
  readonly own: Own;
  /** The work of this round. */
  readonly round: Round;
  /** Members engaged so far: their addresses are numbered by it. */
  readonly engaged: number;
  readonly inbox: readonly Message[];
  readonly tally: Tally;
  readonly end: TeamEnd | null;
}

/** Tasks given out together, and what came back, by index. */
export interface Round {
  readonly tasks: readonly Task[];
  readonly replies: readonly (Reply | null)[];
  readonly started: number;
  /** Indexes to start now. */
  readonly starting: readonly number[];
  /** Tasks of this round that may be under way together. */
  readonly cap: number;
}

/** One member's work. */
export interface Task {
  readonly member: string;
  readonly input: Json;
  /** Who had it before and handed it on. */
  readonly before?: readonly string[] | undefined;
}

/** What a member left. A member that failed replies too: with its error. */
export interface Reply {
  readonly member: string;
  readonly status: RunStatus;
  readonly output: Json;
  /** It never said that it was done: what it had said was taken for its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error: ErrorData | null;
  readonly steps: number;
}

/** How a team ended. */
export interface TeamEnd {
  readonly status: RunStatus;
  readonly stopReason: StopReason;
  readonly output?: Json | undefined;
  readonly candidate?: Json | undefined;
  readonly error?: ErrorData | undefined;
}

/** What a team's actor is started with. */
export interface TeamInput<Options extends Json = Json> {
  readonly runId: string;
  readonly path: string;
  readonly name: string;
  readonly members?: readonly string[] | undefined;
  readonly at: number;
  readonly input: Json;
  readonly options: Options;
}

/** What a team's machine is told. */
export type TeamEvent =
  | { type: 'answered.member'; at: number; index: number; output: Outcome }
  | { type: 'message'; at: number; message: Message }
  | { type: 'abort'; at: number; reason: string }
  | { type: `failed.${string}`; at: number; error: ErrorData };

const NO_ROUND: Round = { tasks: [], replies: [], started: 0, starting: [], cap: 1 };

/** The context to start from; tolerates that XState's pure functions call it without an input. */
export const teamContext = <Own extends Json, Options extends Json>(
  input: TeamInput<Options> | undefined,
  own: Own,
  defaults: Options,
): TeamContext<Own, Options> => ({
  team: {
    runId: input?.runId ?? '',
    path: input?.path ?? '',
    name: input?.name ?? '',
    members: input?.members ?? [],
  },
  options: input?.options ?? defaults,
  input: input?.input ?? null,
  own,
  round: NO_ROUND,
  engaged: 0,
  inbox: [],
  tally: emptyTally(input?.at ?? 0),
  end: null,
});

/** A round of tasks, with the first of them ready to start. */
export const newRound = (tasks: readonly Task[], cap: number): Round =>
  startNext({ tasks, replies: tasks.map(() => null), started: 0, starting: [], cap });

/**
 * A reply is in: the round with it, and the next tasks ready to start; none, where the team's budget is spent. A second
 * reply to a task changes nothing.
 */
export const withReply = (
  context: TeamContext,
  index: number,
  outcome: Outcome,
  at: number,
): Pick<TeamContext, 'round' | 'tally' | 'engaged'> => {
  const { team, round, tally } = context;
  const engaged = context.engaged + round.starting.length;
  const task = round.tasks[index];
  if (task === undefined || round.replies[index] !== null)
    return { round: { ...round, starting: [] }, tally, engaged };
  const replies = round.replies.with(index, replyOf(task, outcome));
  const isSpent = isBudgetOf(team, outcome.stopReason);
  const next = isSpent ? withoutRest({ ...round, replies }) : startNext({ ...round, replies });
  return { round: next, tally: addTally(tally, outcome.tally, at), engaged };
};

/** Whether it is the team's own budget that is spent, or one above it: then no other member can go on either. */
const isBudgetOf = ({ path }: TeamContext['team'], reason: StopReason): boolean =>
  reason.kind === 'budget' && (reason.path === path || path.startsWith(`${reason.path}/`));

/** Who is at work may finish what is paid for already; nobody else starts. */
const withoutRest = (round: Round): Round => ({
  ...round,
  tasks: round.tasks.slice(0, round.started),
  replies: round.replies.slice(0, round.started),
  starting: [],
});

/**
 * The end of a team if a reply of the round says that its budget, or one above it, is spent; undefined if none does.
 *
 * @example
 * const end = spentEnd(context); // once the round is over
 * if (end !== undefined) return { end: { ...end, candidate: own.votes } };
 */
export const spentEnd = ({ team, round }: TeamContext): TeamEnd | undefined => {
  const spent = round.replies.find((reply) => reply !== null && isBudgetOf(team, reply.stopReason));
  return spent ? { status: 'stopped', stopReason: spent.stopReason } : undefined;
};

/** A task is handed on this often: by then it is going round in the team. */
const MAX_HANDOFFS = 10;

/** The task that a member hands on to another of the team; undefined if it does not, or to somebody who had it before. */
const handedOn = ({ team, round }: TeamContext, index: number, { stopReason }: Outcome): Task | undefined => {
  const task = round.tasks[index];
  if (stopReason.kind !== 'handedOff' || task === undefined || round.replies[index] !== null)
    return undefined;
  const { to, message } = stopReason;
  const before = [...(task.before ?? []), task.member];
  if (!team.members.includes(to) || before.includes(to) || before.length > MAX_HANDOFFS) return undefined;
  const said = message === undefined ? '' : `: ${message}`;
  // Whoever takes no text has to do with the task itself.
  const input =
    typeof task.input === 'string' ? `${task.input}\n\n(Handed over by ${task.member}${said})` : task.input;
  return { member: to, input, before };
};

/** Whether a member's reply hands its task on to another of the team. */
export const isHandedOn = (context: TeamContext, index: number, outcome: Outcome): boolean =>
  handedOn(context, index, outcome) !== undefined;

/** The round with the task in other hands, ready to start. */
export const withHandoff = (
  context: TeamContext,
  index: number,
  outcome: Outcome,
  at: number,
): Partial<Pick<TeamContext, 'round' | 'tally' | 'engaged'>> => {
  const task = handedOn(context, index, outcome);
  if (task === undefined) return {};
  const { round, tally, engaged } = context;
  return {
    round: { ...round, tasks: round.tasks.with(index, task), starting: [index] },
    tally: addTally(tally, outcome.tally, at),
    engaged: engaged + round.starting.length,
  };
};

/** Whether the reply to `index` is the last that the round waits for. */
export const isLastReply = ({ team, round }: TeamContext, index: number, outcome: Outcome): boolean => {
  const { replies } = isBudgetOf(team, outcome.stopReason) ? withoutRest(round) : round;
  return replies.every((reply, position) => reply !== null || position === index);
};

/** The members to engage now; addresses are numbered, so that none is used twice. */
export const engagements = ({ team, round, engaged }: TeamContext): readonly Engagement[] =>
  round.starting.flatMap((index, position) => {
    const task = round.tasks[index];
    if (task === undefined) return [];
    const path = `${team.path}/${task.member}-${engaged + position + 1}`;
    return [{ path, actor: { kind: 'member', name: task.member }, input: task.input, port: 'member', index }];
  });

/** What is left of a team when it is done. */
export const teamOutcome = ({ context }: { context: TeamContext }): Outcome => {
  const { status, stopReason, output, candidate, error } = context.end ?? UNFINISHED;
  return {
    status,
    stopReason,
    ...(output === undefined ? {} : { output }),
    ...(candidate === undefined ? {} : { candidate }),
    ...(error === undefined ? {} : { error }),
    steps: context.engaged,
    state: context.own,
    tally: context.tally,
  };
};

/** The replies of the round that are in. */
export const repliesOf = ({ round }: TeamContext): readonly Reply[] =>
  round.replies.filter((reply): reply is Reply => reply !== null);

const UNFINISHED: TeamEnd = {
  status: 'stopped',
  stopReason: { kind: 'aborted', reason: 'stopped from outside' },
};

const startNext = (round: Round): Round => {
  const underWay = round.replies.reduce(
    (count, reply, index) => count + Number(index < round.started && !reply),
    0,
  );
  const free = Math.max(0, Math.min(round.cap - underWay, round.tasks.length - round.started));
  const starting = Array.from({ length: free }, (_, position) => round.started + position);
  return { ...round, started: round.started + free, starting };
};

const replyOf = ({ member }: Task, outcome: Outcome): Reply => ({
  member,
  status: outcome.status,
  output: outcome.output ?? outcome.candidate ?? null,
  ...(outcome.autoCompleted === true ? { autoCompleted: true } : {}),
  stopReason: outcome.stopReason,
  error: outcome.error ?? null,
  steps: outcome.steps,
});

const addTally = (sum: Tally, added: Tally, at: number): Tally => ({
  modelCalls: sum.modelCalls + added.modelCalls,
  toolCalls: sum.toolCalls + added.toolCalls,
  inputTokens: sum.inputTokens + added.inputTokens,
  outputTokens: sum.outputTokens + added.outputTokens,
  cachedTokens: sum.cachedTokens + added.cachedTokens,
  retries: sum.retries + added.retries,
  startedAt: sum.startedAt,
  now: at,
});
