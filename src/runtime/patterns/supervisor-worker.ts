import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import { toJson } from '../../contracts/json.ts';
import { reviewSchema } from '../../coordination/delegated-work.ts';
import type { WorkerReply } from '../../coordination/supervisor-context.ts';
import { REVIEWER, SUPERVISOR } from '../../coordination/supervisor-context.ts';
import { planSchema, supervisionSchema } from '../../coordination/supervisor-plan.ts';
import { supervisorWorkerMachine } from '../../coordination/supervisor-worker.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { setupOf, team } from '../team.ts';
import type { RoleOptions } from './role-of.ts';
import { isMember, roleOf } from './role-of.ts';

/** What a supervisor and its workers are made of. */
export interface SupervisorWorkerSetup<
  Result extends 'answer' | 'replies' = 'answer' | 'replies',
> extends TeamSetup {
  /** Instructions and model of the supervisor, whose plan is checked against its schema; or an agent, whose text is read leniently. */
  readonly supervisor: RoleOptions | Member;
  /** By name; their descriptions tell the supervisor what each is good for. They take a string. */
  readonly workers: Readonly<Record<string, Agent<string, unknown>>>;
  /**
   * What workers can do, by their names, in words: the supervisor is told, and a task for which its plan names nobody goes to the
   * worker whose words and description share most with it; of equals to the one with the least to do.
   */
  readonly capabilities?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * Who looks at each piece of work: an agent, options for one, or `supervisor`: one with the supervisor's own options. What is sent
   * back is done again by the same worker, who is told why. Default: nobody but the supervisor, when it reads the replies.
   */
  readonly reviewer?: RoleOptions | Member | 'supervisor' | undefined;
  /** How often one task is sent back; then it is kept, and marked as not accepted. Default 2. */
  readonly maxRedos?: number | undefined;
  /** How many other workers try a task that failed. Default 0: the failure is its reply. */
  readonly maxReassignments?: number | undefined;
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
 * with `maxReassignments` work that failed is done by another. Every task stands among the replies, whatever came of it. Rounds are
 * bounded: past them the run ends `stopped { kind: 'maxRounds' }` with the replies as the candidate.
 *
 * Not for work whose parts depend on each other (a pipeline, a plan that is carried out in order), nor where it is known beforehand who
 * does what: a supervisor costs a model call for each round.
 *
 * @example
 * const desk = supervisorWorker({
 *   name: 'desk',
 *   supervisor: { instructions: 'Split the question into parts.' },
 *   workers: { researcher, lawyer },
 *   capabilities: { lawyer: ['contracts', 'law'] },
 *   reviewer: 'supervisor',
 * });
 *
 * @throws {TroupeError} `team.invalid` without workers, for a worker called `supervisor` or `reviewer`, one that is no agent,
 * capabilities of somebody who is no worker, or a number that bounds nothing.
 */
export const supervisorWorker = <const Result extends 'answer' | 'replies' = 'answer'>(
  setup: SupervisorWorkerSetup<Result>,
): EmbeddableAgent<string, Result extends 'replies' ? readonly WorkerReply[] : string> => {
  const { name, workers } = setup;
  const result: 'answer' | 'replies' = setup.result ?? 'answer';
  const names = Object.keys(workers);
  const count = { code: 'team.invalid', owner: `the team '${name}'` } as const;
  if (names.length === 0 || names.includes(SUPERVISOR) || names.includes(REVIEWER))
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as it needs workers, none of them called '${SUPERVISOR}' or '${REVIEWER}': found ${names.join(', ') || 'none'}`,
    );
  const strangers = Object.keys(setup.capabilities ?? {}).filter((role) => !names.includes(role));
  if (strangers.length > 0)
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as there are capabilities of somebody who is no worker: ${strangers.join(', ')}`,
    );
  const maxAssignments = checkCount(setup.maxAssignments ?? 16, 1, 'maxAssignments', count);
  return team({
    ...setupOf(setup),
    machine: supervisorWorkerMachine,
    members: { ...workers, ...leadersOf(setup, result) },
    options: {
      workers: Object.fromEntries(
        Object.entries(workers).map(([role, worker]) => [role, worker.description]),
      ),
      capabilities: toJson(setup.capabilities ?? {}),
      result,
      isReviewed: setup.reviewer !== undefined,
      maxRounds: checkCount(setup.maxRounds ?? 3, 0, 'maxRounds', count),
      maxAssignments,
      maxDelegations: checkCount(
        setup.maxDelegations ?? Math.max(20, maxAssignments),
        1,
        'maxDelegations',
        count,
      ),
      maxRedos: checkCount(setup.maxRedos ?? 2, 0, 'maxRedos', count),
      maxReassignments: checkCount(setup.maxReassignments ?? 0, 0, 'maxReassignments', count),
      concurrency: checkCount(setup.concurrency ?? 4, 1, 'concurrency', count),
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
  const alike = isMember(supervisor) ? supervisor : { ...supervisor, name: `${name}-${REVIEWER}` };
  const reviewing = { team: name, role: REVIEWER, output: reviewSchema() };
  const reviews = roleOf(reviewer === 'supervisor' ? alike : reviewer, reviewing);
  return { ...supervises, [REVIEWER]: reviews };
};
