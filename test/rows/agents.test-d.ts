import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Content } from '../../src/contracts/content/part.ts';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import type { Json } from '../../src/base/json/json.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';

test('[QITOS-69] input and answer have the types of their schemas: what goes in, and what comes out', () => {
  const guide = agent({
    name: 'guide',
    input: z.object({ city: z.string(), days: z.string().transform(Number).default(1) }),
    output: z.object({ plan: z.array(z.string()) }),
    conversation: {
      prompt: (trip) => {
        expectTypeOf(trip).toEqualTypeOf<{ city: string; days: number }>();
        return trip.city;
      },
    },
  });
  expectTypeOf(guide.run).parameter(0).toEqualTypeOf<{ city: string; days?: string | undefined }>();
  expectTypeOf(guide.run).returns.resolves.toEqualTypeOf<RunResult<{ plan: string[] }>>();
  expectTypeOf(guide.stream).returns.toEqualTypeOf<RunHandle<{ plan: string[] }>>();
  // @ts-expect-error: a city is a text.
  void guide.run({ city: 1 });
});

test('[QITOS-69] without schemas, an agent takes a text or parts, and gives text', () => {
  const plain = agent({ name: 'plain' });
  expectTypeOf(plain).toExtend<Agent>();
  expectTypeOf(plain.run).parameter(0).toEqualTypeOf<Content>();
  expectTypeOf(plain.run).returns.resolves.toEqualTypeOf<RunResult<string>>();
});

test('[QITOS-69] the state flows from where it starts to every function that sees it, and into the result', () => {
  interface Count {
    readonly count: number;
    readonly [key: string]: Json;
  }
  const state: Count = { count: 0 };
  const counter = agent({
    name: 'counter',
    state,
    observe: (view) => {
      expectTypeOf(view.state).toEqualTypeOf<Count>();
      return undefined;
    },
    decide: (view) => {
      expectTypeOf(view.state).toEqualTypeOf<Count>();
      return answer(view.state.count);
    },
    reduce: (view) => {
      expectTypeOf(view.state).toEqualTypeOf<Count>();
      return { count: view.state.count + 1 };
    },
  });
  expectTypeOf(counter.run).returns.resolves.toEqualTypeOf<RunResult<string, Count>>();
  agent({
    name: 'wrong',
    state: { count: 0 },
    // @ts-expect-error: the count is gone.
    reduce: () => ({ sum: 1 }),
  });
});

test('[QITOS-69] what is observed flows to whoever decides and to whoever reduces', () => {
  agent({
    name: 'sailor',
    state: { storms: 0 },
    observe: async ({ state }) => (state.storms > 3 ? undefined : { wind: 12, from: 'west' }),
    decide: ({ observation }) => {
      expectTypeOf(observation).toEqualTypeOf<{ wind: number; from: string } | undefined>();
      return answer(observation?.from ?? 'nowhere');
    },
    reduce: ({ state, observation }) => ({ storms: state.storms + Number((observation?.wind ?? 0) > 10) }),
  });
  agent({
    name: 'blind',
    decide: ({ observation }) => {
      expectTypeOf(observation).toEqualTypeOf<Json | undefined>();
      return undefined;
    },
  });
  // @ts-expect-error: what is observed becomes part of the run, and a function is no JSON.
  agent({ name: 'odd', observe: () => ({ look: () => 'no' }) });
});

test('[QITOS-69] a state that begins as a text, a number or a boolean may become any', () => {
  const text = agent({ name: 'a', state: '', reduce: ({ state }) => `${state}x` });
  expectTypeOf(text.run).returns.resolves.toEqualTypeOf<RunResult<string, string>>();
  const count = agent({
    name: 'a',
    state: 0,
    reduce: ({ state }) => state + 1,
    decide: ({ state }) => answer(state.toFixed()),
  });
  expectTypeOf(count.run).returns.resolves.toEqualTypeOf<RunResult<string, number>>();
  const flag = agent({ name: 'a', state: false, reduce: ({ state }) => !state });
  expectTypeOf(flag.run).returns.resolves.toEqualTypeOf<RunResult<string, boolean>>();
  type Door = 'open' | 'closed';
  const door = agent({
    name: 'a',
    state: 'open' as Door,
    reduce: ({ state }) => (state === 'open' ? 'closed' : 'open'),
  });
  expectTypeOf(door.run).returns.resolves.toEqualTypeOf<RunResult<string, Door>>();
  const list = agent({ name: 'a', state: [] as string[], reduce: ({ state }) => [...state, 'x'] });
  expectTypeOf(list.run).returns.resolves.toEqualTypeOf<RunResult<string, string[]>>();
  // @ts-expect-error: a number is no text.
  agent({ name: 'a', state: '', reduce: () => 1 });
});
