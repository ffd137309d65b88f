import { effectKey } from '../../contracts/runs/effect.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Tally } from '../../contracts/agents/tally.ts';
import { emptyTally } from '../../contracts/agents/tally.ts';
import type { Ask } from '../../machines/asks.ts';
import type { Engagement } from '../../machines/outputs.ts';
import type { TeamRules } from '../../machines/supervision.ts';
import type { PersonWaits, Reply, Round } from './round.ts';
import { placeAt, repliesIn, roundOf } from './round.ts';
import { isBudgetOf } from './team-budget.ts';

/** The context of a team's machine: plain JSON. `own` is the pattern's, the rest is every team's. */
export interface TeamContext<Own extends Json = Json, Options extends Json = Json> {
  readonly team: {
    readonly runId: string;
    readonly path: string;
    readonly name: string;
    /** The members that work can be handed on to. */
    readonly members: readonly string[];
    /** The supervision policy; null: a failure is a reply. */
    readonly supervision: TeamRules | null;
    /** The time that a member may take for a task; null: as long as it takes. */
    readonly memberTimeMs: number | null;
  };
  readonly options: Options;
  readonly input: Json;
  readonly own: Own;
  /** The work of this round. */
  readonly round: Round;
  /** Members engaged so far: their addresses are numbered by it. */
  readonly engaged: number;
  /** Waits asked for so far. */
  readonly waits: number;
  /** Times of restarts, as far as they still count. */
  readonly restarts: readonly number[];
  readonly inbox: readonly Message[];
  readonly tally: Tally;
  readonly end: TeamEnd | null;
}

/** The end of a team. */
export interface TeamEnd {
  readonly status: RunStatus;
  readonly stopReason: StopReason;
  readonly output?: Json | undefined;
  readonly candidate?: Json | undefined;
  readonly error?: ErrorData | undefined;
}

/** The input of a team's actor. */
export interface TeamInput<Options extends Json = Json> {
  readonly runId: string;
  readonly path: string;
  readonly name: string;
  readonly members?: readonly string[] | undefined;
  readonly supervision?: TeamRules | null | undefined;
  readonly memberTimeMs?: number | null | undefined;
  readonly at: number;
  readonly input: Json;
  readonly options: Options;
}

/** The events of a team's machine. */
export type TeamEvent =
  | { type: 'answered.member'; at: number; index: number; path: string; output: Outcome }
  | { type: 'answered.pause'; at: number; index: number }
  | { type: 'answered.wake'; at: number; index: number; output?: PersonWaits | null }
  | { type: 'message'; at: number; message: Message }
  | { type: 'abort'; at: number; reason: string }
  /** Its time is up: open tasks get their reply, and `final` ends it where that did not. */
  | { type: 'expired' | 'expired.final'; at: number; reason: StopReason }
  | { type: `failed.${string}`; at: number; error: ErrorData };

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
    supervision: input?.supervision ?? null,
    memberTimeMs: input?.memberTimeMs ?? null,
  },
  options: input?.options ?? defaults,
  input: input?.input ?? null,
  own,
  round: roundOf([], {}),
  waits: 0,
  restarts: [],
  engaged: 0,
  inbox: [],
  tally: emptyTally(input?.at ?? 0),
  end: null,
});

/**
 * The end of a team if a reply of the round says that its budget, or one above it, is spent; undefined if none does.
 *
 * @example
 * const end = spentEnd(context); // once the round is over
 * if (end !== undefined) return { end: { ...end, candidate: own.votes } };
 */
export const spentEnd = ({ team, round }: TeamContext): TeamEnd | undefined => {
  const spent = repliesIn(round).find(({ stopReason }) => isBudgetOf(team, stopReason));
  return spent ? { status: 'stopped', stopReason: spent.stopReason } : undefined;
};

/** The end of a team that ends as one of its members did. */
export const endOf = ({ status, stopReason, error, output }: Reply): TeamEnd => ({
  status,
  stopReason,
  ...(error === null ? {} : { error }),
  ...(output === null ? {} : status === 'completed' ? { output } : { candidate: output }),
});

/** The members to engage now, each at its own address. */
export const engagements = ({ round }: TeamContext): readonly Engagement[] =>
  round.starting.flatMap((index) => {
    const task = round.tasks[index];
    const { path = null, restart = null } = placeAt(round, index) ?? {};
    if (task === undefined || path === null) return [];
    const actor = { kind: 'member', name: task.member } as const;
    const again = restart === null ? {} : { restart };
    const { input, beginsWith: history, keepsConversation, sees, inputFrom, phase } = task;
    const given = { history, keepsConversation, sees, inputFrom, phase };
    const isPlain = Object.values(given).every((term) => term === undefined);
    const terms = isPlain ? {} : { terms: given };
    return [{ path, actor, input, port: 'member', index, ...again, ...terms }];
  });

/** The waits to ask for now. */
export const waitsOf = ({ team, round }: TeamContext): readonly Ask[] =>
  round.waits.map(({ port, index, ...input }): Ask => {
    const place = { runId: team.runId, path: team.path, step: 0, phase: port, index, attempt: 1 };
    return { ...place, port, agent: team.name, key: effectKey(place), input };
  });

/** The output of a team's machine. One that reached a final state without an `end` has failed. */
export const teamOutcome = ({
  context,
  event,
}: {
  readonly context: TeamContext;
  readonly event?: { readonly type: string } | undefined;
}): Outcome => {
  const { status, stopReason, output, candidate, error } =
    context.end ?? withoutEnd(context, event?.type) ?? UNFINISHED;
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

/** The replies of the round that are in, in the order of its tasks. */
export const repliesOf = ({ round }: TeamContext): readonly Reply[] => repliesIn(round);

/** The end of a team whose machine is done and has none; undefined for one that is not done. */
const withoutEnd = ({ team }: TeamContext, event = ''): TeamEnd | undefined => {
  if (!event.startsWith(DONE)) return undefined;
  const state = event.slice(event.lastIndexOf('.') + 1);
  const message = `Cannot end the team '${team.name}' as it reached '${state}' without an \`end\`: have an action give one, as { end: answeredWith(output) }`;
  return {
    status: 'failed',
    stopReason: { kind: 'failed' },
    error: errorData(new TroupeError('machine.invalid', message), 'machine.invalid'),
  };
};

/** The beginning of the event with which XState ends a machine, before the id of its final state. */
const DONE = 'xstate.done.state.';

const UNFINISHED: TeamEnd = {
  status: 'stopped',
  stopReason: { kind: 'aborted', reason: 'stopped from outside' },
};
