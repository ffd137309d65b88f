import type { z } from 'zod';
import type { Agent, AgentOptions } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import {
  planSchema,
  SUPERVISOR,
  supervisionSchema,
  supervisorWorkerMachine,
} from '../../coordination/supervisor-worker.ts';
import type { WorkerReply } from '../../coordination/supervisor-worker.ts';
import { agent } from '../agent.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { setupOf, team } from '../team.ts';

/** The supervisor of a team: an agent's options, but for what the pattern decides. */
export type SupervisorOptions = Omit<AgentOptions, 'name' | 'input' | 'output' | 'prompt'> & {
  readonly name?: string;
};

/** What a supervisor and its workers are made of. */
export interface SupervisorWorkerSetup<
  Result extends 'answer' | 'replies' = 'answer' | 'replies',
> extends TeamSetup {
  /** Instructions and model of the supervisor; what it decides is a plan, checked against its schema. */
  readonly supervisor: SupervisorOptions;
  /** By name; their descriptions tell the supervisor what each is good for. They take a string. */
  readonly workers: Readonly<Record<string, Agent<string, unknown>>>;
  /** `answer`: the supervisor sees the replies and answers (default). `replies`: they are the result, after one round. */
  readonly result?: Result | undefined;
  /** Rounds of work. Default 3. */
  readonly maxRounds?: number | undefined;
  /** Assignments that are carried out of one plan. Default 16. */
  readonly maxAssignments?: number | undefined;
  /** Workers at work at the same time. Default 4. */
  readonly concurrency?: number | undefined;
}

/**
 * A supervisor takes a request apart and hands the parts to workers, who do them at the same time.
 *
 * Who does what is data that the supervisor's model decides. A worker that is not there is pointed out to it once; a
 * worker that fails replies with its error and leaves the others alone. Rounds are bounded: past them the run ends
 * `stopped { kind: 'maxRounds' }` with the replies as the candidate.
 *
 * @example
 * const desk = supervisorWorker({
 *   name: 'desk',
 *   supervisor: { instructions: 'Split the question into parts.' },
 *   workers: { researcher },
 * });
 *
 * @throws {TroupeError} `team.invalid` without workers, for a worker called `supervisor`, one that is no agent, or a
 * number that bounds nothing.
 */
export const supervisorWorker = <const Result extends 'answer' | 'replies' = 'answer'>(
  setup: SupervisorWorkerSetup<Result>,
): EmbeddableAgent<string, Result extends 'replies' ? readonly WorkerReply[] : string> => {
  const { name, workers } = setup;
  const result: 'answer' | 'replies' = setup.result ?? 'answer';
  const names = Object.keys(workers);
  if (names.length === 0 || names.includes(SUPERVISOR))
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as it needs workers, none of them called '${SUPERVISOR}': found ${names.join(', ') || 'none'}`,
    );
  const count = { code: 'team.invalid', owner: `the team '${name}'` } as const;
  return team({
    ...setupOf(setup),
    machine: supervisorWorkerMachine,
    members: { ...workers, [SUPERVISOR]: supervisorOf(name, setup.supervisor, result) },
    options: {
      workers: Object.fromEntries(
        Object.entries(workers).map(([role, worker]) => [role, worker.description]),
      ),
      result,
      maxRounds: checkCount(setup.maxRounds ?? 3, 0, 'maxRounds', count),
      maxAssignments: checkCount(setup.maxAssignments ?? 16, 1, 'maxAssignments', count),
      concurrency: checkCount(setup.concurrency ?? 4, 1, 'concurrency', count),
    },
  });
};

const supervisorOf = (team: string, options: SupervisorOptions, result: 'answer' | 'replies'): Member => {
  const output: z.ZodType = result === 'answer' ? supervisionSchema : planSchema;
  return agent({ ...options, name: options.name ?? `${team}-${SUPERVISOR}`, output });
};
