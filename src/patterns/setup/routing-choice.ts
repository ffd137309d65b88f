import * as z from 'zod';
import { answer } from '../../contracts/agents/decision.ts';
import type { Hook } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { Card } from '../../coordination/round/card.ts';
import { agent } from '../../runtime/define/agent.ts';
import { isRecord } from '../../base/json/is-record.ts';
import type { Member } from '../../runtime/define/team.ts';
import type { Rotation, Workload } from '../router-counters.ts';
import { rotation, workload } from '../router-counters.ts';
import type { Assessment } from '../state/rank.ts';
import type { RouterOptions } from '../state/router-options.ts';
import { CHOOSER, assessmentSchema, scoresSchema } from '../state/router-options.ts';
import type { SetupCheck } from './check-setup.ts';
import type { Role } from './role-of.ts';
import { roleOf } from './role-of.ts';

/** The card of an agent, as a pure function that chooses sees it. */
export type RouterCard = Card;

/** The assessment of a task before a tier takes it. */
export type TierAssessment = Assessment;

/** The strategy by which an agent is chosen; a name alone stands for the strategy with its defaults. */
export type RouterStrategy =
  | 'semantic'
  | 'round-robin'
  | 'random'
  | 'least-loaded'
  | 'tiers'
  /** A model scores the agents by their descriptions and skills; the default model, if none is given. */
  | { readonly kind: 'semantic'; readonly judge: Role }
  /** A pure function does, from 0 to 1; undefined for no score, which counts as 0.5. */
  | { readonly kind: 'semantic'; readonly score: (task: Json, card: RouterCard) => number | undefined }
  /** One after the other, run by run. */
  | { readonly kind: 'round-robin'; readonly turns: Rotation }
  /** The agent that has the least to do at the moment. */
  | { readonly kind: 'least-loaded'; readonly load: Workload }
  /** From the first tier up: each is judged for the task before it takes it; the top one takes it in any case. */
  | { readonly kind: 'tiers'; readonly judge?: Role; readonly maxTier?: number }
  | {
      readonly kind: 'tiers';
      /** Pure. */
      readonly assess: (task: Json, tier: RouterCard & { readonly tier: number }) => TierAssessment;
      readonly maxTier?: number;
    };

/** A strategy as the chart has it, with the member or function that decides. */
export interface Choice extends Pick<RouterOptions, 'strategy' | 'by'> {
  readonly chooser?: Member | undefined;
  readonly choice?: ((...values: readonly Json[]) => Json) | undefined;
  readonly load?: Workload | undefined;
}

/** Every strategy in one: what is there follows from the kind. */
interface AnyStrategy {
  readonly kind: string;
  readonly judge?: Role;
  readonly score?: (task: Json, card: RouterCard) => number | undefined;
  readonly turns?: Rotation;
  readonly load?: Workload;
  readonly assess?: (task: Json, tier: RouterCard & { readonly tier: number }) => TierAssessment;
  readonly maxTier?: number;
}

/** Makes the choice of a strategy, and checks it. */
export const choiceOf = (
  name: string,
  given: RouterStrategy,
  cards: readonly Card[],
  check: SetupCheck,
): Choice => {
  const strategy: AnyStrategy = isRecord(given) ? given : { kind: given };
  check.rule('strategy.score', strategy.score);
  check.rule('strategy.assess', strategy.assess);
  switch (strategy.kind) {
    case 'semantic':
      return { strategy: 'semantic', ...semantic(name, strategy) };
    case 'random':
      return { strategy: 'random', by: 'chance' };
    case 'round-robin':
      return {
        strategy: 'round-robin',
        by: 'member',
        chooser: turnsOf(name, counterOf(check, strategy.turns, rotation, 'turns', 'next')),
      };
    case 'least-loaded': {
      const load = counterOf(check, strategy.load, workload, 'load', 'take');
      return { strategy: 'least-loaded', by: 'member', chooser: leastOf(name, load), load };
    }
    case 'tiers':
      return { strategy: 'tiers', ...tiers(name, strategy, cards.length, check) };
    default:
      // In JavaScript anything may stand there.
      return check.refuse(
        'there is no such strategy',
        Object.hasOwn(strategy, 'kind') ? strategy.kind : given,
      );
  }
};

/** A counter that was given, or a new one. */
const counterOf = <Counter extends object>(
  check: SetupCheck,
  given: Counter | undefined,
  make: () => Counter,
  option: string,
  method: keyof Counter & string,
): Counter => {
  if (given === undefined) return make();
  return typeof Object(given)[method] === 'function'
    ? given
    : check.refuse(`its strategy.${option} has no '${method}'`, given);
};

const semantic = (name: string, { score, judge = {} }: AnyStrategy): Omit<Choice, 'strategy'> => {
  if (score === undefined) return { by: 'member', chooser: roleOf(judge, judging(name)) };
  const choice = (task: Json = null, card: Json = null): Json => score(task, cardIn(card)) ?? null;
  return { by: 'function', choice };
};

const judging = (name: string) => ({
  team: name,
  role: CHOOSER,
  instructions:
    'You are given a task and the agents that could do it. Say of every agent how well it fits the task, from 0 to 1, by what is said of it. Do not do the task.',
  output: scoresSchema(),
});

const tiers = (
  name: string,
  { judge = {}, assess, maxTier }: AnyStrategy,
  count: number,
  check: SetupCheck,
): Omit<Choice, 'strategy'> => {
  const most = check.count('strategy.maxTier', maxTier, 3);
  if (count > most) check.refuse(`it has more tiers than maxTier allows, which is ${most}`, count);
  if (assess === undefined) return { by: 'member', chooser: roleOf(judge, assessing(name)) };
  const choice = (task: Json = null, card: Json = null): Json => {
    const tier = isJsonObject(card) && typeof card['tier'] === 'number' ? card['tier'] : 1;
    return assess(task, { ...cardIn(card), tier });
  };
  return { by: 'function', choice };
};

const assessing = (name: string) => ({
  team: name,
  role: CHOOSER,
  instructions:
    'You are given a task and the tier that may take it. Say whether that tier can do it, how complex the task is, and which tier it requires at least. Do not do the task.',
  output: assessmentSchema(),
});

const cardSchema = onDemand(() =>
  z.object({ name: z.string(), description: z.string(), skills: z.array(z.string()) }),
);

const cardIn = (card: Json): Card => cardSchema().parse(card);

const drawSchema = onDemand(() => z.object({ names: z.array(z.string()), ticket: z.string() }));

/** Asks the rotation, as an effect that is on record. */
const turnsOf = (name: string, turns: Rotation): Member =>
  agent({
    name: `${name}-turns`,
    input: drawSchema(),
    output: z.array(z.string()),
    decide: async ({ input }) => {
      const { names } = drawSchema().parse(input);
      const turn = (await turns.next()) % names.length;
      return answer([...names.slice(turn), ...names.slice(0, turn)]);
    },
  });

/** Asks the workload, as an effect that is on record. */
const leastOf = (name: string, load: Workload): Member =>
  agent({
    name: `${name}-load`,
    input: drawSchema(),
    output: z.array(z.string()),
    decide: ({ input }) => {
      const { names, ticket } = drawSchema().parse(input);
      return answer(load.take(names, ticket));
    },
  });

/** Follows who has a task by the events of this router; it is over with its end or that of the run. */
export const following = (name: string, load: Workload): Hook => ({
  name: 'workload',
  handle: (event) => {
    if (event.agent === name || event.type === 'run.ended') load.follow(event);
  },
});
