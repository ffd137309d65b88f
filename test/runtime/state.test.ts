import { expect, test } from 'vitest';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { Json, JsonObject } from '../../src/base/json/json.ts';
import type { StopRule } from '../../src/contracts/agents/stop-rule.ts';
import { anyOf } from '../../src/machines/stopping/composed-rules.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { echo, ofType, settled, start } from '../support/runs.ts';

interface Seen extends JsonObject {
  count: number;
  seen: string[];
}

/** As from JavaScript, where no type says what a state may be. */
const untyped = (value: unknown): Json => value as Json;

const endless: Record<string, unknown> = {};
endless['self'] = endless;

const odd: readonly (readonly [found: string, value: unknown])[] = [
  ['a Date at state.part', new Date(0)],
  ['a function at state.part', () => 1],
  ['a URL at state.part', new URL('http://localhost')],
  ['a bigint at state.part', 1n],
  ['a cycle at state.part.self', endless],
  ['NaN at state.part', Number.NaN],
];

test.each(odd)('[law 2] an agent whose state holds %s is refused when it is defined', (found, part) => {
  const define = () => agent({ name: 'ada', state: untyped({ part }), decide: () => answer('x') });
  expect(define).toThrow(`Cannot define the agent 'ada' as its state is not plain JSON: ${found}`);
  expect(define).toThrow(expect.objectContaining({ code: 'agent.invalid' }));
});

/** Folds what it likes in its second step. */
const folding = (part: unknown) =>
  agent({
    name: 'ada',
    tools: [echo],
    state: { seen: 0 },
    decide: ({ step }) => (step < 3 ? act({ name: 'echo', input: { text: 'x' } }) : answer('done')),
    reduce: ({ state, step }) =>
      untyped(step === 1 ? { ...state, part } : { seen: step }) as { seen: number },
  });

test.each(odd)(
  '[law 2] [D30] a reducer that makes %s of it ends the run as failed, once',
  async (found, part) => {
    const handle = start(folding(part), 'go');
    const error: unknown = await handle.result.catch((thrown: unknown) => thrown);
    expect(isTroupeError(error, 'agent.threw') && error.data).toMatchObject({
      message: `Cannot finish step 1 of 'ada' as its reduce threw: it returned a state that is not plain JSON: ${found}`,
      phase: 'REDUCE',
      step: 1,
    });
    const { events, state } = await settled(handle);
    expect(ofType(events, 'run.ended')).toMatchObject([{ status: 'failed' }]);
    expect(events.at(-1)?.type).toBe('run.ended');
    // What stands is the state of the step before.
    expect(state).toEqual({ seen: 0 });
  },
);

test('[law 2] so does one that forgets to return anything', async () => {
  const forgetful = agent({ name: 'ada', decide: () => answer('x'), reduce: () => untyped(undefined) });
  await expect(start(forgetful, 'go').result).rejects.toThrow('undefined at state');
});

test.each<[string, number, (state: Seen) => void]>([
  ['the state it starts from', 0, (state) => (state.count += 1)],
  ['a list in it', 0, (state) => state.seen.push('x')],
  ['a state that it made itself', 2, (state) => (state.count += 1)],
  ['a list that it made before', 2, (state) => state.seen.push('x')],
])('[law 2] so does one that changes in place %s: nobody would see it', async (_what, at, change) => {
  const ada = agent({
    name: 'ada',
    tools: [echo],
    state: { count: 0, seen: [] } as Seen,
    decide: ({ step }) => (step < 3 ? act({ name: 'echo', input: { text: 'x' } }) : answer('done')),
    reduce: ({ state, step }) => {
      if (step === at) change(state);
      return { ...state, count: step + 1, seen: step < 2 ? [...state.seen, `${step}`] : state.seen };
    },
  });
  const { status, error, state } = await settled(start(ada, 'go'));
  expect([status, error?.code, error?.step]).toEqual(['failed', 'agent.threw', at]);
  expect(state).toEqual({ count: at, seen: ['0', '1'].slice(0, at) });
});

const walking = (stop: StopRule) =>
  agent({
    name: 'ada',
    tools: [echo],
    stop,
    decide: ({ step }) => (step < 4 ? act({ name: 'echo', input: { text: 'x' } }) : answer('done')),
  });
const remembering = (remember: (step: number, memory: Json | undefined) => unknown): StopRule => ({
  name: 'own',
  check: () => undefined,
  remember: ({ step }, memory) => untyped(remember(step, memory)),
});

test.each(odd)('[law 2] a stop rule that remembers %s ends the run as failed', async (found, part) => {
  const rules = [
    remembering((step) => (step === 2 ? { part } : { step })),
    anyOf(remembering((step) => (step === 2 ? { part } : { step }))),
  ];
  for (const rule of rules) {
    const { status, error } = await settled(start(walking(rule), 'go'));
    expect([status, error?.code, error?.phase]).toEqual(['failed', 'agent.threw', 'CHECK_STOP']);
    expect(error?.message).toContain(
      `it returned a memory that is not plain JSON: ${found.replace('state', 'memory')}`,
    );
  }
});

test('[law 2] so does one that changes what it remembers in place', async () => {
  const rule = remembering((step, memory) => {
    if (!Array.isArray(memory)) return [step];
    (memory as number[]).push(step);
    return memory;
  });
  const { status, error } = await settled(start(walking(rule), 'go'));
  expect([status, error?.code, error?.phase]).toEqual(['failed', 'agent.threw', 'CHECK_STOP']);
});

test('a rule may remember nothing, and more each time', async () => {
  const kept: (Json | undefined)[] = [];
  const rule = remembering((step, memory) => {
    kept.push(memory);
    return step === 1 ? undefined : { steps: step };
  });
  expect(await settled(start(walking(rule), 'go'))).toMatchObject({ status: 'completed' });
  expect(kept).toEqual([undefined, undefined, { steps: 2 }, { steps: 3 }]);
});

test('a state that is handed back is not looked at, however large it is', async () => {
  let looks = 0;
  const state = new Proxy(
    { long: [1, 2, 3] },
    {
      ownKeys: (target) => {
        looks += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const ada = agent({
    name: 'ada',
    tools: [echo],
    state,
    decide: ({ step }) => (step < 20 ? act({ name: 'echo', input: { text: 'x' } }) : answer('done')),
    reduce: ({ state: same }) => same,
  });
  expect(looks).toBe(1);
  await ada.run('go');
  // Copied for the run, and left alone in its twenty steps.
  expect(looks).toBe(2);
});
