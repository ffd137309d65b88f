import * as z from 'zod';
import type { Agent } from '../contracts/agents/agent.ts';
import { errorData } from '../contracts/errors/error.ts';
import type { Json } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import { onDemand } from '../base/on-demand.ts';
import { anything, oneOf, shortOr, wholeNumber } from '../base/schemas/option-schemas.ts';
import { answeredWith, failedWith, stoppedBy } from '../coordination/round/ends.ts';
import type { Reply } from '../coordination/round/round.ts';
import { saidJson, textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext, TeamEnd } from '../coordination/round/team-context.ts';
import { endOf, repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import { atOnce } from '../machines/rules.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { Member, TeamSetup } from '../runtime/define/team.ts';
import { memberOf } from '../runtime/define/team.ts';
import { memberWith } from './setup/member-with.ts';
import { pattern } from './setup/pattern.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import { setupShape } from './setup/setup-schema.ts';
import { rulesInForce } from '../machines/in-force.ts';

/** A bidder: one agent for the bid and the work, or another for the bid, such as one that asks a price list. */
export type Contractor<Output> =
  | Agent<string, Output>
  | { readonly agent: Agent<string, Output>; readonly bidder: Member };

/** The contractors, the time for bids, and the rule of the award. */
export interface ContractNetSetup<Output> extends TeamSetup {
  /** By name. They take a text; a bidder answers with JSON, and is read leniently. */
  readonly contractors: Readonly<Record<string, Contractor<Output>>>;
  /** The time that bids are accepted, in ms; those that come later do not count. Default 30,000. */
  readonly bidTimeMs?: number | undefined;
  /**
   * The order in which contractors get the work, the next if one fails: `best` (the lowest cost divided by confidence), `cheapest`, `surest`,
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
  /** Awards the work. Where its choice is invalid the rule decides, and the result says so (`byRule`). */
  readonly manager?: Role | undefined;
}

/** The manager's member name, which no contractor may have. */
const MANAGER = 'manager';

/** The name of the function that puts bids in order. */
const AWARD = 'award';

/** The contractors, who bids for each, and the rule of the award. */
export type ContractNetOptions = {
  readonly contractors: readonly {
    readonly name: string;
    readonly bidder: string;
    readonly description: string;
  }[];
  /** The time that bids are accepted, in ms. */
  readonly bidTimeMs: number;
  readonly award: 'best' | 'cheapest' | 'surest' | 'fastest' | 'function';
  readonly hasManager: boolean;
};

/** The offer of a contractor. */
export type Bid = {
  readonly member: string;
  /** In whatever unit the announcement asks for; from 0. */
  readonly cost: number;
  /** Its confidence that it can do it, above 0 to 1. */
  readonly confidence: number;
  /** The time that it expects to take, in ms; null: it does not say. */
  readonly estimateMs: number | null;
};

/** The schema of a manager's choice. */
const awardSchema = onDemand(() =>
  z.object({
    contractors: z
      .array(z.string())
      .describe('Who gets the work, and who gets it in turn if that one fails.'),
  }),
);

/** The state of an auction's run. */
export type ContractNetState = {
  /** Those that are valid, and were in time. */
  readonly bids: readonly Bid[];
  /** Contractors that did not bid, and the reasons. */
  readonly noBids: readonly { readonly member: string; readonly reason: string }[];
  /** The contractor that has the work, or had it last; null: nobody got it. */
  readonly awarded: string | null;
  /** Those who had the work, and failed. */
  readonly failed: readonly { readonly member: string; readonly error: string }[];
};

type Own = ContractNetState & {
  /** Those whose turn it would be, the best first. */
  readonly line: readonly string[];
  /** True if the manager's choice was invalid or missing. */
  readonly isManagerLost: boolean;
};
type Context = TeamContext<Own, ContractNetOptions>;

/** The announcement: all are asked for a bid, at the same time. */
const announce = (context: Context): Partial<Context> => {
  const { contractors, bidTimeMs } = context.options;
  const text = [
    'There is work to be assigned. Do not do it yet: say what you would do it for.',
    `Work: ${textOf(context.input)}`,
    'Answer with JSON: {"cost": number from 0, "confidence": number above 0 to 1, "estimateMs": number or null}, or with {"bid": false} if it is not for you.',
  ].join('\n\n');
  const tasks = contractors.map(({ bidder }) => ({ member: bidder, input: text }));
  return beginRound(context, tasks, { closesAfterMs: bidTimeMs });
};

const weigh = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: spent };
  const read = repliesOf(context).map((reply, index) =>
    readBid(options.contractors[index]?.name ?? reply.member, reply),
  );
  const bids = read.flatMap((each) => ('cost' in each ? [each] : []));
  const noBids = read.flatMap((each) => ('reason' in each ? [each] : []));
  const next = { ...own, bids, noBids };
  if (bids.length === 0) {
    const detail = `nobody bid: ${noBids.map(({ member, reason }) => `${member} (${reason})`).join(', ')}`;
    return { own: next, end: stoppedBy('bids', detail) };
  }
  try {
    const line = inLine(bids, context);
    if (line.length > 0) return { own: { ...next, line } };
    const detail = `'award' named none of those who bid: ${bids.map(({ member }) => member).join(', ')}`;
    return { own: next, end: stoppedBy('award', detail) };
  } catch (thrown) {
    const error = errorData(thrown, 'agent.threw', { message: "Cannot give the work away as 'award' threw" });
    return { own: next, end: failedWith(error) };
  }
};

type NoBid = { readonly member: string; readonly reason: string };

/** A bid, or why there is none: an invalid one is none, and so is one that came too late. */
const readBid = (member: string, { status, output, error, stopReason }: Reply): Bid | NoBid => {
  if (status === 'aborted') return { member, reason: 'too late' };
  if (status !== 'completed') return { member, reason: error?.message ?? stopReason.kind };
  const said = saidJson(output);
  if (!isJsonObject(said)) return { member, reason: 'no bid' };
  const { bid, cost, confidence, estimateMs = null } = said;
  if (bid === false) return { member, reason: 'no bid' };
  const isBid =
    isNumber(cost) &&
    cost >= 0 &&
    isNumber(confidence) &&
    confidence > 0 &&
    confidence <= 1 &&
    (estimateMs === null || (isNumber(estimateMs) && estimateMs >= 0));
  return isBid ? { member, cost, confidence, estimateMs } : { member, reason: 'invalid bid' };
};

const isNumber = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** The order in which contractors get the work: by the rule, and of equals the one that was named first. */
const inLine = (bids: readonly Bid[], { options, input }: Context): readonly string[] => {
  const { award } = options;
  if (award === 'function') {
    const named = atOnce(rulesInForce().functions?.[AWARD]?.(bids, input)) ?? [];
    return bidderNames(named, bids);
  }
  const worth = WORTH[award];
  return bids.toSorted((a, b) => worth(a) - worth(b)).map(({ member }) => member);
};

/** The less, the better. */
const WORTH: Readonly<Record<'best' | 'cheapest' | 'surest' | 'fastest', (bid: Bid) => number>> = {
  // What it is to be expected to cost until somebody has done it.
  best: ({ cost, confidence }) => cost / confidence,
  cheapest: ({ cost }) => cost,
  surest: ({ confidence }) => -confidence,
  fastest: ({ estimateMs }) => estimateMs ?? Number.MAX_VALUE,
};

const bidderNames = (named: Json, bids: readonly Bid[]): readonly string[] => {
  const known = bids.map(({ member }) => member);
  const list = Array.isArray(named) ? named : [named];
  return [
    ...new Set(list.filter((name): name is string => typeof name === 'string' && known.includes(name))),
  ];
};

const askManager = (context: Context): Partial<Context> => {
  const lines = context.own.bids.map(
    ({ member, cost, confidence, estimateMs }) =>
      `- ${member}: cost ${cost}, confidence ${confidence}${estimateMs === null ? '' : `, ${estimateMs} ms`}`,
  );
  const text = ['Who gets this work?', `Work: ${textOf(context.input)}`, `Bids:\n${lines.join('\n')}`].join(
    '\n\n',
  );
  return beginRound(context, [{ member: MANAGER, input: text }]);
};

/** The manager's choice; where it is invalid the rule decides, and that can be seen. */
const readAward = (context: Context): Partial<Context> => {
  const { own } = context;
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: spent };
  const [reply] = repliesOf(context);
  const parsed = awardSchema().safeParse(reply?.status === 'completed' ? saidJson(reply.output) : null);
  const chosen = bidderNames(parsed.success ? parsed.data.contractors : [], own.bids);
  if (chosen.length === 0) return { own: { ...own, isManagerLost: true } };
  return { own: { ...own, line: [...chosen, ...own.line.filter((name) => !chosen.includes(name))] } };
};

const award = (context: Context): Partial<Context> => {
  const { own, input } = context;
  const [awarded = null, ...line] = own.line;
  if (awarded === null) return {};
  return { own: { ...own, awarded, line }, ...beginRound(context, [{ member: awarded, input }]) };
};

const judge = (context: Context): Partial<Context> => {
  const { own } = context;
  const [reply] = repliesOf(context);
  if (reply === undefined) return {};
  if (reply.status === 'completed') return { end: answeredWith(reply.output) };
  const error = reply.error?.message ?? reply.stopReason.kind;
  const failed = [...own.failed, { member: own.awarded ?? reply.member, error }];
  const end: TeamEnd | undefined =
    spentEnd(context) ?? (own.line.length === 0 || reply.status === 'aborted' ? endOf(reply) : undefined);
  return { own: { ...own, failed }, ...(end === undefined ? {} : { end }) };
};

const NOTHING: Own = { bids: [], noBids: [], line: [], awarded: null, failed: [], isManagerLost: false };

const RULES = ['best', 'cheapest', 'surest', 'fastest'] as const;

/**
 * An auction: the work is announced, contractors bid (cost, confidence, how long it takes), the best bid gets it; if that one fails, the
 * next.
 *
 * A bid that is not valid is none, and neither is one that comes too late: `result.state` says why a contractor did not bid. Without any bid
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
export const contractNet = pattern({
  name: 'contractNet',
  description: 'Work is announced, contractors bid, the best bid gets it, and the next if that one fails.',
  setup: () =>
    setupShape<ContractNetSetup<unknown>>({
      contractors: anything(),
      bidTimeMs: wholeNumber(1),
      award: shortOr((given) => typeof given === 'function', oneOf(RULES)),
      manager: anything(),
    }),
  defaults: { contractors: [], bidTimeMs: 0, award: 'best', hasManager: false },
  own: NOTHING,
  // Work goes to the best bid, and is not handed on.
  handsOnTo: () => [],
  actions: { announce, weigh, askManager, readAward, award, judge },
  tells: {
    tellBids: ({ own }) => own.bids.map((bid) => ({ type: 'bid.made', ...bid })),
    tellAward: ({ own: { awarded, bids, isManagerLost }, options }) => {
      const bid = bids.find(({ member }) => member === awarded);
      const byRule = isManagerLost || !options.hasManager;
      return bid === undefined ? [] : [{ type: 'contract.awarded', ...bid, byRule }];
    },
  },
  guards: { hasManager: ({ own, options }) => options.hasManager && own.bids.length > 1 },
  initial: 'announcing',
  states: {
    announcing: {
      description: 'All are asked for a bid; who does not bid in time does not bid.',
      entry: 'announce',
      awaits: 'weighing',
    },
    weighing: {
      description: 'Which bids are valid, and in which order?',
      entry: ['weigh', 'tellBids'],
      always: ['failed', 'stopped', { guard: 'hasManager', target: 'consulting' }, 'executing'],
    },
    consulting: {
      description: 'The manager says who gets the work.',
      entry: 'askManager',
      awaits: 'awarding',
    },
    awarding: {
      description: 'Is it somebody who has bid? If not, the rule decides.',
      entry: 'readAward',
      always: ['stopped', 'executing'],
    },
    executing: {
      description: 'The best of those who are left does the work.',
      entry: ['award', 'tellAward'],
      awaits: 'judging',
    },
    judging: {
      description: 'Is the work done, and if not, is anybody left?',
      entry: 'judge',
      always: ['completed', 'failed', 'aborted', 'stopped', 'executing'],
    },
  },
  team:
    (open) =>
    <Output = string>(setup: ContractNetSetup<Output>): EmbeddableAgent<string, Output, ContractNetState> => {
      const { check, make } = open(setup);
      const { name, contractors, award = 'best', manager, bidTimeMs = 30_000 } = setup;
      check.asked('contractors', contractors, { reserved: [MANAGER] });
      const members: Record<string, Member> = {};
      const bidders = Object.entries(contractors).map(([role, given]) => {
        const [agent, { bidder }] = memberWith<{ readonly bidder: Member }>(name, role, given, ['bidder']);
        const { description } = memberOf(name, role, agent);
        members[role] = agent;
        if (bidder === undefined) return { name: role, bidder: role, description };
        members[`${role}-bidder`] = bidder;
        return { name: role, bidder: `${role}-bidder`, description };
      });
      if (manager !== undefined)
        members[MANAGER] = roleOf(manager, { team: name, role: MANAGER, output: awardSchema() });
      return make({
        flow: [
          [OUTSIDE, 'the call for bids'],
          ['the call for bids', bidders.map(({ bidder }) => bidder)],
          ...(manager === undefined
            ? []
            : [['the award', MANAGER, 'bids'] as const, [MANAGER, 'the award', 'its choice'] as const]),
          [bidders.map(({ bidder }) => bidder), 'the award', 'bids'],
          ['the award', bidders.map(({ name: contractor }) => contractor), 'to the best'],
          [bidders.map(({ name: contractor }) => contractor), OUTSIDE],
        ],
        members,
        functions:
          typeof award === 'function'
            ? { [AWARD]: (bids = [], work = null) => award(bids as readonly Bid[], work) }
            : {},
        options: {
          contractors: bidders,
          bidTimeMs,
          award: typeof award === 'function' ? 'function' : award,
          hasManager: manager !== undefined,
        },
      });
    },
});
