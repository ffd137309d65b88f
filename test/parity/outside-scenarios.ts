import { z } from 'zod';
import { agentCritic } from '../../src/actors/critics/agent-critic.ts';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { answer, wait } from '../../src/contracts/agents/decision.ts';
import type { Environment } from '../../src/contracts/environments/environment.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { colleagues } from '../../src/tools/messages/colleagues.ts';
import { scripted } from '../support/prompt-book.ts';
import { echo, hang } from '../support/runs.ts';
import type { Scenario } from './scenarios.ts';
import { outage, plan, says } from './scenarios.ts';

const looks = (text: string) => calls({ name: 'echo', input: { text } });
const call = (name: string, input = {}) => ({ name, input });

/** Comes back after a while. */
const later = <T>(clock: VirtualClock, ms: number, value: T): Promise<T> =>
  new Promise((resolve) => {
    clock.setTimeout(() => {
      resolve(value);
    }, ms);
  });

const nap = (clock: VirtualClock) =>
  tool({
    name: 'nap',
    description: 'Sleeps.',
    input: z.object({ ms: z.number() }),
    execute: ({ ms }) => later(clock, ms, `slept ${ms}`),
  });

/** Has another do it, in its own run. */
const having = (name: string, who: Agent<string, unknown>, times = 1, timeoutMs = 60_000) =>
  tool({
    name,
    description: `Has ${who.name} do it.`,
    input: z.object({}),
    timeoutMs,
    retry: false,
    execute: async (_, { run }) => {
      const all = await Promise.all(Array.from({ length: times }, (__, index) => run(who, `do ${index}`)));
      return all.map(({ output }) => JSON.stringify(output)).join(', ');
    },
  });

const questions = tool({
  name: 'questions',
  description: 'Asks twice.',
  input: z.object({}),
  timeoutMs: Infinity,
  execute: async (_, { ask, progress }) => {
    progress('asking');
    const first = await ask('What?');
    progress('asking again');
    return `${first} and ${await ask('Why?')}`;
  },
});

const file = tool({
  name: 'file',
  description: 'Writes a file.',
  input: z.object({}),
  cacheable: true,
  execute: () => 'x'.repeat(200_000),
});

const world = (): Environment => {
  let pushes = 0;
  return {
    name: 'button',
    ops: {},
    reset: () => 'nothing yet',
    observe: () => `seen ${pushes}`,
    step: () => ({ observation: `pushed ${(pushes += 1)}` }),
    isTerminal: () => false,
    teardown: () => {
      throw new Error('it is stuck');
    },
  };
};

/** What comes into a run from outside, and what its effects run. */
export const outsideScenarios: readonly Scenario[] = [
  {
    name: 'tools that come and go, and another model, in mid-run',
    tells: ['tool.added', 'tool.removed'],
    make: (clock) => ({
      agent: agent({
        name: 'ada',
        tools: [echo, nap(clock)],
        model: scripted([
          calls(call('nap', { ms: 1_000 })),
          calls(call('extra.more', { text: 'm' }), call('echo', { text: 'gone' })),
          'done',
        ]),
      }),
      play: async (handle, now) => {
        await now.advance(500);
        await handle.addTools([
          toolset({
            name: 'extra',
            tools: [{ ...echo, name: 'more' }],
            setup: () => Promise.resolve(),
            teardown: () => Promise.reject(new Error('it is stuck')),
          }),
        ]);
        handle.removeTool('echo');
      },
    }),
  },
  {
    name: 'two who would ask each other, and a word from outside',
    tells: ['message.sent', 'message.dropped'],
    make: (clock) => {
      const talks = (name: string, script: Parameters<typeof scripted>[0], first: 'waits' | 'speaks') =>
        agent({
          name,
          tools: [colleagues({ askTimeoutMs: 100_000 }), nap(clock)],
          mailbox: { unread: 'read' },
          model: scripted(script),
          ...(first === 'waits' ? { decide: ({ step }) => (step === 0 ? wait('a word') : undefined) } : {}),
        });
      const says = (name: string, input: object) => call(`colleagues.${name}`, input);
      const bob = talks(
        'bob',
        [
          calls(says('ask', { to: 'cy', text: 'you first?' })),
          calls(says('subscribe', { topic: 'news' }), call('nap', { ms: 5_000 })),
          calls(says('reply', { text: '42' })),
          'bob answered',
          'bob read on',
        ],
        'waits',
      );
      const cy = talks(
        'cy',
        [
          calls(says('ask', { to: 'bob', text: 'what is it?' })),
          calls(says('publish', { topic: 'news', text: 'it is 42' })),
          'cy knows',
        ],
        'speaks',
      );
      const crew = tool({
        name: 'crew',
        description: 'Has both work.',
        input: z.object({}),
        timeoutMs: Infinity,
        retry: false,
        execute: async (_, { run }) => {
          const ends = await Promise.all([run(bob, 'go'), run(cy, 'go')]);
          return ends.map(({ output }) => output).join(', ');
        },
      });
      return {
        agent: agent({ name: 'ada', tools: [crew], model: scripted([calls(call('crew')), 'done']) }),
        play: async (handle, now) => {
          await now.advance(1_000);
          handle.send('hurry', 'ada/bob-0');
        },
      };
    },
  },
  {
    name: 'children of one effect side by side, one of them tried again, and a word to one',
    tells: ['model.retrying'],
    make: (clock) => ({
      agent: agent({
        name: 'ada',
        tools: [having('crew', says('child', outage(), looks('x'), 'one', 'two', 'three'), 2), nap(clock)],
        model: scripted([calls(call('crew'), call('nap', { ms: 200 })), 'done']),
      }),
    }),
  },
  {
    name: 'a child that waits for a word, within a child of an effect',
    make: () => {
      const waiting = agent({
        name: 'waiting',
        decide: ({ step }) => (step === 0 ? wait('a word', 60_000) : answer('heard')),
      });
      const middle = agent({
        name: 'middle',
        tools: [having('deeper', waiting)],
        model: scripted([calls(call('deeper')), 'passed on']),
      });
      return {
        agent: agent({
          name: 'ada',
          tools: [having('deep', pipeline({ name: 'line', stages: [middle, says('after', 'later')] }))],
          model: scripted([calls(call('deep')), 'done']),
        }),
        play: async (handle, clock) => {
          await clock.advance(500);
          handle.send('wake up', 'ada/line-0/middle-1/waiting-0');
        },
      };
    },
  },
  {
    name: 'an effect out of time, whose child is stopped',
    tells: ['member.ended'],
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [
          having(
            'slow',
            agent({
              name: 'slow-child',
              tools: [hang, echo],
              model: scripted([calls(call('echo', { text: 'x' }), call('hang'))]),
            }),
            1,
            5_000,
          ),
          echo,
        ],
        model: scripted([calls(call('slow'), call('echo', { text: 'y' })), 'done']),
      }),
    }),
  },
  {
    name: 'an abort while the child of an effect works',
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [
          having(
            'busy',
            agent({
              name: 'busy-child',
              tools: [hang],
              model: scripted([calls(call('hang')), calls(call('hang'))]),
            }),
          ),
        ],
        model: scripted([calls(call('busy'), call('busy'))]),
      }),
      play: async (handle, now) => {
        await now.advance(3_000);
        handle.abort('enough');
      },
    }),
  },
  {
    name: 'an effect that asks a person twice',
    tells: ['person.asked', 'tool.progressed'],
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [questions, echo],
        model: scripted([calls(call('questions')), 'done']),
      }),
      options: { person: { answer: (question) => Promise.resolve(`since you ask ${question}`) } },
    }),
  },
  {
    name: 'observers that fail',
    tells: ['observer.failed'],
    make: () => ({
      agent: agent({ name: 'ada', tools: [echo], model: scripted([looks('a'), looks('b'), 'done']) }),
      options: {
        hooks: [
          {
            name: 'bad',
            handle: ({ type }) => {
              if (type === 'tool.started') throw new Error('oops');
            },
          },
        ],
      },
    }),
  },
  {
    name: 'a budget of time, and a child with a budget of its own',
    tells: ['budget.warned'],
    make: (clock) => ({
      agent: agent({
        name: 'ada',
        limits: { budget: { timeMs: 4_000, toolCalls: 5, tokens: 1_000 } },
        tools: [
          nap(clock),
          having(
            'frugal',
            agent({
              name: 'frugal-child',
              limits: { budget: { steps: 2 } },
              tools: [echo, nap(clock)],
              model: scripted([calls(call('nap', { ms: 1_500 })), looks('y'), 'too late']),
            }),
          ),
        ],
        model: scripted([calls(call('frugal')), calls(call('nap', { ms: 3_000 })), 'too late, too']),
      }),
    }),
  },
  {
    name: 'an environment that cannot be let go of',
    tells: ['toolset.failed'],
    make: () => ({
      agent: agent({
        name: 'ada',
        environment: world,
        tools: [echo],
        model: scripted([looks('a'), looks('b'), 'done']),
      }),
    }),
  },
  {
    name: 'a judge that revises, and accepts, in a team with memory',
    tells: ['agent.critiqued', 'memory.recalled'],
    make: () => ({
      agent: pipeline({
        name: 'desk',
        stages: [
          says('finder', looks('x'), 'facts'),
          agent({
            name: 'writer',
            memory: { sources: windowMemory(), recall: { each: 'step' } },
            model: scripted(['first', 'second']),
            critics: [
              agentCritic({
                name: 'reader',
                judge: agent({
                  name: 'judge',
                  output: z.object({ verdict: z.enum(['accept', 'revise']), note: z.string() }),
                  model: scripted([
                    '{"verdict":"revise","note":"more"}',
                    'no json',
                    '{"verdict":"accept","note":"good"}',
                  ]),
                }),
                material: ({ candidate }) => JSON.stringify(candidate),
              }),
            ],
          }),
        ],
      }),
    }),
  },
  {
    name: 'a long output, answered from the cache the second time',
    tells: ['text.spilled'],
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [file],
        model: scripted([calls(call('file')), calls(call('file')), 'done']),
      }),
    }),
  },
  {
    name: 'delegates of delegates, and a denial by the safety strategy',
    tells: ['tool.denied'],
    make: () => {
      const last = says('last', looks('never'), 'from the bottom');
      const between = agent({
        name: 'between',
        tools: [delegate({ to: [last] }), echo],
        model: scripted([
          calls(call('echo', { text: 'no' }), call('delegate', { to: 'last', task: 'dig' })),
          'passed on',
        ]),
      });
      return {
        agent: supervisorWorker({
          name: 'desk',
          supervisor: { model: scripted([plan(null, ['lead', '1'], ['ann', '2']), plan('all done')]) },
          workers: {
            lead: agent({
              name: 'lead',
              tools: [delegate({ to: [between] })],
              model: scripted([calls(call('delegate', { to: 'between', task: 'go' })), 'led']),
            }),
            ann: says('ann', 'a'),
          },
        }),
        options: {
          safety: ({ tool: name }) =>
            Promise.resolve(name === 'echo' ? { verdict: 'deny', reason: 'not here' } : { verdict: 'allow' }),
        },
      };
    },
  },
  {
    name: 'one call, slow, that is paused over and gone on with',
    tells: ['run.paused', 'run.resumed'],
    make: (clock) => ({
      agent: agent({
        name: 'ada',
        tools: [nap(clock), echo],
        model: scripted([calls(call('nap', { ms: 1_000 })), looks('z'), 'done']),
      }),
      play: async (handle, now) => {
        await now.advance(500);
        handle.pause();
        await now.advance(2_000);
        handle.resume();
      },
    }),
  },
  {
    name: 'a message to a member that is not there, and ones that come too late',
    tells: ['message.dropped'],
    make: (clock) => ({
      agent: pipeline({
        name: 'line',
        stages: [
          agent({
            name: 'one',
            tools: [nap(clock)],
            model: scripted([calls(call('nap', { ms: 1_000 })), '1']),
          }),
          agent({
            name: 'two',
            tools: [nap(clock)],
            model: scripted([calls(call('nap', { ms: 1_000 })), '2']),
          }),
        ],
      }),
      play: async (handle, now) => {
        await now.advance(1_500);
        handle.send('hello?', 'line/one-1');
        handle.send('hello!', 'line/two-2');
      },
    }),
  },
];
