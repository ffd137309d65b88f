import * as z from 'zod';
import { answer } from '../../contracts/decision.ts';
import type { Hook } from '../../contracts/event.ts';
import type { Json } from '../../contracts/json.ts';
import { isJsonObject } from '../../contracts/json.ts';
import { onDemand } from '../../contracts/on-demand.ts';
import type { Card } from '../../coordination/round/card.ts';
import type { Assessment } from '../../coordination/state/rank.ts';
import type { RouterOptions } from '../../coordination/state/router-options.ts';
import {
  assessmentSchema,
  CHOICE_FUNCTION,
  CHOOSER,
  scoresSchema,
} from '../../coordination/state/router-options.ts';
import type { RouterState } from '../../coordination/router.ts';
import { routerMachine } from '../../coordination/router.ts';
import { agent } from '../define/agent.ts';
import type { EmbeddableAgent } from '../define/face.ts';
import type { Member, TeamSetup } from '../define/team.ts';
import { setupOf, team } from '../define/team.ts';
import type { SetupCheck } from './setup/check-setup.ts';
import { isRecord } from '../define/is-record.ts';
import { checkSetup } from './setup/check-setup.ts';
import type { Role } from './setup/role-of.ts';
import { roleOf } from './setup/role-of.ts';
import type { Rotation, Workload } from './router-counters.ts';
import { rotation, workload } from './router-counters.ts';
import type { Skilled } from './skilled.ts';
import { skilledMembers } from './skilled.ts';

/** What a pure function that chooses sees of an agent. */
export type RouterCard = Card;

/** What is said of a task before a tier takes it. */
export type TierAssessment = Assessment;

/** How it is decided who does the task; a name alone stands for the strategy with its defaults. */
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
  /** Who has the least to do at the moment. */
  | { readonly kind: 'least-loaded'; readonly load: Workload }
  /** From the first tier up: each is judged for the task before it takes it; the top one takes it in any case. */
  | { readonly kind: 'tiers'; readonly judge?: Role; readonly maxTier?: number }
  | {
      readonly kind: 'tiers';
      /** Pure. */
      readonly assess: (task: Json, tier: RouterCard & { readonly tier: number }) => TierAssessment;
      readonly maxTier?: number;
    };

/** What a router is made of. */
export interface RouterSetup<Input, Output> extends TeamSetup {
  /** By name; of tiers the lowest first. */
  readonly members: Readonly<Record<string, Skilled<Input, Output>>>;
  /** Default `semantic`. */
  readonly strategy?: RouterStrategy | undefined;
  /** Agents that are tried for a task, the first included. Default 3; 1: the first failure is the router's. */
  readonly maxAttempts?: number | undefined;
}

/**
 * Gives a task to one of several agents: the one that fits best, whose turn it is, who has the least to do, or any.
 *
 * Nothing falls to the first in silence: a judge that fails, names nobody or finds two equally good is told of (`route.degraded`), and
 * the order given counts then. Who fails is followed by the next best (`route.changed`). `random` follows from the
 * run's id. `round-robin` and `least-loaded` count over the runs of this router in this process, unless they are given a counter to
 * share; a run that is gone through again keeps the turn that it had.
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
export const router = <Input = string, Output = string>(
  setup: RouterSetup<Input, Output>,
): EmbeddableAgent<Input, Output, RouterState> => {
  const check = checkSetup(setup);
  const { name, strategy: given = 'semantic' } = setup;
  check.asked('members', setup.members, { reserved: [CHOOSER] });
  const { cards, members } = skilledMembers(name, setup.members, check);
  const { strategy, by, chooser, choice, load } = choiceOf(name, given, cards, check);
  const { hooks = [], ...rest } = setupOf(setup);
  const follow = load === undefined ? [] : [following(name, load)];
  return team({
    ...rest,
    hooks: [...hooks, ...follow],
    machine: routerMachine,
    members: { ...members, ...(chooser === undefined ? {} : { [CHOOSER]: chooser }) },
    functions: choice === undefined ? {} : { [CHOICE_FUNCTION]: choice },
    options: {
      strategy,
      by,
      cards,
      maxAttempts: check.count('maxAttempts', setup.maxAttempts, 3),
    } satisfies RouterOptions,
  });
};

interface Choice extends Pick<RouterOptions, 'strategy' | 'by'> {
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

const choiceOf = (name: string, given: RouterStrategy, cards: readonly Card[], check: SetupCheck): Choice => {
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

/** Who has the task is told by this router; when it is over, by its end or that of the run. */
const following = (name: string, load: Workload): Hook => ({
  name: 'workload',
  handle: (event) => {
    if (event.agent === name || event.type === 'run.ended') load.follow(event);
  },
});
