import { reviewSchema } from '../../coordination/state/delegated-work.ts';
import type { SupervisorWorkerState, WorkerReply } from '../../coordination/state/supervisor-context.ts';
import { REVIEWER, SUPERVISOR } from '../../coordination/state/supervisor-context.ts';
import { planSchema, supervisionSchema } from '../../coordination/state/supervisor-plan.ts';
import { supervisorWorkerMachine } from '../../coordination/supervisor-worker.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { Member, TeamSetup } from '../define/team.ts';
import { setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';
import { isRecord } from '../define/is-record.ts';
import type { Role } from './setup/role-of.ts';
import { isMember, roleOf } from './setup/role-of.ts';
import type { Skilled } from './skilled.ts';
import { skilledMembers } from './skilled.ts';

/** What a supervisor and its workers are made of. */
export interface SupervisorWorkerSetup<
  Result extends 'answer' | 'replies' = 'answer' | 'replies',
> extends TeamSetup {
  /** Instructions and model of the supervisor, whose plan is checked against its schema; or an agent, whose text is read leniently. */
  readonly supervisor: Role;
  /**
   * By name; their descriptions and skills tell the supervisor what each is good for. They take a string. A task for which its plan
   * names nobody goes to the worker whose skills and description share most words with it; of equals to the one with the least to do.
   */
  readonly workers: Readonly<Record<string, Skilled<string, unknown>>>;
  /**
   * Who looks at each piece of work: an agent, options for one, or `supervisor`: one with the supervisor's own options. What is sent
   * back is done again by the same worker, who is told why. Default: nobody but the supervisor, when it reads the replies.
   */
  readonly reviewer?: Role | 'supervisor' | undefined;
  /** The number of times that one task is sent back; then it is kept, and marked as not accepted. Default 2. */
  readonly maxRejections?: number | undefined;
  /** Workers that are tried for a task, the first included. Default 1: its failure is its reply. */
  readonly maxAttempts?: number | undefined;
  /** `answer`: the supervisor sees the replies and answers (default). `replies`: they are the result, after one round. */
  readonly result?: Result | undefined;
  /** Rounds of work. Default 3. */
  readonly maxRounds?: number | undefined;
  /** Assignments that are carried out of one plan. Default 16. */
  readonly maxAssignments?: number | undefined;
  /**
   * Tasks that are given to workers in a run, each time that one is done again counted; one more is refused, and stands as refused among
   * the replies. Default 20, or `maxAssignments` where that is more.
   */
  readonly maxDelegations?: number | undefined;
  /** Workers at work at the same time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * A supervisor takes a request apart and hands the parts to workers, who do them at the same time.
 *
 * Who does what is data that the supervisor's model decides. A worker that is not there is pointed out to it once; a
 * worker that fails replies with its error and leaves the others alone. With a `reviewer` work that is not good enough is done again,
 * with `maxAttempts` work that failed is done by another. Every task stands among the replies, whatever came of it. Rounds are
 * bounded: past them the run ends `stopped { kind: 'maxRounds' }` with the replies as the candidate.
 *
 * Not for work whose parts depend on each other (a pipeline, a plan that is carried out in order), nor where it is known beforehand who
 * does what: a supervisor costs a model call for each round.
 *
 * @example
 * const desk = supervisorWorker({
 *   name: 'desk',
 *   supervisor: { instructions: 'Split the question into parts.' },
 *   workers: { researcher, lawyer: { agent: lawyer, skills: ['contracts', 'law'] } },
 *   reviewer: 'supervisor',
 * });
 *
 * @throws {TroupeError} `team.invalid` without workers, for a worker called `supervisor` or `reviewer`, one that is no agent,
 * or a number that bounds nothing.
 */
export const supervisorWorker = <const Result extends 'answer' | 'replies' = 'answer'>(
  setup: SupervisorWorkerSetup<Result>,
): EmbeddableAgent<
  string,
  Result extends 'replies' ? readonly WorkerReply[] : string,
  SupervisorWorkerState
> => {
  const check = checkSetup(setup);
  check.asked('workers', setup.workers, { reserved: [SUPERVISOR, REVIEWER] });
  const { cards, members } = skilledMembers(setup.name, setup.workers, check);
  const result = check.word<'answer' | 'replies'>('result', setup.result, 'answer', ['answer', 'replies']);
  const maxAssignments = check.count('maxAssignments', setup.maxAssignments, 16);
  return team({
    ...setupOf(setup),
    machine: supervisorWorkerMachine,
    members: { ...members, ...leadersOf(setup, result) },
    options: {
      workers: cards,
      result,
      isReviewed: setup.reviewer !== undefined,
      maxRounds: check.count('maxRounds', setup.maxRounds, 3, 0),
      maxAssignments,
      maxDelegations: check.count('maxDelegations', setup.maxDelegations, Math.max(20, maxAssignments)),
      maxRejections: check.count('maxRejections', setup.maxRejections, 2, 0),
      maxAttempts: check.count('maxAttempts', setup.maxAttempts, 1),
      concurrency: check.count('concurrency', setup.concurrency, 4),
    },
  });
};

const leadersOf = (
  { name, supervisor, reviewer }: SupervisorWorkerSetup,
  result: 'answer' | 'replies',
): Readonly<Record<string, Member>> => {
  const plans = result === 'answer' ? supervisionSchema() : planSchema();
  const supervises = { [SUPERVISOR]: roleOf(supervisor, { team: name, role: SUPERVISOR, output: plans }) };
  if (reviewer === undefined) return supervises;
  const alike =
    !isRecord(supervisor) || isMember(supervisor)
      ? supervisor
      : { ...supervisor, name: `${name}-${REVIEWER}` };
  const reviewing = { team: name, role: REVIEWER, output: reviewSchema() };
  const reviews = roleOf(reviewer === 'supervisor' ? alike : reviewer, reviewing);
  return { ...supervises, [REVIEWER]: reviews };
};
