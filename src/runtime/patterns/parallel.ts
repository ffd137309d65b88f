import type { Agent } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import type { ParallelReply, ParallelState } from '../../coordination/parallel.ts';
import { AGGREGATE, AGGREGATOR, parallelMachine } from '../../coordination/parallel.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { Member, TeamSetup } from '../define/team.ts';
import { memberOf, setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';

export type { ParallelReply, ParallelState };

/** What makes one of all replies: a pure function, or somebody who reads them. */
export type Aggregator<Output> =
  ((replies: readonly ParallelReply[], input: Json) => Output) | Agent<string, Output> | Role;

/** What holds of work side by side, whoever does it. */
export interface ParallelBounds<Output> extends TeamSetup {
  /** Members at work at the same time. Default 10. */
  readonly concurrency?: number | undefined;
  /** So many answers are enough, and have to be there: the others are called off. Default: all are waited for, one is enough. */
  readonly quorum?: number | undefined;
  /** The first that does not answer ends the work, and the others are called off. Default false. */
  readonly failsFast?: boolean | undefined;
  /** Default: the replies are the result. */
  readonly aggregator?: Aggregator<Output> | undefined;
}

/** Several members, each of whom gets the whole input. */
export interface ParallelSetup<Input, Output> extends ParallelBounds<Output> {
  /** By name; at least one, none of them called `aggregator`. */
  readonly members: Readonly<Record<string, Agent<Input, unknown>>>;
  readonly each?: undefined;
}

/** One member, which gets each item of a list. */
export interface ParallelMapSetup<Item, Output> extends ParallelBounds<Output> {
  readonly each: Agent<Item, unknown>;
  readonly members?: undefined;
}

/**
 * All at the same time: every member on the whole input, or (`each`) one member on every item of a list.
 *
 * The replies come in order, whoever was done first. One that fails is a reply with its error, and the others go on: the
 * team completes unless nobody has answered, the `quorum` is not met, or it `failsFast`. An `aggregator` that fails takes
 * nothing away: the run ends `stopped { rule: 'aggregator' }`, and the replies are its candidate.
 *
 * Not for parts of one task that somebody has to cut first (`supervisorWorker`), nor for several tries at one answer
 * (`ensemble`): here nobody reads what the others wrote.
 *
 * @example
 * const checks = parallel({ name: 'checks', members: { spelling, facts, tone } });
 * const { output } = await checks.run('The moon is made of cheese.'); // [{ member: 'spelling', output: … }, …]
 *
 * @example
 * const summaries = parallel({ name: 'summaries', each: summariser, aggregator: (replies) => replies.length });
 * await summaries.run(['page one', 'page two']);
 *
 * @throws {TroupeError} `team.invalid` without members, for one called `aggregator` or that is no agent, for a number that
 * bounds nothing, or a quorum of more than there are.
 */
export const parallel = <Input, Output = readonly ParallelReply[], Item = never>(
  setup: ParallelSetup<Input, Output> | ParallelMapSetup<Item, Output>,
): EmbeddableAgent<[Item] extends [never] ? Input : readonly Item[], Output, ParallelState> => {
  const check = checkSetup(setup);
  const { name, each, aggregator } = setup;
  const workers: Readonly<Record<string, Member>> =
    each === undefined ? setup.members : { [memberOf(name, 'each', each).name]: each };
  const roles = check.asked('members', workers, { reserved: [AGGREGATOR] });
  const quorum = setup.quorum === undefined ? null : check.count('quorum', setup.quorum, 1);
  if (quorum !== null && each === undefined && quorum > roles.length)
    check.refuse(`its quorum is more than its members, of whom there are ${roles.length}`, quorum);
  const readers = Object.entries(workers).flatMap(([role, member]) =>
    memberOf(name, role, member).agent?.takesText === true ? [role] : [],
  );
  const reads = aggregator === undefined || typeof aggregator === 'function' ? undefined : aggregator;
  return team({
    ...setupOf(setup),
    machine: parallelMachine,
    members:
      reads === undefined
        ? workers
        : { ...workers, [AGGREGATOR]: roleOf(reads, { team: name, role: AGGREGATOR }) },
    ...(typeof aggregator === 'function' ? { functions: { [AGGREGATE]: functionOf(aggregator) } } : {}),
    options: {
      members: each === undefined ? roles : [],
      each: each === undefined ? null : (roles[0] ?? null),
      readers,
      cap: check.count('concurrency', setup.concurrency, 10),
      quorum,
      failsFast: check.flag('failsFast', setup.failsFast),
      aggregator: reads === undefined ? (aggregator === undefined ? 'none' : 'function') : 'agent',
    },
  });
};

/** The machine hands it what it made itself, and checks what it gives. */
const functionOf =
  (aggregate: (replies: readonly ParallelReply[], input: Json) => unknown) =>
  (replies: Json = [], input: Json = null): Json =>
    aggregate(replies as readonly ParallelReply[], input) as Json;
