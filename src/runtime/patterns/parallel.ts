import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Json } from '../../contracts/json.ts';
import type { ParallelReply } from '../../coordination/parallel.ts';
import { AGGREGATE, AGGREGATOR, parallelMachine } from '../../coordination/parallel.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { memberOf, setupOf, team } from '../team.ts';

export type { ParallelReply };

/** What makes one of all replies: a pure function, or an agent that reads them. */
export type Aggregator<Output> =
  ((replies: readonly ParallelReply[], input: Json) => Output) | Agent<string, Output>;

/** What holds of work side by side, whoever does it. */
export interface ParallelBounds<Output> extends TeamSetup {
  /** Members at work at the same time. Default 10. */
  readonly concurrency?: number | undefined;
  /** So many answers are enough, and have to be there: the others are called off. Default: all are waited for, one is enough. */
  readonly quorum?: number | undefined;
  /** The first that does not answer ends the work, and the others are called off. Default false. */
  readonly failsFast?: boolean | undefined;
  /** Default: the replies are the result. */
  readonly aggregate?: Aggregator<Output> | undefined;
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
 * team completes unless nobody has answered, the `quorum` is not met, or it `failsFast`. An `aggregate` that fails takes
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
 * const summaries = parallel({ name: 'summaries', each: summariser, aggregate: (replies) => replies.length });
 * await summaries.run(['page one', 'page two']);
 *
 * @throws {TroupeError} `team.invalid` without members, for one called `aggregator` or that is no agent, for a number that
 * bounds nothing, or a quorum of more than there are.
 */
export const parallel = <Input, Output = readonly ParallelReply[], Item = never>(
  setup: ParallelSetup<Input, Output> | ParallelMapSetup<Item, Output>,
): EmbeddableAgent<[Item] extends [never] ? Input : readonly Item[], Output> => {
  const { name, each, aggregate } = setup;
  const workers: Readonly<Record<string, Member>> =
    setup.members ?? (each === undefined ? {} : { [memberOf(name, 'each', each).name]: each });
  const roles = Object.keys(workers);
  if (roles.length === 0 || roles.includes(AGGREGATOR))
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as it needs members, none of them called '${AGGREGATOR}': found ${roles.join(', ') || 'none'}`,
    );
  const count = { code: 'team.invalid', owner: `the team '${name}'` } as const;
  const quorum = setup.quorum === undefined ? null : checkCount(setup.quorum, 1, 'quorum', count);
  if (quorum !== null && each === undefined && quorum > roles.length)
    throw new TroupeError(
      'team.invalid',
      `Cannot define the team '${name}' as its quorum is more than its members: ${quorum} of ${roles.length}`,
    );
  const readers = Object.entries(workers).flatMap(([role, member]) =>
    memberOf(name, role, member).agent?.takesText === true ? [role] : [],
  );
  const isFunction = typeof aggregate === 'function';
  return team({
    ...setupOf(setup),
    machine: parallelMachine,
    members: aggregate === undefined || isFunction ? workers : { ...workers, [AGGREGATOR]: aggregate },
    ...(isFunction ? { functions: { [AGGREGATE]: functionOf(aggregate) } } : {}),
    options: {
      members: each === undefined ? roles : [],
      each: each === undefined ? null : (roles[0] ?? null),
      readers,
      cap: checkCount(setup.concurrency ?? 10, 1, 'concurrency', count),
      quorum,
      failsFast: setup.failsFast ?? false,
      aggregate: aggregateKind(aggregate),
    },
  });
};

const aggregateKind = (aggregate: Aggregator<unknown> | undefined): 'none' | 'function' | 'agent' => {
  if (aggregate === undefined) return 'none';
  return typeof aggregate === 'function' ? 'function' : 'agent';
};

/** The machine hands it what it made itself, and checks what it gives. */
const functionOf =
  (aggregate: (replies: readonly ParallelReply[], input: Json) => unknown) =>
  (replies: Json = [], input: Json = null): Json =>
    aggregate(replies as readonly ParallelReply[], input) as Json;
