import { wait } from '../../src/contracts/agents/decision.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { awaitDelegates, callOffDelegate } from '../../src/tools/built-in/delegation/delegation-controls.ts';
import type { DelegateOptions } from '../../src/tools/built-in/delegation/delegate.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { fanOut } from '../../src/tools/built-in/delegation/fan-out.ts';
import { scripted } from '../support/prompt-book.ts';
import { echo, hang } from '../support/runs.ts';
import type { Scenario } from './scenarios.ts';
import { outage, says } from './scenarios.ts';

const give = (to: string, task = 'Find out.', id?: string) => ({
  name: 'delegate',
  input: { to, task, ...(id === undefined ? {} : { id }) },
});
const awaits = { name: 'await_delegates', input: {} };
const look = { name: 'echo', input: { text: 'x' } };

/** An agent that takes some time over each step. */
const taking = (clock: VirtualClock, name: string, ms: number, ...script: readonly ScriptedReply[]) =>
  agent({
    name,
    model: scripted(script, name),
    tools: [echo],
    observe: () =>
      new Promise<undefined>((resolve) => {
        clock.setTimeout(() => {
          resolve(undefined);
        }, ms);
      }),
  });

const leading = (options: DelegateOptions, ...script: readonly ScriptedReply[]) =>
  agent({
    name: 'lead',
    model: scripted(script, 'lead'),
    tools: [delegate(options), awaitDelegates, callOffDelegate, echo],
  });

/** Work that is given away, in each of its ways. */
export const delegationScenarios: readonly Scenario[] = [
  {
    name: 'work in the background: two come back shortly after each other, a third late',
    tells: ['delegation.began', 'delegation.returned'],
    make: (clock) => ({
      agent: leading(
        {
          to: [
            taking(clock, 'quick', 400, calls(look), 'quickly'),
            taking(clock, 'soon', 900, 'soon'),
            taking(clock, 'late', 5_000, outage(), 'late'),
          ],
          mode: 'background',
        },
        calls(give('quick'), give('soon'), give('late'), awaits),
        calls(look),
        calls(awaits),
        'done',
        // Whoever begins anew takes their time anew: one of them may be out yet.
        'done',
      ),
    }),
  },
  {
    name: 'an answer that is put back while work is under way, and work that is left behind',
    tells: ['delegation.began'],
    make: () => ({
      agent: leading(
        { to: [agent({ name: 'slow', decide: () => wait('for long', 60_000) })], mode: 'background' },
        calls(give('slow')),
        'too early',
        'without it',
      ),
    }),
  },
  {
    name: 'an answer that waits for work, which waits for work',
    tells: ['delegation.returned'],
    make: (clock) => {
      const deep = taking(clock, 'deep', 700, calls(look), 'deep');
      const middle = agent({
        name: 'middle',
        model: scripted([calls(give('deep')), 'not yet', 'middle'], 'middle'),
        tools: [delegate({ to: [deep], mode: 'background', beforeEnd: 'wait' })],
      });
      return {
        agent: leading(
          { to: [middle], mode: 'background', beforeEnd: 'wait' },
          calls(give('middle')),
          'not yet',
          'whole',
        ),
      };
    },
  },
  {
    name: 'work that is gone on with: at work, when it is done, and not after it was called off',
    make: (clock) => ({
      agent: leading(
        {
          to: [taking(clock, 'worker', 300, calls(look), 'first', 'second', 'third')],
          mode: 'background',
          followUps: true,
        },
        calls(give('worker')),
        calls(give('worker', 'Hurry.', 'worker-0_0')),
        calls(awaits),
        calls(give('worker', 'More.', 'worker-0_0')),
        calls({ name: 'call_off_delegate', input: { id: 'worker-0_0' } }),
        calls(give('worker', 'Again.', 'worker-0_0')),
        'done',
      ),
    }),
  },
  {
    name: 'an answer that is waited for, gone on with, and to another of itself',
    make: () => ({
      agent: leading(
        { to: [says('worker', 'first', 'second')], self: true, followUps: true, sees: 'summary' },
        calls(give('worker')),
        calls(give('worker', 'More.', 'worker-0_0')),
        calls(give('self', 'A part.')),
        'the part',
        'done',
      ),
    }),
  },
  {
    name: 'a team and one that fails, in the background, with a part of the budget',
    tells: ['delegation.returned'],
    make: () => ({
      agent: leading(
        {
          to: [
            pipeline({ name: 'desk', stages: [says('first', 'draft'), says('second', 'final')] }),
            says('broken', new Error('broken')),
            agent({
              name: 'long',
              model: scripted([calls(look), calls(look), 'never'], 'long'),
              tools: [echo],
            }),
          ],
          mode: 'background',
          budget: { share: 0.2 },
        },
        calls(give('desk'), give('broken'), give('long'), awaits),
        calls(awaits),
        calls(awaits),
        'done',
        'done',
      ),
      options: { limits: { budget: { steps: 10 } } },
    }),
  },
  {
    name: 'several at the same time, one of them out of time, one that fails',
    make: (clock) => ({
      agent: agent({
        name: 'lead',
        model: scripted(
          [
            calls({
              name: 'fan_out',
              input: {
                tasks: [
                  { to: 'quick', task: 'a' },
                  { to: 'stuck', task: 'b' },
                  { to: 'broken', task: 'c' },
                  { to: 'quick', task: 'd' },
                ],
              },
            }),
            'done',
          ],
          'lead',
        ),
        tools: [
          fanOut({
            to: [
              taking(clock, 'quick', 300, 'one', 'two'),
              agent({
                name: 'stuck',
                model: scripted([calls({ name: 'hang', input: {} })], 'stuck'),
                tools: [hang],
              }),
              says('broken', new Error('broken')),
            ],
            concurrency: 2,
            timeoutMs: 2_000,
          }),
        ],
      }),
    }),
  },
];
