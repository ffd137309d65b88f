import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { answer, handoff, wait } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Json } from '../../src/base/json/json.ts';
import { isJsonObject } from '../../src/base/json/json.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { maxSteps } from '../../src/machines/stopping/stop-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline, supervisorWorker } from '../../src/patterns/index.ts';
import { calls } from '../../src/testing/scripted-model.ts';
import { scripted } from '../support/prompt-book.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { echo, hang } from '../support/runs.ts';

/** Something to run, made anew for each run, and what happens to it from outside. */
export interface Scenario {
  readonly name: string;
  /** What has to be told for it to be worth comparing. */
  readonly tells?: readonly string[];
  /** What it gives, where that says more than that it ends. */
  readonly output?: unknown;
  readonly make: (clock: VirtualClock) => Staged;
}

/** One staging of a scenario. */
export interface Staged {
  readonly agent: Agent<string, unknown, unknown>;
  readonly options?: RunOptions;
  /** What whoever holds the handle does meanwhile. */
  readonly play?: (handle: RunHandle<unknown, unknown>, clock: VirtualClock) => Promise<void>;
}

/** The outage that passes: retried. */
export const outage = (retryAfterMs?: number): TroupeError =>
  new TroupeError('model.unavailable', 'Cannot answer as the model is down: 503', {
    retryable: 'yes',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const slowly =
  (clock: VirtualClock, ms: number, reply: ScriptedReply): ScriptedReply =>
  () =>
    new Promise((resolve) => {
      clock.setTimeout(() => {
        resolve(reply);
      }, ms);
    });

/** Takes as long as it is told. */
const nap = (clock: VirtualClock) =>
  tool({
    name: 'nap',
    description: 'Sleeps.',
    input: z.object({ ms: z.number() }),
    execute: ({ ms }) =>
      new Promise<string>((resolve) => {
        clock.setTimeout(() => {
          resolve(`slept ${ms}`);
        }, ms);
      }),
  });

const write = tool({
  name: 'write',
  description: 'Writes.',
  input: z.object({ text: z.string() }),
  safety: 'write',
  approval: true,
  execute: ({ text }) => `wrote ${text}`,
});

/** Fails at first; it knows from its call how often it was tried, as a process that takes it up again does. */
const flaky = (failures: number) =>
  tool({
    name: 'flaky',
    description: 'Fails at first.',
    input: z.object({}),
    execute: (_, { attempt }) => {
      if (attempt <= failures) throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
      return 'at last';
    },
  });

/** One that says what it is told to. */
export const says = (name: string, ...script: readonly ScriptedReply[]) =>
  agent({ name, description: `It is ${name}.`, model: scripted(script, name) });

const call = (name: string, input: Json = {}) => ({ name, input });

/** What a supervisor says. */
export const plan = (
  answerText: string | null,
  ...assignments: readonly [worker: string, task: string][]
): string =>
  JSON.stringify({
    assignments: assignments.map(([worker, task]) => ({ worker, task })),
    answer: answerText,
  });

/** Everything that one agent can go through. */
const agentScenarios: readonly Scenario[] = [
  { name: 'an answer at once', make: () => ({ agent: says('ada', '42') }) },
  {
    name: 'parallel calls that finish in another order, and an exclusive one',
    make: (clock) => ({
      agent: agent({
        name: 'ada',
        tools: [nap(clock), echo, tool({ ...exclusively })],
        model: scripted([
          calls(
            call('nap', { ms: 300 }),
            call('nap', { ms: 100 }),
            call('echo', { text: 'x' }),
            call('alone'),
            call('nap', { ms: 50 }),
          ),
          slowly(clock, 20, 'done'),
        ]),
      }),
    }),
  },
  {
    name: 'a model that is tried again, and one that takes over',
    make: () => ({
      agent: agent({
        name: 'ada',
        model: [
          scripted([outage(2_000), outage(), outage()], 'first'),
          scripted([outage(), 'saved'], 'second'),
        ],
      }),
    }),
  },
  {
    name: 'a model that is down for good',
    make: () => ({ agent: says('ada', outage(), outage(), outage()) }),
  },
  {
    name: 'an empty answer, then one',
    make: () => ({ agent: says('ada', '', 'better') }),
  },
  {
    name: 'a tool that is tried again',
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [flaky(2), echo],
        model: scripted([calls(call('flaky'), call('echo', { text: 'y' })), 'done']),
      }),
    }),
  },
  {
    name: 'a tool that takes too long',
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [tool({ ...sleepless, timeoutMs: 5_000, retry: false }), echo],
        model: scripted([calls(call('sleepless'), call('echo', { text: 'y' })), 'done']),
      }),
    }),
  },
  ...[true, false].map((isApproved): Scenario => ({
    name: `a call that a person ${isApproved ? 'approves' : 'denies'}`,
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [write, echo],
        model: scripted([calls(call('write', { text: 'a' }), call('echo', { text: 'b' })), 'done']),
      }),
      play: async (handle, clock) => {
        await clock.advance(10);
        if (isApproved) handle.approve('call_0_0');
        else handle.deny('call_0_0', 'not today');
      },
    }),
  })),
  {
    name: 'an abort while tools run',
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [hang, echo],
        model: scripted([calls(call('hang'), call('echo', { text: 'x' }), call('hang'))]),
      }),
      play: async (handle, clock) => {
        await clock.advance(10);
        handle.abort('enough');
      },
    }),
  },
  {
    name: 'an abort in a retry wait',
    make: () => ({
      agent: says('ada', outage(30_000)),
      play: async (handle, clock) => {
        await clock.advance(5_000);
        handle.abort('enough');
      },
    }),
  },
  {
    name: 'a wait by time, one by message, and messages on the way',
    make: () => ({
      agent: agent({
        name: 'ada',
        decide: ({ step, transcript }) =>
          step === 0 ? wait('a while', 500) : step === 1 ? wait('a word') : answer(transcript.length),
      }),
      play: async (handle, clock) => {
        await clock.advance(1_000);
        handle.send('hello');
      },
    }),
  },
  {
    name: 'a wait that a message ends, and then a longer one',
    make: () => ({
      agent: agent({
        name: 'ada',
        decide: ({ step, tally }) =>
          step === 0 ? wait('a word', 5_000) : step === 1 ? wait('a while', 20_000) : answer(tally.now),
      }),
      play: async (handle, clock) => {
        await clock.advance(1_000);
        handle.send('hello');
      },
    }),
  },
  {
    name: 'a handoff',
    make: () => ({ agent: agent({ name: 'ada', decide: () => handoff('billing', 'a refund') }) }),
  },
  {
    name: 'critics that revise, break, and accept',
    make: () => ({
      agent: agent({
        name: 'ada',
        model: scripted(['first', 'second']),
        critics: [
          {
            name: 'strict',
            critique: ({ candidate }) =>
              candidate === 'first' ? { verdict: 'revise', note: 'more' } : { verdict: 'accept' },
          },
          {
            name: 'broken',
            each: 'step',
            critique: () => {
              throw new Error('oops');
            },
          },
        ],
      }),
    }),
  },
  {
    name: 'critics that are never content',
    make: () => ({
      agent: agent({
        name: 'ada',
        model: scripted(['1', '2', '3']),
        critics: [{ name: 'no', critique: () => Promise.resolve({ verdict: 'revise', note: 'no' }) }],
      }),
    }),
  },
  {
    name: 'a structured answer that is repaired',
    make: () => ({
      agent: agent({
        name: 'ada',
        output: z.object({ n: z.number() }),
        model: scripted(['not json', '{"n":"four"}', '{"n":4}']),
      }),
    }),
  },
  {
    name: 'an agent with an environment, a state and a condition of its own',
    make: () => ({
      agent: agent({
        name: 'ada',
        state: { seen: 0 },
        observe: async ({ step }) => Promise.resolve({ weather: step }),
        reduce: ({ state, observation }) => ({ seen: state.seen + 1, last: observation ?? null }),
        stop: {
          shouldStop: ({ state }) => (isJsonObject(state) && state['seen'] === 3 ? 'seen enough' : undefined),
        },
        tools: [echo],
        model: scripted([
          calls(call('echo', { text: '1' })),
          calls(call('echo', { text: '2' })),
          calls(call('echo', { text: '3' })),
        ]),
      }),
    }),
  },
  {
    name: 'tools that there are not',
    make: () => ({
      agent: says('ada', calls(call('no')), calls(call('nope')), calls(call('never'))),
    }),
  },
  {
    name: 'a limit of steps',
    make: () => ({
      agent: agent({
        name: 'ada',
        stop: maxSteps(2),
        tools: [echo],
        model: scripted([calls(call('echo', { text: '1' })), calls(call('echo', { text: '2' }))]),
      }),
    }),
  },
  {
    name: 'a reducer that throws',
    make: () => ({
      agent: agent({
        name: 'ada',
        model: scripted(['x']),
        reduce: () => {
          throw new Error('oops');
        },
      }),
    }),
  },
  {
    name: 'a toolset that cannot be set up',
    make: () => ({
      agent: agent({
        name: 'ada',
        model: scripted(['x']),
        tools: [
          toolset({
            name: 'files',
            tools: [echo],
            setup: () => {
              throw new Error('no disk');
            },
          }),
        ],
      }),
    }),
  },
  {
    name: 'a child run by a tool, and one that fails',
    make: () => {
      const child = says('child', 'from below');
      const broken = says('broken', new Error('dead'));
      const delegate = tool({
        name: 'delegate',
        description: 'Has somebody else do it.',
        input: z.object({ isBroken: z.boolean() }),
        execute: async ({ isBroken }, context) =>
          (await context.run(isBroken ? broken : child, 'please')).output ?? 'nothing',
      });
      return {
        agent: agent({
          name: 'ada',
          tools: [delegate],
          model: scripted([
            calls(call('delegate', { isBroken: false }), call('delegate', { isBroken: true })),
            'done',
          ]),
        }),
      };
    },
  },
  {
    name: 'a run that is stepped from the start',
    make: () => ({
      agent: agent({
        name: 'ada',
        tools: [echo],
        model: scripted([calls(call('echo', { text: 'x' })), 'done']),
      }),
      options: { paused: true },
      play: async (handle, clock) => {
        await handle.step('effect');
        await clock.advance(10);
        await handle.step();
        handle.resume();
      },
    }),
  },
];

const exclusively = {
  name: 'alone',
  description: 'Runs alone.',
  input: z.object({}),
  safety: 'write',
  execute: () => 'alone',
} as const;

const sleepless = {
  name: 'sleepless',
  description: 'Does not come back.',
  input: z.object({}),
  execute: () => new Promise<string>(() => undefined),
} as const;

/** Everything that the patterns can go through. */
const teamScenarios: readonly Scenario[] = [
  {
    name: 'a supervisor that plans, corrects itself, and answers',
    make: (clock) => ({
      agent: supervisorWorker({
        name: 'desk',
        supervisor: {
          model: scripted([
            plan(null, ['nobody', 'x']),
            plan(null, ['ann', '1'], ['bob', '2'], ['ann', '3'], ['carl', '4'], ['bob', '5']),
            plan('all done'),
          ]),
        },
        workers: {
          ann: says('ann', slowly(clock, 300, 'a1'), 'a2'),
          bob: says('bob', slowly(clock, 100, 'b1'), outage(), 'b2'),
          carl: says('carl', new Error('broken')),
        },
        concurrency: 2,
      }),
    }),
  },
  {
    name: 'a supervisor whose replies are the result',
    make: () => ({
      agent: supervisorWorker({
        name: 'desk',
        result: 'replies',
        supervisor: { model: scripted([plan(null, ['ann', '1'], ['bob', '2'])]) },
        workers: { ann: says('ann', 'a'), bob: says('bob', 'b') },
      }),
    }),
  },
  {
    name: 'a supervisor that never comes to an end',
    make: () => ({
      agent: supervisorWorker({
        name: 'desk',
        maxRounds: 2,
        supervisor: {
          model: scripted([plan(null, ['ann', '1']), plan(null, ['ann', '2']), plan(null, ['ann', '3'])]),
        },
        workers: { ann: says('ann', 'a', 'b') },
      }),
    }),
  },
  {
    name: 'an abort of a team whose member never answers',
    make: () => ({
      agent: supervisorWorker({
        name: 'desk',
        supervisor: { model: scripted([plan(null, ['ann', '1'], ['bob', '2'])]) },
        workers: {
          ann: says('ann', () => new Promise<string>(() => undefined)),
          bob: says('bob', 'b'),
        },
      }),
      play: async (handle, clock) => {
        await clock.advance(100);
        handle.abort('enough');
      },
    }),
  },
  {
    name: 'a pipeline, with a map',
    make: () => ({
      agent: pipeline({
        name: 'report',
        stages: [
          says('finder', 'facts'),
          {
            agent: says('writer', 'text'),
            map: (previous, first) => `${JSON.stringify(first)}: ${JSON.stringify(previous)}`,
          },
          says('editor', 'TEXT'),
        ],
      }),
    }),
  },
  {
    name: 'a pipeline whose second stage fails',
    make: () => ({
      agent: pipeline({
        name: 'report',
        stages: [says('a', 'x'), says('b', new Error('dead')), says('c', 'z')],
      }),
    }),
  },
  {
    name: 'a team in a team, with a message on the way',
    make: (clock) => ({
      agent: pipeline({
        name: 'outer',
        stages: [
          supervisorWorker({
            name: 'inner',
            supervisor: { model: scripted([plan(null, ['ann', '1']), plan('inner done')]) },
            workers: { ann: says('ann', slowly(clock, 500, 'a')) },
          }),
          says('last', 'end'),
        ],
      }),
      play: async (handle, now) => {
        await now.advance(100);
        handle.send('hurry', 'outer/inner-1');
      },
    }),
  },
];

/** Every machine and every pattern, in every way that can end. */
export const scenarios: readonly Scenario[] = [...agentScenarios, ...teamScenarios];
