import type { Json } from '../../base/json/json.ts';
import type { Card } from '../../coordination/round/card.ts';
import type { Reply } from '../../coordination/round/round.ts';
import type { TeamContext } from '../../coordination/round/team-context.ts';

/** The supervisor's member name, which no worker may have. */
export const SUPERVISOR = 'supervisor';

/** The reviewer's member name, which no worker may have. */
export const REVIEWER = 'reviewer';

/** The workers, and the bounds of the work. */
export type SupervisorWorkerOptions = {
  readonly workers: readonly Card[];
  readonly result: 'answer' | 'replies';
  readonly isReviewed: boolean;
  readonly maxRounds: number;
  readonly maxAssignments: number;
  readonly maxDelegations: number;
  readonly maxRejections: number;
  readonly maxAttempts: number;
  readonly concurrency: number;
};

/** A worker's part: its task, and its result. */
export type WorkerReply = {
  readonly member: string;
  readonly task: string;
  readonly status: Reply['status'];
  readonly output: Json;
  /** It never said that it was done. */
  readonly autoCompleted?: true;
  readonly error: string | null;
  /** Those that had the task before, and failed. */
  readonly before?: readonly string[];
  /** The number of times that it was sent back and done again. */
  readonly redone?: number;
  /** The review of it as it is now; `accepted: null`, as the reviewer failed and nobody can tell. */
  readonly review?: Verdict;
};

/** A review of somebody's work. */
export type Verdict = { readonly accepted: boolean | null; readonly reason: string };

/** A task of the plan that is being carried out. */
export type Work = {
  readonly task: string;
  readonly member: string;
  /** Those that had it before, and failed. */
  readonly before: readonly string[];
  readonly redone: number;
  /** A note for the worker that does it next, beside the task. */
  readonly note: string | null;
  /** The reason for which it is done again; null the first time. */
  readonly why: string | null;
  /** Null while it is to be done. */
  readonly reply: WorkerReply | null;
  readonly review: Verdict | null;
};

/** The state of supervised work. */
export type SupervisorWorkerState = {
  /** Rounds of work begun. */
  readonly rounds: number;
  /** Tasks given to workers, however often. */
  readonly delegations: number;
  /** Of every task that is over, in the order of the plans. */
  readonly replies: readonly WorkerReply[];
};

export type SupervisorOwn = SupervisorWorkerState & {
  /** Said to the supervisor with its next question. */
  readonly notes: readonly string[];
  readonly corrections: number;
  /** The plan that is being carried out; empty for none. */
  readonly work: readonly Work[];
  /** Tasks of the last move that were given to nobody, as too many were given out already. */
  readonly refused: readonly WorkerReply[];
  /** The work whose review is asked for, by its place; null while nobody reviews. */
  readonly reviewing: readonly number[] | null;
};

export type SupervisorContext = TeamContext<SupervisorOwn, SupervisorWorkerOptions>;

/** Work as it is given out first. */
export const newWork = (member: string, task: string): Work => ({
  task,
  member,
  before: [],
  redone: 0,
  note: null,
  why: null,
  reply: null,
  review: null,
});

/** The amount of work that each worker has had so far. */
export const loadsOf = ({ replies, work }: SupervisorOwn): Record<string, number> => {
  const loads: Record<string, number> = {};
  for (const { member } of [...replies, ...work]) loads[member] = (loads[member] ?? 0) + 1;
  return loads;
};

/** The account of a task: its result, with all that happened on the way. */
export const accountOf = ({ task, member, before, redone, reply, review }: Work): WorkerReply => ({
  ...(reply ?? { member, task, status: 'stopped', output: null, error: NEVER_BEGUN }),
  ...(before.length === 0 ? {} : { before }),
  ...(redone === 0 ? {} : { redone }),
  ...(review === null ? {} : { review }),
});

const NEVER_BEGUN = 'it was never begun';
