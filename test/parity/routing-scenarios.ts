import { router } from '../../src/runtime/patterns/index.ts';
import { scripted } from '../support/prompt-book.ts';
import type { Scenario } from './scenarios.ts';
import { outage, says } from './scenarios.ts';

const judged = (scores: Readonly<Record<string, number>>) =>
  JSON.stringify({ scores: Object.entries(scores).map(([agent, score]) => ({ agent, score })) });

/** Who does it: chosen, handed on to, or sent by somebody who does nothing else. */
export const routingScenarios: readonly Scenario[] = [
  {
    name: 'a router whose judge chooses one that fails, and the next best does it',
    tells: ['route.chosen', 'route.changed'],
    make: () => ({
      agent: router({
        name: 'switch',
        strategy: { kind: 'semantic', judge: { model: scripted([judged({ ann: 0.9, bob: 0.5 })]) } },
        agents: { bob: says('bob', 'b'), ann: says('ann', new Error('dead')) },
      }),
    }),
  },
  {
    name: 'a router whose judge is down, and whose members are restarted',
    tells: ['route.degraded', 'child.restarted'],
    make: () => ({
      agent: router({
        name: 'switch',
        supervision: {},
        strategy: {
          kind: 'semantic',
          judge: { model: scripted([new Error('no judge')]), asMember: { restart: 'temporary' } },
        },
        agents: { ann: says('ann', outage(), outage(), outage(), 'a'), bob: says('bob', 'b') },
      }),
    }),
  },
  {
    name: 'a router by tiers, up to the top',
    tells: ['route.changed'],
    make: () => ({
      agent: router({
        name: 'tiers',
        strategy: {
          kind: 'tiers',
          judge: { model: scripted(['{"canHandle":false,"complexity":0.9,"requiresTier":null}']) },
        },
        agents: { low: says('low', 'l'), high: says('high', 'h') },
      }),
    }),
  },
  ...(['round-robin', 'random', 'least-loaded'] as const).map((strategy) => ({
    name: `a router, ${strategy}`,
    tells: ['route.chosen'],
    make: () => ({
      agent: router({
        name: 'switch',
        strategy,
        agents: { ann: says('ann', new Error('dead')), bob: says('bob', 'b') },
      }),
    }),
  })),
];
