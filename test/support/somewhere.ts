import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { wait } from '../../src/contracts/agents/decision.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { Memory, MemorySource } from '../../src/contracts/conversations/memory.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { toolset } from '../../src/tools/wrappers/compose.ts';
import { intercepted } from '../../src/tools/wrappers/interceptors.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { echo, hang, never } from './runs.ts';

const model = (...script: Parameters<typeof scriptedModel>[0]) => scriptedModel(script);

const busy = new TroupeError('model.rate-limited', 'Cannot answer as it is busy: 429', { retryable: 'yes' });

const approved = tool({
  name: 'approved',
  description: 'Waits for a person.',
  input: z.object({}),
  approval: true,
  execute: () => 'done',
});

const flaky = tool({
  name: 'flaky',
  description: 'Fails.',
  input: z.object({}),
  retry: { attempts: 3, initialWaitMs: 10_000 },
  execute: () => {
    throw Object.assign(new Error('busy'), { code: 'ECONNRESET' });
  },
});

const unsure = tool({
  name: 'unsure',
  description: 'Is never sure.',
  input: z.object({}).refine(() => never<boolean>()),
  execute: () => 'done',
});

const patient = tool({
  name: 'patient',
  description: 'May take as long as it likes.',
  input: z.object({}),
  timeoutMs: Infinity,
  execute: () => 'done',
});

/** A memory that does nothing, of which some functions are others. */
const silent = (own: Partial<Memory>): MemorySource => ({
  name: 'silent',
  scope: 'run',
  open: () =>
    Promise.resolve({
      append: () => undefined,
      recall: () => [],
      summarise: () => '',
      evict: () => 0,
      reset: () => undefined,
      ...own,
    }),
  release: () => Promise.resolve(),
});

const said = (text: string) => ({ text, ...calls({ name: 'echo', input: { text } }) });

const forgetful = {
  name: 'fog',
  scope: 'run',
  open: () => never<Memory>(),
  release: () => never<void>(),
} as const;

const asks = tool({
  name: 'asks',
  description: 'Asks a person.',
  input: z.object({}),
  timeoutMs: Infinity,
  execute: (_, context) => context.ask('Are you sure?'),
});

/** A run that is somewhere, for ever; and the phase that its root announced last. */
export interface Somewhere {
  readonly where: string;
  readonly phase: string;
  readonly make: () => Agent<string, unknown, unknown>;
  readonly options?: RunOptions;
  /** Something was set up that never comes down: an end waits 50 ms for it. */
  readonly tearsDown?: true;
  /** What is left behind has a time-out of its own. */
  readonly outlasts?: true;
}

/** Every place that a run of one agent can hang in. */
export const somewhere: readonly Somewhere[] = [
  {
    where: 'preparing, in a toolset that never comes up',
    phase: 'preparing',
    tearsDown: true,
    make: () =>
      agent({
        name: 'a',
        model: model('x'),
        tools: [toolset({ name: 'slow', tools: [echo], setup: () => never<void>() })],
      }),
  },
  {
    where: 'preparing, held at the gate',
    phase: 'preparing',
    make: () => agent({ name: 'a', model: model('x') }),
    options: { paused: true },
  },
  {
    where: 'observing',
    phase: 'OBSERVE',
    make: () => agent({ name: 'a', model: model('x'), observe: () => never<string>() }),
  },
  {
    where: 'deciding by itself',
    phase: 'DECIDE',
    make: () => agent({ name: 'a', model: model('x'), decide: () => never<undefined>() }),
  },
  {
    where: 'waiting for a model that ignores its signal',
    phase: 'DECIDE',
    make: () => agent({ name: 'a', model: model(() => never<string>()) }),
  },
  {
    where: 'waiting before a model is tried again',
    phase: 'DECIDE',
    // Its own back-off, of half a minute at least: a wait that a provider asks for is not begun if there is no time for it.
    make: () =>
      agent({
        name: 'a',
        model: model(busy),
        failures: { retry: { adaptive: true, initialWaitMs: 60_000 } },
      }),
  },
  {
    where: 'waiting for tools that ignore their signal',
    phase: 'ACT',
    make: () =>
      agent({
        name: 'a',
        tools: [hang],
        model: model(calls({ name: 'hang', input: {} }, { name: 'hang', input: {} })),
      }),
  },
  {
    where: 'waiting before a tool is tried again',
    phase: 'ACT',
    make: () => agent({ name: 'a', tools: [flaky], model: model(calls({ name: 'flaky', input: {} })) }),
  },
  {
    where: 'waiting for an approval',
    phase: 'ACT',
    make: () => agent({ name: 'a', tools: [approved], model: model(calls({ name: 'approved', input: {} })) }),
  },
  {
    where: 'waiting for a person who never approves',
    phase: 'ACT',
    make: () => agent({ name: 'a', tools: [approved], model: model(calls({ name: 'approved', input: {} })) }),
    options: { person: { approve: () => never<boolean>() } },
  },
  {
    where: 'waiting for an answer of a person',
    phase: 'ACT',
    make: () => agent({ name: 'a', tools: [asks], model: model(calls({ name: 'asks', input: {} })) }),
  },
  {
    where: 'with its critics',
    phase: 'CRITIC',
    make: () => agent({ name: 'a', model: model('x'), critics: [{ name: 'slow', critique: () => never() }] }),
  },
  {
    where: 'waiting for a message',
    phase: 'waiting',
    make: () => agent({ name: 'a', decide: () => wait('a word') }),
  },
  {
    where: 'waiting for its time',
    phase: 'waiting',
    make: () => agent({ name: 'a', decide: () => wait('a while', 60_000) }),
  },
  {
    where: 'consulting a safety strategy',
    phase: 'ACT',
    make: () =>
      agent({ name: 'a', tools: [echo], model: model(calls({ name: 'echo', input: { text: 'x' } })) }),
    options: { safety: () => never() },
  },
  {
    where: 'preparing, in an environment that never comes up',
    phase: 'preparing',
    tearsDown: true,
    make: () =>
      agent({
        name: 'a',
        model: model('x'),
        environment: { name: 'e', ops: {}, setup: () => never<void>() },
      }),
  },
  {
    where: 'looking at its environment',
    phase: 'OBSERVE',
    make: () =>
      agent({
        name: 'a',
        model: model('x'),
        environment: { name: 'e', ops: {}, observe: () => never<string>() },
      }),
  },
  {
    where: 'recalling',
    phase: 'OBSERVE',
    tearsDown: true,
    outlasts: true,
    make: () => agent({ name: 'a', model: model('x'), memory: forgetful }),
  },
  {
    where: 'waiting for what its environment makes of a call',
    phase: 'ACT',
    make: () =>
      agent({
        name: 'a',
        tools: [echo],
        model: model(calls({ name: 'echo', input: { text: 'x' } })),
        environment: { name: 'e', ops: {}, step: () => never() },
      }),
  },
  {
    where: 'checking the arguments of a call',
    phase: 'ACT',
    make: () => agent({ name: 'a', tools: [unsure], model: model(calls({ name: 'unsure', input: {} })) }),
  },
  {
    where: 'waiting for its policy of recovery',
    phase: 'DECIDE',
    make: () =>
      agent({
        name: 'a',
        model: model('x'),
        decide: () => Promise.reject(new Error('broken')),
        failures: { recovery: { handle: () => never() } },
      }),
  },
  {
    where: 'recalling from a memory that never answers',
    phase: 'OBSERVE',
    tearsDown: true,
    outlasts: true,
    make: () => agent({ name: 'a', model: model('x'), memory: { sources: silent({ recall: never }) } }),
  },
  {
    where: 'waiting until its memory has taken a step',
    phase: 'OBSERVE',
    tearsDown: true,
    outlasts: true,
    make: () =>
      agent({
        name: 'a',
        tools: [echo],
        model: model(calls({ name: 'echo', input: { text: 'x' } }), 'x'),
        memory: { sources: silent({ append: () => never<void>() }), recall: { k: 0 } },
      }),
  },
  {
    where: 'having its conversation summarised',
    phase: 'DECIDE',
    make: () =>
      agent({
        name: 'a',
        tools: [echo],
        model: model(...Array.from({ length: 20 }, (_, at) => said(`${at} ${'word '.repeat(30)}`)), 'x'),
        conversation: {
          compaction: {
            budget: { soft: 300, hard: 600, reserve: 100 },
            summariser: { name: 'slow', summarise: () => never() },
          },
        },
      }),
  },
  {
    where: 'waiting for a strategy that decides',
    phase: 'DECIDE',
    make: () =>
      agent({ name: 'a', model: model('x'), strategy: { name: 's', decide: () => never<undefined>() } }),
  },
  {
    where: 'waiting for a strategy that reviews what was decided',
    phase: 'DECIDE',
    make: () => agent({ name: 'a', model: model('x'), strategy: { name: 's', review: () => never() } }),
  },
  {
    where: 'waiting for an executor of calls',
    phase: 'ACT',
    make: () => agent({ name: 'a', tools: [patient], model: model(calls({ name: 'patient', input: {} })) }),
    options: { executor: () => never() },
  },
  {
    where: 'waiting for a resource that executes calls',
    phase: 'ACT',
    make: () => agent({ name: 'a', tools: [patient], model: model(calls({ name: 'patient', input: {} })) }),
    options: { resources: [{ execute: () => never() }] },
  },
  {
    where: 'waiting for a resource that wraps models',
    phase: 'DECIDE',
    make: () => agent({ name: 'a', model: model('x') }),
    options: { resources: [{ around: (inner) => ({ ...inner, answer: () => never() }) }] },
  },
  ...(['before', 'after'] as const).map((moment) => ({
    where: `waiting for an interceptor ${moment} a call`,
    phase: 'ACT',
    make: () =>
      agent({
        name: 'a',
        tools: [intercepted(patient, [{ name: 'slow', [moment]: () => never<undefined>() }])],
        model: model(calls({ name: 'patient', input: {} })),
      }),
  })),
];
