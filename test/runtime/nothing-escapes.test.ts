import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { MemorySource } from '../../src/contracts/conversations/memory.ts';
import { keepLast } from '../../src/memory/processors/keep-last.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { evaluate } from '../../src/testing/evaluators/evaluate.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { letTimePass, never, quiet, settled, start } from '../support/runs.ts';

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('get');
    },
    has: () => {
      throw new Error('has');
    },
    getPrototypeOf: () => {
      throw new Error('prototype');
    },
    ownKeys: () => {
      throw new Error('keys');
    },
  },
);

const bomb = {
  get message(): never {
    throw new Error('message');
  },
  get code(): never {
    throw new Error('code');
  },
};

const thrower = (thrown: unknown) => (): never => {
  throw thrown;
};

/** Each is what one of a user's functions may do instead of its work. */
const ways: Readonly<Record<string, () => unknown>> = {
  'throws an error': thrower(new Error('boom')),
  'throws null': thrower(null),
  'throws undefined': thrower(undefined),
  'throws a string': thrower('boom'),
  'throws a getter that throws': thrower(bomb),
  'throws a Proxy that throws': thrower(hostile),
  'throws an error that is its own cause': () => {
    const error = new Error('round');
    error.cause = error;
    throw error;
  },
  'rejects with an error': () => Promise.reject(new Error('boom')),
  'rejects with null': () => Promise.reject(null as never),
  'rejects with a Proxy that throws': () => Promise.reject(hostile as never),
  'never settles': () => never(),
  'gives a Proxy that throws': () => hostile,
  // oxlint-disable-next-line unicorn/no-thenable
  'gives a thenable that throws': () => ({ then: thrower(new Error('then')) }),
  'gives a thenable that settles twice': () => ({
    // oxlint-disable-next-line unicorn/no-thenable
    then: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => {
      resolve('x');
      reject(new Error('late'));
      resolve('y');
    },
  }),
};

interface Setup {
  readonly agent?: Partial<AgentOptions<undefined, undefined>>;
  readonly run?: RunOptions;
}

type Breaks = () => never;

const acts = tool({
  name: 'acts',
  description: 'Acts.',
  input: z.object({}),
  timeoutMs: 1_000,
  execute: () => 'fine',
});

/** A memory that does something else in one respect. */
const memoryWith = (change: Partial<MemorySource>): MemorySource => {
  const source = windowMemory();
  return {
    name: 'odd',
    scope: 'run',
    open: (place) => source.open(place),
    release: (place) => source.release(place),
    ...change,
  };
};

/** Each is a place where a user's function is called; in JavaScript it may do anything there. */
const places: Readonly<Record<string, (breaks: Breaks) => Setup>> = {
  observe: (breaks) => ({ agent: { observe: breaks } }),
  decide: (breaks) => ({ agent: { decide: breaks } }),
  prompt: (breaks) => ({ agent: { conversation: { prompt: breaks } } }),
  reduce: (breaks) => ({ agent: { reduce: breaks } }),
  shouldStop: (breaks) => ({ agent: { stop: { shouldStop: breaks } } }),
  'a stop rule': (breaks) => ({ agent: { stop: { name: 'odd', check: breaks } } }),
  'a critic': (breaks) => ({ agent: { critics: [{ name: 'odd', critique: breaks }] } }),
  'a critic of steps': (breaks) => ({
    agent: { critics: [{ name: 'odd', each: 'step', critique: breaks }] },
  }),
  'a hook': (breaks) => ({ run: { hooks: [{ name: 'odd', handle: breaks }] } }),
  'a log': (breaks) => ({
    agent: { tools: [{ ...acts, execute: thrower(new Error('x')) }] },
    run: { log: breaks },
  }),
  'an inspector': (breaks) => ({ run: { inspect: breaks } }),
  'a safety strategy': (breaks) => ({ run: { safety: breaks } }),
  'a person': (breaks) => ({
    agent: { tools: [{ ...acts, needsApproval: () => true }] },
    run: { person: { approve: breaks } },
  }),
  'execute of a tool': (breaks) => ({ agent: { tools: [{ ...acts, execute: breaks }] } }),
  'describe of a tool': (breaks) => ({ agent: { tools: [{ ...acts, describe: breaks }] } }),
  'check of a tool': (breaks) => ({ agent: { tools: [{ ...acts, check: breaks }] } }),
  'needsApproval of a tool': (breaks) => ({ agent: { tools: [{ ...acts, needsApproval: breaks }] } }),
  'the set-up of a toolset': (breaks) => ({ agent: { tools: [{ name: 'odd', tools: [], setup: breaks }] } }),
  'the teardown of a toolset': (breaks) => ({
    agent: { tools: [{ name: 'odd', tools: [], teardown: breaks }] },
  }),
  'a model': (breaks) => ({ agent: { model: { provider: 'odd', id: 'odd', answer: breaks } } }),
  'a recovery handler': (breaks) => ({
    agent: { decide: thrower(new Error('x')), failures: { recovery: { handle: breaks } } },
  }),
  'the review of a strategy': (breaks) => ({ agent: { strategy: { name: 'odd', review: breaks } } }),
  'the decide of a strategy': (breaks) => ({ agent: { strategy: { name: 'odd', decide: breaks } } }),
  'a processor of the conversation': (breaks) => ({
    agent: { conversation: { compaction: { processors: [{ name: 'odd', project: breaks }] } } },
  }),
  'a summariser': (breaks) => ({
    agent: {
      conversation: {
        compaction: {
          processors: [keepLast(1)],
          budget: { soft: 1, hard: 1_000, reserve: 0 },
          summariser: { name: 'odd', summarise: breaks },
        },
      },
    },
  }),
  'the opening of a memory': (breaks) => ({ agent: { memory: memoryWith({ open: breaks }) } }),
  'the release of a memory': (breaks) => ({ agent: { memory: memoryWith({ release: breaks }) } }),
  ...Object.fromEntries(
    ['setup', 'healthCheck', 'reset', 'observe', 'step', 'isTerminal', 'close', 'teardown'].map(
      (hook): [string, (breaks: Breaks) => Setup] => [
        `${hook} of an environment`,
        (breaks) => ({ agent: { environment: { name: 'odd', ops: {}, [hook]: breaks } } }),
      ],
    ),
  ),
};

const escaped: unknown[] = [];
const note = (thrown: unknown): void => void escaped.push(thrown);
process.on('unhandledRejection', note).on('uncaughtException', note);
afterAll(() => {
  process.off('unhandledRejection', note).off('uncaughtException', note);
});

test.each(Object.entries(places))(
  '[P7] whatever %s does, there is one end, it is last, and nothing escapes',
  async (name, place) => {
    escaped.length = 0;
    for (const [way, does] of Object.entries(ways)) {
      // People may take as long as they like.
      if (name === 'a person' && way === 'never settles') continue;
      const clock = virtualClock();
      const setup = place(does as Breaks);
      const one = agent({
        name: 'a',
        tools: [acts],
        model: scriptedModel([calls({ name: 'acts', input: {} }), 'there']),
        failures: { retry: { attempts: 1 } },
        ...setup.agent,
      });
      const person = { approve: () => true };
      const handle = start(one, 'go', { clock, person, ...setup.run });
      handle.events$.subscribe({ next: () => undefined });
      const { events } = await letTimePass(clock, settled(handle), 60_000);
      await quiet();
      const types = events.map(({ type }) => type);
      expect([way, types.at(-1), types.filter((type) => type === 'run.ended').length]).toEqual([
        way,
        'run.ended',
        1,
      ]);
      expect([way, escaped]).toEqual([way, []]);
      // Every event is plain: what was thrown is nowhere in it.
      expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    }
  },
);

test('whatever an evaluator does, it is an evaluation that failed', async () => {
  escaped.length = 0;
  const result = await settled(start(agent({ name: 'a', decide: () => answer('x') }), 'go'));
  for (const [way, does] of Object.entries(ways)) {
    // Nobody but its author waits for it: it has no run that it could hold up.
    if (way === 'never settles') continue;
    const evaluator = { name: 'odd', evaluate: does as Breaks };
    const found = await evaluate(evaluator, { result, input: 'go' });
    await quiet();
    expect([way, found.passed, typeof found.error, escaped]).toEqual([way, false, 'string', []]);
  }
});

test('a subscriber that does any of it harms nobody', async () => {
  escaped.length = 0;
  for (const does of Object.values(ways)) {
    const handle = start(agent({ name: 'a', decide: () => answer('x') }), 'go');
    handle.events$.subscribe(does as () => void);
    const { status } = await settled(handle);
    await quiet();
    expect({ status, escaped }).toEqual({ status: 'completed', escaped: [] });
  }
});
