import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { createGlobalEngine } from '../../src/runtime/engines/global-engine.ts';
import { quiet, settled, start } from '../support/runs.ts';
import { sized, sampled } from '../support/thorough.ts';

/** Counts what it is told, in its state, and looks at what it has counted. */
const counter = (rounds: number) => {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ who: z.string() }),
    execute: async ({ who }, { state, context }) => {
      await quiet();
      return { who, state, context };
    },
  });
  return agent({
    name: 'counter',
    tools: [look],
    state: { seen: [] as string[], unchanged: [1] },
    decide: ({ step, input, state }) =>
      step < rounds ? act({ name: 'look', input: { who: input } }) : answer(state.seen.join(' ')),
    reduce: ({ state, decision, step }) =>
      decision?.kind === 'act'
        ? {
            ...state,
            seen: [...state.seen, `${String(Object.values(decision.calls[0]?.input ?? {})[0])}${step}`],
          }
        : state,
  });
};

/** Every object in a value, and in those, but for those that hold nothing. */
const objectsIn = (value: unknown, found = new Set<object>()): ReadonlySet<object> => {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  if (Object.keys(value).length === 0) return found;
  found.add(value);
  for (const inner of Object.values(value)) objectsIn(inner, found);
  return found;
};

const partsOf = ({ records, events, effects, state, totals }: RunResult<unknown, unknown>) =>
  objectsIn([...records, ...events, ...effects, state, totals]);

test('[QITOS-31] a second run of an agent begins at 0 and shares nothing with the first', async () => {
  const one = counter(2);
  const first = await settled(start(one, 'x'));
  const before = JSON.stringify([first.records, first.events, first.state]);
  const second = await settled(start(one, 'y'));
  expect(second.records.map(({ step }) => step)).toEqual([0, 1, 2]);
  expect([first.output, second.output]).toEqual(['x0 x1', 'y0 y1']);
  expect(JSON.stringify([first.records, first.events, first.state])).toBe(before);
  const ofFirst = partsOf(first);
  expect(ofFirst.size).toBeGreaterThan(50);
  expect([...partsOf(second)].filter((part) => ofFirst.has(part))).toEqual([]);
});

test('[TENEX-86] runs of one agent side by side do not see each other', async () => {
  const one = counter(3);
  const names = Array.from({ length: 20 }, (_, index) => `run-${index}-`);
  const results = await Promise.all(
    names.map((name) => settled(start(one, name, { runId: name, context: name }))),
  );
  for (const [index, { output, events, records }] of results.entries()) {
    const name = names[index] ?? '';
    expect(output).toBe([0, 1, 2].map((step) => `${name}${step}`).join(' '));
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([name]));
    const looked = records.flatMap(({ results: [result] }) => (result?.ok === true ? [result.value] : []));
    expect(looked).toMatchObject(
      [0, 1, 2].map((step) => ({ who: name, context: name, state: { seen: { length: step } } })),
    );
  }
});

/** What runs the agent again and again on one engine, which lives on. */
const engineRunning = (one: Agent<string, unknown>) => {
  const engine = createGlobalEngine();
  return { run: (input: string): Promise<unknown> => engine.execute(one, input) };
};

const places: readonly (readonly [string, () => { run: (input: string) => PromiseLike<unknown> }])[] = [
  ['by themselves', () => agent({ name: 'a', decide: () => answer('x'.repeat(1_000)) })],
  ['on an engine', () => engineRunning(agent({ name: 'a', decide: () => answer('x'.repeat(1_000)) }))],
];
test.each(sampled(places, 2))(
  `[KAIZEN-69] the heap is flat over ${sized(1_000, 10_000)} runs: those that are over leave nothing behind, %s`,
  async (_, make) => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new Error('garbage cannot be collected');
    const one = make();
    const after = async (runs: number): Promise<number> => {
      for (let each = 0; each < runs; each += 1) await one.run('go');
      await quiet();
      collect();
      return process.memoryUsage().heapUsed;
    };
    // Caches have a bound, and code is compiled for as long as it runs often: they fill up first.
    await after(sized(200, 5_000));
    const before = await after(200);
    // The events of a run alone are more than 3,000 bytes: 1,800,000 of these; where all are tried, 105 bytes of each are too much.
    expect((await after(sized(600, 9_600))) - before).toBeLessThan(1_000_000);
  },
);
