import { messageOf } from '../contracts/errors/error.ts';
import type { EventBody } from '../contracts/events/event.ts';
import type { Json } from '../base/json/json.ts';
import { anything, wholeNumber } from '../base/schemas/option-schemas.ts';
import type { Card } from '../coordination/round/card.ts';
import { saidJson, textOf } from '../coordination/round/said-json.ts';
import { beginRound } from '../coordination/round/settle-reply.ts';
import type { TeamContext } from '../coordination/round/team-context.ts';
import { endOf, repliesOf, spentEnd } from '../coordination/round/team-context.ts';
import { OUTSIDE } from '../machines/diagrams/composition.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { TeamSetup } from '../runtime/define/team.ts';
import { setupOf } from '../runtime/define/team.ts';
import { pattern } from './setup/pattern.ts';
import type { RouterStrategy } from './setup/routing-choice.ts';
import { choiceOf, following } from './setup/routing-choice.ts';
import { setupShape } from './setup/setup-schema.ts';
import type { Skilled } from './skilled.ts';
import { skilledMembers } from './skilled.ts';
import type { Assessment, Ranking } from './state/rank.ts';
import { byChance, byNames, byScores, inOrder, tierFor } from './state/rank.ts';
import type { RouterOptions } from './state/router-options.ts';
import {
  CHOICE_FUNCTION,
  CHOOSER,
  assessmentSchema,
  drawSchema,
  scoresSchema,
} from './state/router-options.ts';
import { rulesInForce } from '../machines/in-force.ts';

/** The members of a router, and its strategy. */
export interface RouterSetup<Input, Output> extends TeamSetup {
  /** By name; of tiers the lowest first. */
  readonly members: Readonly<Record<string, Skilled<Input, Output>>>;
  /** Default `semantic`. */
  readonly strategy?: RouterStrategy | undefined;
  /** Agents that are tried for a task, the first included. Default 3; 1: the first failure is the router's. */
  readonly maxAttempts?: number | undefined;
}

type Change = { readonly from: string; readonly to: string; readonly reason: string };

/** The ranking of the members for a task, and those that had it. */
export type RouterState = {
  /** The member that has it and those that would be next, the best first; of tiers all from the one that it came to. */
  readonly ranking: Ranking['ranked'];
  /** Those that had the task, in order; the last has it, or had it last. */
  readonly tried: readonly string[];
  /** The assessments of the task, tier by tier. */
  readonly assessments: readonly (Assessment & { readonly tier: number })[];
};

type Own = RouterState & {
  readonly isDecided: boolean;
  /** Reasons to publish when the task is given on. */
  readonly degraded: readonly string[];
  readonly changes: readonly Change[];
  /** The candidate of one that failed. */
  readonly left: Json;
};
type Context = TeamContext<Own, RouterOptions>;

const takeRanking = (own: Own, { ranked, degraded }: Ranking): Own => ({
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
  if (by === 'chance') return { own: takeRanking(own, byChance(cards, `${team.runId}/${team.path}`)) };
  if (strategy === 'semantic' && textOf(input).trim() === '')
    return { own: takeRanking(own, inOrder(cards, 'there is no task to choose by')) };
  return by === 'function' ? { own: takeRanking(own, scoreMembers(context)) } : { own };
};

const scoreMembers = ({ options: { cards }, input }: Context): Ranking => {
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
    return takeAssessment(context, next, assess?.(context.input, { ...cards[tier - 1], tier }) ?? null);
  } catch (thrown) {
    return tryUnassessed(next, `the assessment threw: ${messageOf(thrown)}`);
  }
};

/** Nobody knows whether it can: it tries, as what it fails at goes on to the next. */
const tryUnassessed = (own: Own, reason: string): Own => ({
  ...own,
  isDecided: true,
  degraded: [...own.degraded, reason],
});

/** Takes the assessment of the task for the tier that it has come to. */
const takeAssessment = (context: Context, own: Own, said: Json): Own => {
  const { cards } = context.options;
  const read = assessmentSchema().partial().safeParse(saidJson(said));
  if (!read.success) return tryUnassessed(own, 'the task was not assessed');
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

/** Reads the advice. Without a word of use the order is the one given, visibly. */
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
    return {
      own: trouble === null ? takeAssessment(context, own, reply.output) : tryUnassessed(own, trouble),
    };
  return {
    own: takeRanking(own, trouble === null ? takeAdvice(options, reply.output) : inOrder(cards, trouble)),
  };
};

const takeAdvice = ({ strategy, cards }: RouterOptions, output: Json): Ranking => {
  const said = saidJson(output);
  if (strategy === 'semantic') {
    const read = scoresSchema().safeParse(said);
    if (!read.success) return inOrder(cards, 'the judge gave no scores');
    return byScores(cards, Object.fromEntries(read.data.scores.map(({ agent, score }) => [agent, score])));
  }
  return byNames(cards, drawSchema().safeParse(said).data ?? []);
};

/** Gives the task to the next in the order, and publishes why. */
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
 * Gives a task to one of several agents: the one that fits best, whose turn it is, who has the least to do, or any.
 *
 * Nothing falls to the first in silence: a judge that fails, names nobody or finds two equally good is an event (`route.degraded`), and
 * the order given counts then. Who fails is followed by the next best (`route.changed`). `random` follows from the
 * run's id. `round-robin` and `least-loaded` count over the runs of this router in this process, unless they are given a counter to
 * share; a replayed run keeps the turn that it had.
 *
 * Not for work that needs several of them (`supervisorWorker`, `parallel`), nor where a rule of your own could say who it is:
 * then ask that agent.
 *
 * @example
 * const desk = router({ name: 'desk', members: { billing, tech }, strategy: { kind: 'semantic', judge: { model: 'openai:gpt-5.5-mini' } } });
 * const { output } = await desk.run('My invoice is wrong.');
 *
 * @throws {TroupeError} `team.invalid` without members, for one called `chooser`, for a strategy that there is not, for more
 * tiers than `maxTier` (3), or a number that bounds nothing.
 */
export const router = pattern({
  name: 'router',
  description: 'One of several does the task: the one that fits best, or whose turn it is.',
  setup: () =>
    setupShape<RouterSetup<unknown, unknown>>({
      members: anything(),
      strategy: anything(),
      maxAttempts: wholeNumber(1),
    }),
  defaults: DEFAULTS,
  own: BEGINNING,
  handsOnTo: ({ cards }) => cards.map(({ name }) => name),
  actions: { choose, askChooser, readAdvice, giveOn, weigh },
  guards: { isDecided: ({ own }) => own.isDecided },
  initial: 'choosing',
  states: {
    choosing: {
      description: 'Does somebody have to be asked who it should be?',
      entry: 'choose',
      always: [{ guard: 'isDecided', target: 'routing' }, 'consulting'],
    },
    consulting: {
      description:
        'Somebody who knows is asked who fits best, whose turn it is, or whether this tier can do it.',
      entry: 'askChooser',
      awaits: 'reading',
    },
    reading: {
      description: 'What was said: an order, another tier to ask for, or nothing of use?',
      entry: 'readAdvice',
      always: ['aborted', 'stopped', { guard: 'isDecided', target: 'routing' }, 'consulting'],
    },
    routing: {
      description: 'The one chosen does the task.',
      entry: 'giveOn',
      awaits: 'weighing',
    },
    weighing: {
      description: 'Is that the answer, or does the next best have to try?',
      entry: 'weigh',
      always: [
        'completed',
        'failed',
        'aborted',
        'stopped',
        { guard: 'isDecided', target: 'routing' },
        'consulting',
      ],
    },
  },
  team:
    (open) =>
    <Input = string, Output = string>(
      setup: RouterSetup<Input, Output>,
    ): EmbeddableAgent<Input, Output, RouterState> => {
      const { check, make } = open(setup);
      const { name, strategy: given = 'semantic', maxAttempts = 3 } = setup;
      check.asked('members', setup.members, { reserved: [CHOOSER] });
      const { cards, members } = skilledMembers(name, setup.members, check);
      const { strategy, by, chooser, choice, load } = choiceOf(name, given, cards, check);
      const { hooks = [], ...rest } = setupOf(setup);
      const follow = load === undefined ? [] : [following(name, load)];
      const chooses = chooser === undefined ? `the choice: ${strategy}` : CHOOSER;
      return make({
        flow: [
          [OUTSIDE, chooses],
          [chooses, cards.map((card) => card.name), 'one of them'],
          [cards.map((card) => card.name), OUTSIDE],
        ],
        ...rest,
        hooks: [...hooks, ...follow],
        members: { ...members, ...(chooser === undefined ? {} : { [CHOOSER]: chooser }) },
        functions: choice === undefined ? {} : { [CHOICE_FUNCTION]: choice },
        options: {
          strategy,
          by,
          cards,
          maxAttempts,
        } satisfies RouterOptions,
      });
    },
});
