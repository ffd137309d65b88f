import { assign } from 'xstate';
import * as z from 'zod';
import { errorData } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import { atOnce, rulesInForce } from '../machines/rules.ts';
import { onDemand } from '../contracts/on-demand.ts';
import type { Reply } from './round/round.ts';
import { saidJson, textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds, tell } from './round/setup-team.ts';
import type { TeamContext, TeamEnd, TeamInput } from './round/team-context.ts';
import { endOf, repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

/** The manager's member name, which no contractor may have. */
export const MANAGER = 'manager';

/** The name of the function that puts bids in order. */
export const AWARD = 'award';

/** Who may bid, by whom each bids, and how the work is given away. */
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

/** What a contractor offers. */
export type Bid = {
  readonly member: string;
  /** In whatever unit the announcement asks for; from 0. */
  readonly cost: number;
  /** How sure it is that it can do it, above 0 to 1. */
  readonly confidence: number;
  /** The time that it expects to take, in ms; null: it does not say. */
  readonly estimateMs: number | null;
};

/** What a manager says of the bids. */
export const awardSchema = onDemand(() =>
  z.object({
    contractors: z
      .array(z.string())
      .describe('Who gets the work, and who gets it in turn if that one fails.'),
  }),
);

/** What is known of an auction beside what came of the work. */
export type ContractNetState = {
  /** Those that are valid, and were in time. */
  readonly bids: readonly Bid[];
  /** Who did not bid, and why. */
  readonly noBids: readonly { readonly member: string; readonly reason: string }[];
  /** Who has the work, or had it last; null: nobody got it. */
  readonly awarded: string | null;
  /** Those who had the work, and failed. */
  readonly failed: readonly { readonly member: string; readonly error: string }[];
};

type Own = ContractNetState & {
  /** Those whose turn it would be, the best first. */
  readonly line: readonly string[];
  /** True if the manager was to say who gets the work, and nothing came of it. */
  readonly isManagerLost: boolean;
};
type Context = TeamContext<Own, ContractNetOptions>;

/** The announcement: all are asked for a bid, at the same time. */
const announce = (context: Context): Partial<Context> => {
  const { contractors, bidTimeMs } = context.options;
  const text = [
    'There is work to be given away. Do not do it yet: say what you would do it for.',
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
    return { own: next, end: { status: 'stopped', stopReason: { kind: 'rule', rule: 'bids', detail } } };
  }
  try {
    const line = inLine(bids, context);
    if (line.length > 0) return { own: { ...next, line } };
    const detail = `'award' named none of those who bid: ${bids.map(({ member }) => member).join(', ')}`;
    return { own: next, end: { status: 'stopped', stopReason: { kind: 'rule', rule: 'award', detail } } };
  } catch (thrown) {
    const error = errorData(thrown, 'agent.threw', { message: "Cannot give the work away as 'award' threw" });
    return { own: next, end: { status: 'failed', stopReason: { kind: 'failed' }, error } };
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
    return knownIn(named, bids);
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

const knownIn = (named: Json, bids: readonly Bid[]): readonly string[] => {
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

/** The manager's choice; if nothing comes of it, the rule decides, and that can be seen. */
const readAward = (context: Context): Partial<Context> => {
  const { own } = context;
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: spent };
  const [reply] = repliesOf(context);
  const parsed = awardSchema().safeParse(reply?.status === 'completed' ? saidJson(reply.output) : null);
  const chosen = knownIn(parsed.success ? parsed.data.contractors : [], own.bids);
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
  if (reply.status === 'completed')
    return { end: { status: 'completed', stopReason: { kind: 'answered' }, output: reply.output } };
  const error = reply.error?.message ?? reply.stopReason.kind;
  const failed = [...own.failed, { member: own.awarded ?? reply.member, error }];
  const end: TeamEnd | undefined =
    spentEnd(context) ?? (own.line.length === 0 || reply.status === 'aborted' ? endOf(reply) : undefined);
  return { own: { ...own, failed }, ...(end === undefined ? {} : { end }) };
};

const NOTHING: Own = { bids: [], noBids: [], line: [], awarded: null, failed: [], isManagerLost: false };

/** Work is announced, contractors bid for it, the best one does it; if that one fails, the next. */
export const contractNetMachine = onDemand(() =>
  setupTeam<Own, ContractNetOptions>()
    .extend({
      actions: {
        announce: assign(({ context }) => announce(context)),
        weigh: assign(({ context }) => weigh(context)),
        askManager: assign(({ context }) => askManager(context)),
        readAward: assign(({ context }) => readAward(context)),
        award: assign(({ context }) => award(context)),
        judge: assign(({ context }) => judge(context)),
        tellBids: ({ self, context }) => {
          for (const bid of context.own.bids) tell(self, { type: 'bid.made', ...bid }, context, 'weighing');
        },
        tellAward: ({ self, context }) => {
          const { awarded, bids, isManagerLost } = context.own;
          const bid = bids.find(({ member }) => member === awarded);
          const byRule = isManagerLost || !context.options.hasManager;
          if (bid !== undefined)
            tell(self, { type: 'contract.awarded', ...bid, byRule }, context, 'executing');
        },
      },
      guards: {
        hasManager: ({ context: { own, options } }) => options.hasManager && own.bids.length > 1,
      },
    })
    .createMachine({
      id: 'contractNet',
      description:
        'Work is announced, contractors bid, the best bid gets it, and the next if that one fails.',
      context: ({ input }: { input: TeamInput<ContractNetOptions> | undefined }) =>
        teamContext(
          // Work is given away by its bids, and not handed on.
          input && { ...input, members: [] },
          NOTHING,
          { contractors: [], bidTimeMs: 0, award: 'best', hasManager: false },
        ),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'announcing',
      on: teamArrows,
      states: {
        announcing: {
          description: 'All are asked for a bid; who does not bid in time does not bid.',
          entry: ['announce', { type: 'entered', params: { phase: 'announcing' } }, 'engageMembers'],
          ...awaiting('weighing'),
        },
        weighing: {
          description: 'Which bids are valid, and in which order?',
          entry: ['weigh', { type: 'entered', params: { phase: 'weighing' } }, 'tellBids'],
          always: [
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'hasManager', target: 'consulting' },
            { target: 'executing' },
          ],
        },
        consulting: {
          description: 'The manager says who gets the work.',
          entry: ['askManager', { type: 'entered', params: { phase: 'consulting' } }, 'engageMembers'],
          ...awaiting('awarding'),
        },
        awarding: {
          description: 'Is it somebody who has bid? If not, the rule decides.',
          entry: ['readAward', { type: 'entered', params: { phase: 'awarding' } }],
          always: [{ guard: 'isStopped', target: 'stopped' }, { target: 'executing' }],
        },
        executing: {
          description: 'The best of those who are left does the work.',
          entry: ['award', { type: 'entered', params: { phase: 'executing' } }, 'tellAward', 'engageMembers'],
          ...awaiting('judging'),
        },
        judging: {
          description: 'Is the work done, and if not, is anybody left?',
          entry: ['judge', { type: 'entered', params: { phase: 'judging' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { target: 'executing' },
          ],
        },
        ...teamEnds,
      },
    }),
);
