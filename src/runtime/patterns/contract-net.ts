import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Json } from '../../contracts/json.ts';
import type { Bid } from '../../coordination/contract-net.ts';
import { AWARD, awardSchema, contractNetMachine, MANAGER } from '../../coordination/contract-net.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { setupOf, team } from '../team.ts';
import type { RoleOptions } from './role-of.ts';
import { roleOf } from './role-of.ts';

/** Who may bid: one agent for the bid and the work, or another for the bid, such as one that asks a price list. */
export type Contractor<Output> =
  Agent<string, Output> | { readonly agent: Agent<string, Output>; readonly bidder: Member };

/** Who may bid, how long, and who gets the work. */
export interface ContractNetSetup<Output> extends TeamSetup {
  /** By name. They take a text; whoever bids answers with JSON, and is read leniently. */
  readonly contractors: Readonly<Record<string, Contractor<Output>>>;
  /** How long bids are taken, in ms; those that come later do not count. Default 30,000. */
  readonly bidWithinMs?: number | undefined;
  /**
   * Who gets the work first, and who in turn if that one fails: `best` (the lowest cost divided by confidence), `cheapest`, `surest`,
   * `fastest`, or your own: pure, it gives the names in order, and whom it does not name gets nothing. Of equals the one that was named
   * first here. Default `best`.
   */
  readonly award?:
    | 'best'
    | 'cheapest'
    | 'surest'
    | 'fastest'
    | ((bids: readonly Bid[], work: Json) => readonly string[])
    | undefined;
  /** An agent, or options for one, that says who gets the work. What it says without sense is left to the rule, and told (`byRule`). */
  readonly manager?: RoleOptions | Member | undefined;
}

/**
 * An auction: the work is announced, contractors bid (cost, confidence, how long it takes), the best bid gets it; if that one fails, the
 * next.
 *
 * A bid that is not valid is none, and neither is one that comes too late: `result.state` says why somebody did not bid. Without any bid
 * it ends `stopped { kind: 'rule', rule: 'bids' }`; if all who bid fail it ends as the last one did.
 *
 * Not where it is known who is good at what: a router is one call, an auction is one for each contractor before anything is done. And
 * models say anything of themselves: bids are worth something where they come from prices, queues or records.
 *
 * @example
 * const market = contractNet({ name: 'market', contractors: { small, large }, award: 'cheapest', bidWithinMs: 5_000 });
 *
 * @throws {TroupeError} `team.invalid` without contractors, for one called `manager`, one that is no agent, a rule that is none, or a
 * time that is no number of ms.
 */
export const contractNet = <Output = string>({
  contractors,
  bidWithinMs = 30_000,
  award = 'best',
  manager,
  ...setup
}: ContractNetSetup<Output>): EmbeddableAgent<string, Output> => {
  const { name } = setup;
  const owner = `the team '${name}'`;
  const names = Object.keys(contractors);
  const refuse = (reason: string): TroupeError =>
    new TroupeError('team.invalid', `Cannot define ${owner} as ${reason}`);
  if (names.length === 0 || names.includes(MANAGER))
    throw refuse(
      `it needs contractors, none of them called '${MANAGER}': found ${names.join(', ') || 'none'}`,
    );
  if (typeof award !== 'function' && !RULES.includes(award))
    throw refuse(
      `there is no such rule for giving work away: '${String(award)}'; there are ${RULES.join(', ')}`,
    );
  const members: Record<string, Member> = {};
  const bidders = Object.entries(contractors).map(([role, given]) => {
    const { agent, bidder } = 'bidder' in given ? given : { agent: given, bidder: undefined };
    members[role] = agent;
    if (bidder === undefined) return { name: role, bidder: role, description: agent.description };
    members[`${role}-bidder`] = bidder;
    return { name: role, bidder: `${role}-bidder`, description: agent.description };
  });
  if (manager !== undefined)
    members[MANAGER] = roleOf(manager, { team: name, role: MANAGER, output: awardSchema() });
  return team({
    ...setupOf(setup),
    machine: contractNetMachine,
    members,
    functions:
      typeof award === 'function'
        ? { [AWARD]: (bids = [], work = null) => award(bids as readonly Bid[], work) }
        : {},
    options: {
      contractors: bidders,
      bidWithinMs: checkCount(bidWithinMs, 1, 'bidWithinMs', { code: 'team.invalid', owner }),
      award: typeof award === 'function' ? 'function' : award,
      hasManager: manager !== undefined,
    },
  });
};

const RULES: readonly string[] = ['best', 'cheapest', 'surest', 'fastest'];
