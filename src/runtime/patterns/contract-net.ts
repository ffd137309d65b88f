import type { Agent } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import type { Bid, ContractNetState } from '../../coordination/contract-net.ts';
import { AWARD, awardSchema, contractNetMachine, MANAGER } from '../../coordination/contract-net.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { Member, TeamSetup } from '../define/team.ts';
import { memberOf, setupOf, team } from '../define/team.ts';
import { checkSetup } from './setup/check-setup.ts';
import { memberWith } from './setup/member-with.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';

/** Who may bid: one agent for the bid and the work, or another for the bid, such as one that asks a price list. */
export type Contractor<Output> =
  Agent<string, Output> | { readonly agent: Agent<string, Output>; readonly bidder: Member };

/** Who may bid, how long, and who gets the work. */
export interface ContractNetSetup<Output> extends TeamSetup {
  /** By name. They take a text; whoever bids answers with JSON, and is read leniently. */
  readonly contractors: Readonly<Record<string, Contractor<Output>>>;
  /** The time that bids are accepted, in ms; those that come later do not count. Default 30,000. */
  readonly bidTimeMs?: number | undefined;
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
  /** Says who gets the work. What it says without sense is left to the rule, and told (`byRule`). */
  readonly manager?: Role | undefined;
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
 * const market = contractNet({ name: 'market', contractors: { small, large }, award: 'cheapest', bidTimeMs: 5_000 });
 *
 * @throws {TroupeError} `team.invalid` without contractors, for one called `manager`, one that is no agent, a rule that is none, or a
 * time that is no number of ms.
 */
export const contractNet = <Output = string>(
  setup: ContractNetSetup<Output>,
): EmbeddableAgent<string, Output, ContractNetState> => {
  const check = checkSetup(setup);
  const { name, contractors, award = 'best', manager } = setup;
  check.asked('contractors', contractors, { reserved: [MANAGER] });
  const rule = typeof award === 'function' ? award : check.word('award', award, 'best', RULES);
  const members: Record<string, Member> = {};
  const bidders = Object.entries(contractors).map(([role, given]) => {
    const [agent, { bidder }] = memberWith<{ readonly bidder: Member }>(name, role, given);
    const { description } = memberOf(name, role, agent);
    members[role] = agent;
    if (bidder === undefined) return { name: role, bidder: role, description };
    members[`${role}-bidder`] = bidder;
    return { name: role, bidder: `${role}-bidder`, description };
  });
  if (manager !== undefined)
    members[MANAGER] = roleOf(manager, { team: name, role: MANAGER, output: awardSchema() });
  return team({
    ...setupOf(setup),
    machine: contractNetMachine,
    members,
    functions:
      typeof rule === 'function'
        ? { [AWARD]: (bids = [], work = null) => rule(bids as readonly Bid[], work) }
        : {},
    options: {
      contractors: bidders,
      bidTimeMs: check.count('bidTimeMs', setup.bidTimeMs, 30_000),
      award: typeof rule === 'function' ? 'function' : rule,
      hasManager: manager !== undefined,
    },
  });
};

const RULES = ['best', 'cheapest', 'surest', 'fastest'] as const;
