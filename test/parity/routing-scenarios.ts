import { agent } from '../../src/runtime/define/agent.ts';
import { handoffs, router } from '../../src/patterns/index.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import { handoffTool } from '../../src/tools/built-in/delegation/handoff.ts';
import { scripted } from '../support/prompt-book.ts';
import type { Scenario } from './scenarios.ts';
import { outage, says } from './scenarios.ts';

const judged = (scores: Readonly<Record<string, number>>) =>
  JSON.stringify({ scores: Object.entries(scores).map(([agent, score]) => ({ agent, score })) });

const passes = (name: string, to: string, ...then: readonly string[]) =>
  agent({
    name,
    state: { seen: name },
    tools: [handoffTool({ ann: '', bob: '', carl: '' })],
    model: scripted([calls({ name: 'handoff', input: { to, message: `from ${name}` } }), ...then], name),
  });

/** Who does it: chosen, handed on to, or sent by somebody who does nothing else. */
export const routingScenarios: readonly Scenario[] = [
  {
    name: 'a router whose judge chooses one that fails, and the next best does it',
    tells: ['route.chosen', 'route.changed'],
    make: () => ({
      agent: router({
        name: 'switch',
        strategy: { kind: 'semantic', judge: { model: scripted([judged({ ann: 0.9, bob: 0.5 })]) } },
        members: { bob: says('bob', 'b'), ann: says('ann', new Error('dead')) },
      }),
    }),
  },
  {
    name: 'a router whose judge is down, and whose members are restarted',
    tells: ['route.degraded', 'child.restarted'],
    make: () => ({
      agent: router({
        name: 'switch',
        failures: { supervision: {} },
        strategy: {
          kind: 'semantic',
          judge: {
            model: scripted([new Error('no judge')]),
            failures: { asMember: { restart: 'temporary' } },
          },
        },
        members: { ann: says('ann', outage(), outage(), outage(), 'a'), bob: says('bob', 'b') },
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
        members: { low: says('low', 'l'), high: says('high', 'h') },
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
        members: { ann: says('ann', new Error('dead')), bob: says('bob', 'b') },
      }),
    }),
  })),
  ...(['conversation', 'summary', 'task'] as const).map((sees) => ({
    name: `handoffs whose receiver sees the ${sees}, one of them refused`,
    tells: ['task.handed-over', 'handoff.refused'],
    make: () => ({
      agent: handoffs({
        name: 'relay',
        sees,
        fields: ['seen'],
        members: {
          ann: passes('ann', 'bob'),
          bob: passes('bob', 'ann', 'then I do it'),
          carl: says('carl', 'c'),
        },
      }),
    }),
  })),
  {
    name: 'a handoff to one that is restarted, with the conversation that it was given',
    tells: ['child.restarted'],
    make: () => ({
      agent: handoffs({
        name: 'relay',
        sees: 'conversation',
        failures: { supervision: {} },
        members: { ann: passes('ann', 'carl'), carl: says('carl', new Error('dead'), 'c') },
      }),
    }),
  },
];
