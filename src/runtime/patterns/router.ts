import { z } from 'zod';
import type { Agent } from '../../contracts/agent.ts';
import { answer } from '../../contracts/decision.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Hook } from '../../contracts/event.ts';
import type { Json } from '../../contracts/json.ts';
import { isJsonObject } from '../../contracts/json.ts';
import { onDemand } from '../../coordination/on-demand.ts';
import type { Assessment, Card } from '../../coordination/rank.ts';
import type { RouterOptions } from '../../coordination/router-options.ts';
import {
  assessmentSchema,
  CHOICE_FUNCTION,
  CHOOSER,
  scoresSchema,
} from '../../coordination/router-options.ts';
import { routerMachine } from '../../coordination/router.ts';
import { agent } from '../agent.ts';
import { checkCount } from '../check-count.ts';
import type { EmbeddableAgent } from '../face.ts';
import type { Member, TeamSetup } from '../team.ts';
import { memberOf, setupOf, team } from '../team.ts';
import type { RoleOptions } from './role-of.ts';
import { roleOf } from './role-of.ts';
import type { Rotation, Workload } from './router-counters.ts';
import { rotation, workload } from './router-counters.ts';

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
  | { readonly kind: 'semantic'; readonly judge: Member | RoleOptions }
  /** A pure function does, from 0 to 1; undefined for no score, which counts as 0.5. */
  | { readonly kind: 'semantic'; readonly score: (task: Json, card: RouterCard) => number | undefined }
  /** One after the other, run by run. */
  | { readonly kind: 'round-robin'; readonly turns: Rotation }
  /** Who has the least to do at the moment. */
  | { readonly kind: 'least-loaded'; readonly load: Workload }
  /** From the first tier up: each is judged for the task before it takes it; the top one takes it in any case. */
  | { readonly kind: 'tiers'; readonly judge?: Member | RoleOptions; readonly maxTier?: number }
  | {
      readonly kind: 'tiers';
      /** Pure. */
      readonly assess: (task: Json, tier: RouterCard & { readonly tier: number }) => TierAssessment;
      readonly maxTier?: number;
    };

/** An agent, or an agent with words for what it can do. */
export type Routed<Input, Output> =
  Agent<Input, Output> | { readonly agent: Agent<Input, Output>; readonly skills: readonly string[] };

/** What a router is made of. */
export interface RouterSetup<Input, Output> extends TeamSetup {
  /** By name; of tiers the lowest first. */
  readonly agents: Readonly<Record<string, Routed<Input, Output>>>;
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
 * const desk = router({ name: 'desk', agents: { billing, tech }, strategy: { kind: 'semantic', judge: { model: 'openai:gpt-5.5-mini' } } });
 * const { output } = await desk.run('My invoice is wrong.');
 *
 * @throws {TroupeError} `team.invalid` without agents, for one called `chooser`, for a strategy that there is not, for more
 * tiers than `maxTier` (3), or a number that bounds nothing.
 */
export const router = <Input = string, Output = string>(
  setup: RouterSetup<Input, Output>,
): EmbeddableAgent<Input, Output> => {
  const { name } = setup;
  const entries = Object.entries(setup.agents).map(([role, given]) => {
    const { agent: routed, skills } = 'agent' in given ? given : { agent: given, skills: [] };
    return {
      role,
      routed,
      card: { name: role, description: memberOf(name, role, routed).description, skills },
    };
  });
  if (entries.length === 0 || CHOOSER in setup.agents)
    throw invalid(name, `it needs agents, none of them called '${CHOOSER}'`, Object.keys(setup.agents));
  const cards = entries.map(({ card }) => card);
  const { strategy, by, chooser, choice, load } = choiceOf(name, setup.strategy ?? 'semantic', cards);
  const { hooks = [], ...rest } = setupOf(setup);
  const follow = load === undefined ? [] : [following(name, load)];
  return team({
    ...rest,
    hooks: [...hooks, ...follow],
    machine: routerMachine,
    members: {
      ...Object.fromEntries(entries.map(({ role, routed }) => [role, routed])),
      ...(chooser === undefined ? {} : { [CHOOSER]: chooser }),
    },
    functions: choice === undefined ? {} : { [CHOICE_FUNCTION]: choice },
    options: {
      strategy,
      by,
      cards,
      maxAttempts: checkCount(setup.maxAttempts ?? 3, 1, 'maxAttempts', {
        code: 'team.invalid',
        owner: `the team '${name}'`,
      }),
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
  readonly judge?: Member | RoleOptions;
  readonly score?: (task: Json, card: RouterCard) => number | undefined;
  readonly turns?: Rotation;
  readonly load?: Workload;
  readonly assess?: (task: Json, tier: RouterCard & { readonly tier: number }) => TierAssessment;
  readonly maxTier?: number;
}

const choiceOf = (name: string, given: RouterStrategy, cards: readonly Card[]): Choice => {
  const strategy: AnyStrategy = typeof given === 'string' ? { kind: given } : given;
  switch (strategy.kind) {
    case 'semantic':
      return { strategy: 'semantic', ...semantic(name, strategy) };
    case 'random':
      return { strategy: 'random', by: 'chance' };
    case 'round-robin':
      return {
        strategy: 'round-robin',
        by: 'member',
        chooser: turnsOf(name, strategy.turns ?? rotation()),
      };
    case 'least-loaded': {
      const { load = workload() } = strategy;
      return { strategy: 'least-loaded', by: 'member', chooser: leastOf(name, load), load };
    }
    case 'tiers':
      return { strategy: 'tiers', ...tiers(name, strategy, cards.length) };
    default:
      // In JavaScript anything may stand there.
      throw invalid(name, 'there is no such strategy', strategy.kind);
  }
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
  { judge = {}, assess, maxTier = 3 }: AnyStrategy,
  count: number,
): Omit<Choice, 'strategy'> => {
  if (count > checkCount(maxTier, 1, 'maxTier', { code: 'team.invalid', owner: `the team '${name}'` }))
    throw invalid(name, 'it has more tiers than maxTier allows', `${count} of ${maxTier}`);
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

const invalid = (name: string, why: string, found: unknown): TroupeError =>
  new TroupeError('team.invalid', `Cannot define the team '${name}' as ${why}: ${JSON.stringify(found)}`);
