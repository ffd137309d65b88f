import { agent } from '../../src/runtime/define/agent.ts';
import { changeWorkflow, text, workflow } from '../../src/patterns/index.ts';
import type { NodeScope } from '../../src/runtime/workflows/workflow-builder.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { scripted } from '../support/prompt-book.ts';
import type { Scenario } from './scenarios.ts';
import { outage, says } from './scenarios.ts';

/** Has no tries of its own: its node has. */
const shaky = (name: string, ...script: readonly ScriptedReply[]) =>
  agent({ name, model: scripted(script, name), failures: { retry: { attempts: 1 } } });

/** A function that takes its time, and leaves off when nobody waits for it. */
const slowly =
  <Given>(clock: VirtualClock, ms: number) =>
  (given: Given, { signal }: NodeScope): Promise<Given> =>
    new Promise((resolve) => {
      const timer = clock.setTimeout(() => {
        resolve(given);
      }, ms);
      signal.addEventListener('abort', () => {
        clock.clearTimeout(timer);
      });
    });

export const workflowScenarios: readonly Scenario[] = [
  {
    name: 'a workflow: a diamond of agents and functions, and a list',
    tells: ['member.engaged'],
    make: (clock) => ({
      agent: workflow({ name: 'flow' })
        .node('top', says('ada', 'one two'))
        .node('left', (given: string) => ({ words: given.split(' ') }), { after: 'top' })
        .node('right', slowly<string>(clock, 300), { after: 'top' })
        .map('each', says('bob', 'b1', 'b2'), { over: ({ left }) => left.words, concurrency: 1 })
        .node('bottom', says('carl', 'done'), {
          input: ({ each, right }) => text`${each.at(0)} ${each.at(1)} ${right}`,
        })
        .output('bottom')
        .build(),
    }),
  },
  {
    name: 'a workflow: a node that fails, waits and is tried again',
    tells: ['child.restarted'],
    make: () => ({
      agent: workflow({ name: 'flow' })
        .node('a', shaky('ada', outage(), outage(), 'at last'))
        .node('b', says('bob', 'done'), { after: 'a' })
        .build(),
    }),
  },
  {
    name: 'a workflow: a node that takes too long, and one that is lost for good',
    tells: ['team.noted'],
    make: (clock) => ({
      agent: workflow({ name: 'flow', mode: 'partial' })
        .node('a', slowly(clock, 60_000), { timeMs: 5_000, retry: 1 })
        .node('b', says('bob', 'done'), { after: 'a' })
        .node('c', says('carl', 'fine'))
        .build(),
    }),
  },
  {
    name: 'a workflow: conditions, optional nodes, and one that begins beside another',
    tells: ['team.noted'],
    make: (clock) => ({
      agent: workflow({ name: 'flow' })
        .node('kind', () => 'sale')
        .node('refund', says('ada', 'a'))
        .node('sell', shaky('bob', outage()), { retry: 0, optional: true })
        .node('long', slowly(clock, 1_000))
        .node('beside', says('carl', 'c'))
        .node('reply', (given: unknown) => given, { after: 'beside', join: 'any' })
        .edge('kind', 'refund', { when: (kind) => kind === 'refund' })
        .edge('kind', 'sell', { when: (kind) => kind === 'sale' })
        .edge('long', 'beside', 'co-start')
        .edges([
          ['refund', 'reply'],
          ['sell', 'reply'],
        ])
        .output('reply')
        .build(),
    }),
  },
  // One deed each: whoever goes on with a run after the first does none of those that come after it.
  {
    name: 'a workflow that a node is added to while it runs',
    tells: ['message.sent'],
    make: (clock) => ({
      agent: workflow({ name: 'flow' })
        .node('a', slowly<string>(clock, 2_000))
        .node('b', says('bob', 'b'), { after: 'a' })
        .spare('spare', says('sue', 's'))
        .build(),
      play: async (handle, time) => {
        await time.advance(500);
        handle.send(changeWorkflow.add({ id: 'd', member: 'spare', input: 'after ${b}' }));
      },
    }),
  },
  {
    name: 'a workflow whose held node is released',
    tells: ['message.sent', 'team.noted'],
    make: () => ({
      agent: workflow({ name: 'flow' })
        .node('a', says('ada', 'a'), { held: true })
        .node('b', says('bob', 'b'), { after: 'a' })
        .build(),
      play: async (handle, time) => {
        await time.advance(500);
        handle.send(changeWorkflow.release('a'));
      },
    }),
  },
  {
    name: 'a workflow whose held node nobody releases',
    make: () => ({
      agent: workflow({ name: 'flow', resolveMs: 20_000 })
        .node('a', shaky('ada', outage(), outage()), { retry: 0, exhausted: 'hold' })
        .build(),
    }),
  },
];
