import { assign } from 'xstate';
import { messageOf } from '../contracts/error.ts';
import type { EventBody } from '../contracts/event.ts';
import type { Json } from '../contracts/json.ts';
import { rulesInForce } from '../machines/rules.ts';
import { onDemand } from '../contracts/on-demand.ts';
import type { Card } from './round/card.ts';
import type { Assessment, Ranking } from './state/rank.ts';
import { byChance, byNames, byScores, inOrder, tierFor } from './state/rank.ts';
import type { RouterOptions } from './state/router-options.ts';
import {
  assessmentSchema,
  CHOICE_FUNCTION,
  CHOOSER,
  drawSchema,
  scoresSchema,
} from './state/router-options.ts';
import { saidJson, textOf } from './round/said-json.ts';
import { beginRound } from './round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from './round/setup-team.ts';
import type { TeamContext, TeamInput } from './round/team-context.ts';
import { endOf, repliesOf, spentEnd, teamContext, teamOutcome } from './round/team-context.ts';

type Change = { readonly from: string; readonly to: string; readonly reason: string };

/** Who was thought fit for a task, and who had it. */
export type RouterState = {
  /** Who has it, and who would be next, the best first; of tiers all from the one that it came to. */
  readonly ranking: Ranking['ranked'];
  /** Those that had the task, in order; the last has it, or had it last. */
  readonly tried: readonly string[];
  /** What was said of the task, tier by tier. */
  readonly assessments: readonly (Assessment & { readonly tier: number })[];
};

type Own = RouterState & {
  readonly isDecided: boolean;
  /** To be told when the task is given on. */
  readonly degraded: readonly string[];
  readonly changes: readonly Change[];
  /** What one that failed had come to. */
  readonly left: Json;
};
type Context = TeamContext<Own, RouterOptions>;

const decided = (own: Own, { ranked, degraded }: Ranking): Own => ({
  ...own,
  ranking: ranked,
  isDecided: true,
  degraded: degraded === null ? own.degraded : [...own.degraded, degraded],
});

/** The order, as far as nobody has to be asked for it. */
const choose = (context: Context): Partial<Context> => {
  const { own, options, input, team } = context;
  const { cards, strategy, by } = options;
  if (strategy === 'tiers') return { own: considerTier(context, own, 1) };
  if (by === 'chance') return { own: decided(own, byChance(cards, `${team.runId}/${team.path}`)) };
  if (strategy === 'semantic' && textOf(input).trim() === '')
    return { own: decided(own, inOrder(cards, 'there is no task to choose by')) };
  return by === 'function' ? { own: decided(own, scored(context)) } : { own };
};

const scored = ({ options: { cards }, input }: Context): Ranking => {
  const score = rulesInForce().functions?.[CHOICE_FUNCTION];
  try {
    const scores = cards.map((card) => [card.name, numberIn(score?.(input, card))] as const);
    return byScores(cards, Object.fromEntries(scores));
  } catch (thrown) {
    return inOrder(cards, `the scoring threw: ${messageOf(thrown)}`);
  }
};

const numberIn = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

/** The task comes to a tier: it takes it, or is asked for it, unless a pure function can say. */
const considerTier = (context: Context, own: Own, tier: number): Own => {
  const { cards, by } = context.options;
  const ranking = inOrder(cards.slice(tier - 1)).ranked;
  const next = { ...own, ranking, isDecided: tier >= cards.length };
  if (next.isDecided || by === 'member') return next;
  const assess = rulesInForce().functions?.[CHOICE_FUNCTION];
  try {
    return placed(context, next, assess?.(context.input, { ...cards[tier - 1], tier }) ?? null);
  } catch (thrown) {
    return unassessed(next, `the assessment threw: ${messageOf(thrown)}`);
  }
};

/** Nobody knows whether it can: it tries, as what it fails at goes on to the next. */
const unassessed = (own: Own, reason: string): Own => ({
  ...own,
  isDecided: true,
  degraded: [...own.degraded, reason],
});

/** What was said of the task for the tier that it has come to. */
const placed = (context: Context, own: Own, said: Json): Own => {
  const { cards } = context.options;
  const read = assessmentSchema().partial().safeParse(saidJson(said));
  if (!read.success) return unassessed(own, 'the task was not assessed');
  const { canHandle = null, complexity: found = null, requiresTier = null } = read.data;
  const complexity = found === null ? null : Math.min(1, Math.max(0, found));
  const tier = cards.length - own.ranking.length + 1;
  const assessment = { canHandle, complexity, requiresTier };
  const assessed = { ...own, assessments: [...own.assessments, { ...assessment, tier }] };
  const goesTo = tierFor(assessment, tier, cards.length);
  if (goesTo === tier) return { ...assessed, isDecided: true };
  const from = cards[tier - 1]?.name ?? '';
  const to = cards[goesTo - 1]?.name ?? '';
  const why = (requiresTier ?? 0) > tier ? `it requires tier ${requiresTier}` : `tier ${tier} cannot do it`;
  const reason = complexity === null ? why : `${why}, complexity ${complexity}`;
  return considerTier(context, { ...assessed, changes: [...own.changes, { from, to, reason }] }, goesTo);
};

const askChooser = (context: Context): Partial<Context> => ({
  ...beginRound(context, [{ member: CHOOSER, input: question(context) }]),
});

const question = ({ options, own, input, team }: Context): Json => {
  const { strategy, cards } = options;
  const task = `Task: ${textOf(input)}`;
  if (strategy === 'semantic') return [task, `Agents:\n${cards.map(cardText).join('\n')}`].join('\n\n');
  if (strategy !== 'tiers')
    return { names: cards.map(({ name }) => name), ticket: `${team.runId} ${team.path}` };
  const tier = cards.length - own.ranking.length + 1;
  const card = cards[tier - 1];
  const who = card === undefined ? '' : cardText(card);
  return [task, `Tier ${tier} of ${cards.length} may take it:\n${who}`].join('\n\n');
};

const cardText = ({ name, description, skills }: Card): string =>
  [`- ${name}`, ...(description === '' ? [] : [description]), ...skills].join(': ');

/** What whoever was asked said. Without a word of use the order is the one given, visibly. */
const readAdvice = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const { strategy, cards } = options;
  const [reply] = repliesOf(context);
  const spent = spentEnd(context);
  if (spent !== undefined) return { end: spent };
  if (reply === undefined) return {};
  if (reply.status === 'aborted') return { end: endOf(reply) };
  const trouble =
    reply.status === 'completed'
      ? null
      : `'${CHOOSER}' ${reply.status}: ${reply.error?.message ?? reply.stopReason.kind}`;
  if (strategy === 'tiers')
    return { own: trouble === null ? placed(context, own, reply.output) : unassessed(own, trouble) };
  return { own: decided(own, trouble === null ? advised(options, reply.output) : inOrder(cards, trouble)) };
};

const advised = ({ strategy, cards }: RouterOptions, output: Json): Ranking => {
  const said = saidJson(output);
  if (strategy === 'semantic') {
    const read = scoresSchema().safeParse(said);
    if (!read.success) return inOrder(cards, 'the judge gave no scores');
    return byScores(cards, Object.fromEntries(read.data.scores.map(({ agent, score }) => [agent, score])));
  }
  return byNames(cards, drawSchema().safeParse(said).data ?? []);
};

/** The task goes to the next in the order, and why is told. */
const giveOn = (context: Context): Partial<Context> => {
  const { own, options, input } = context;
  const [next] = own.ranking;
  if (next === undefined) return {};
  const telling: readonly EventBody[] = [
    ...own.degraded.map((reason): EventBody => ({ type: 'route.degraded', reason })),
    ...own.changes.map((change): EventBody => ({ type: 'route.changed', ...change })),
    { type: 'route.chosen', member: next.member, strategy: options.strategy, ranking: [...own.ranking] },
  ];
  return {
    own: { ...own, tried: [...own.tried, next.member], degraded: [], changes: [] },
    ...beginRound(context, [{ member: next.member, input }], { telling }),
  };
};

/** An answer is the team's; a failure goes on to the next best, as long as there is one and the bound allows it. */
const weigh = (context: Context): Partial<Context> => {
  const { own, options } = context;
  const [reply] = repliesOf(context);
  const spent = spentEnd(context);
  if (reply === undefined) return {};
  const left = reply.output ?? own.left;
  const kept = reply.status === 'completed' || left === null ? {} : { candidate: left };
  const end = { ...endOf(reply), ...kept };
  if (spent !== undefined) return { end: { ...end, ...spent } };
  const [last, next] = own.ranking;
  if (reply.status === 'completed' || reply.status === 'aborted') return { end };
  if (next === undefined || own.tried.length >= options.maxAttempts) return { end };
  const reason = reply.error?.message ?? reply.stopReason.kind;
  const change = { from: last?.member ?? '', to: next.member, reason };
  const failed: Own = { ...own, left, changes: [change] };
  if (options.strategy !== 'tiers') return { own: { ...failed, ranking: own.ranking.slice(1) } };
  return { own: considerTier(context, failed, options.cards.length - own.ranking.length + 2) };
};

const DEFAULTS: RouterOptions = { strategy: 'random', by: 'chance', cards: [], maxAttempts: 1 };
const BEGINNING: Own = {
  ranking: [],
  isDecided: false,
  tried: [],
  assessments: [],
  degraded: [],
  changes: [],
  left: null,
};

/**
 * One of several does the task: the one that fits best, or whose turn it is.
 *
 * Who that is comes from somebody who is asked, from a pure function, or from the name of the run. It never falls to the first in
 * silence: an order that is no choice is told (`route.degraded`).
 */
export const routerMachine = onDemand(() =>
  setupTeam<Own, RouterOptions>()
    .extend({
      actions: {
        choose: assign(({ context }) => choose(context)),
        askChooser: assign(({ context }) => askChooser(context)),
        readAdvice: assign(({ context }) => readAdvice(context)),
        giveOn: assign(({ context }) => giveOn(context)),
        weigh: assign(({ context }) => weigh(context)),
      },
      guards: { isDecided: ({ context }) => context.own.isDecided },
    })
    .createMachine({
      id: 'router',
      description: 'One of several does the task: the one that fits best, or whose turn it is.',
      context: ({ input }: { input: TeamInput<RouterOptions> | undefined }) =>
        teamContext(
          input && { ...input, members: input.options.cards.map(({ name }) => name) },
          BEGINNING,
          DEFAULTS,
        ),
      output: teamOutcome,
      options: { maxIterations: 1_000 },
      initial: 'choosing',
      on: teamArrows,
      states: {
        choosing: {
          description: 'Does somebody have to be asked who it should be?',
          entry: ['choose', { type: 'entered', params: { phase: 'choosing' } }],
          always: [{ guard: 'isDecided', target: 'routing' }, { target: 'consulting' }],
        },
        consulting: {
          description:
            'Somebody who knows is asked who fits best, whose turn it is, or whether this tier can do it.',
          entry: [{ type: 'entered', params: { phase: 'consulting' } }, 'askChooser', 'engageMembers'],
          ...awaiting('reading'),
        },
        reading: {
          description: 'What was said: an order, another tier to ask for, or nothing of use?',
          entry: ['readAdvice', { type: 'entered', params: { phase: 'reading' } }],
          always: [
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isDecided', target: 'routing' },
            { target: 'consulting' },
          ],
        },
        routing: {
          description: 'The one chosen does the task.',
          entry: ['giveOn', { type: 'entered', params: { phase: 'routing' } }, 'engageMembers'],
          ...awaiting('weighing'),
        },
        weighing: {
          description: 'Is that the answer, or does the next best have to try?',
          entry: ['weigh', { type: 'entered', params: { phase: 'weighing' } }],
          always: [
            { guard: 'isCompleted', target: 'completed' },
            { guard: 'hasFailed', target: 'failed' },
            { guard: 'isAborted', target: 'aborted' },
            { guard: 'isStopped', target: 'stopped' },
            { guard: 'isDecided', target: 'routing' },
            { target: 'consulting' },
          ],
        },
        ...teamEnds,
      },
    }),
);
