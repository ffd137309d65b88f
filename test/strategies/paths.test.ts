import { describe, expect, test } from 'vitest';
import { batch } from '../../src/actors/strategies/batch.ts';
import { branching } from '../../src/actors/strategies/branching.ts';
import { bestOf } from '../../src/actors/strategies/best-of.ts';
import { chainOfThought } from '../../src/actors/strategies/chain-of-thought.ts';
import { convergence } from '../../src/actors/strategies/convergence.ts';
import { fallback } from '../../src/actors/strategies/fallback.ts';
import { multiCycle, nativeCalls } from '../../src/actors/strategies/multi-cycle.ts';
import { personInTheLoop } from '../../src/actors/strategies/person-in-the-loop.ts';
import { singleShot } from '../../src/actors/strategies/single-shot.ts';
import { textCalls } from '../../src/actors/strategies/text-calls.ts';
import { treeSearch } from '../../src/actors/strategies/tree-search.ts';
import { act, wait } from '../../src/contracts/agents/decision.ts';
import type { Person } from '../../src/contracts/people/person.ts';
import type { Strategy } from '../../src/contracts/agents/strategy.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, phasesOf, settled, start } from '../support/runs.ts';
import { strategic } from './strategic.ts';

/** One script for all: what a model says depends on nothing but how often it was asked. */
const script = () =>
  scriptedModel([
    {
      text: 'Thought: look.\nAction: echo\nAction Input: {"text": "a"}',
      ...calls({ name: 'echo', input: { text: 'a' } }),
    },
    'Thought: again.\nAction: echo[b]\nConfidence: 0.5',
    'Final Answer: c. Confidence: 0.95',
    'd',
  ]);

const word: Record<string, string> = {
  preparing: '',
  OBSERVE: ' ',
  DECIDE: 'D',
  ACT: 'A',
  REDUCE: 'R',
  CRITIC: 'C',
  CHECK_STOP: '.',
};

/** `D` decide, `A` act, `R` reduce, `C` critic, `.` check; a word for every other state. */
const pathOf = (phases: readonly string[]): string =>
  phases
    .map((phase) => word[phase] ?? ` ${phase}`)
    .join('')
    .trim();

const seen = act({ name: 'echo', input: { text: 'seen' } });

const strategies: readonly [Strategy, path: string, asked: number, output: string | undefined][] = [
  [singleShot(), 'DR. completed', 1, 'Thought: look.\nAction: echo\nAction Input: {"text": "a"}'],
  [nativeCalls(), 'DAR. DR. completed', 2, 'Thought: again.\nAction: echo[b]\nConfidence: 0.5'],
  [
    multiCycle({ until: convergence.confidence(0.9) }),
    'DAR. DRC. DRC. completed',
    3,
    'Final Answer: c. Confidence: 0.95',
  ],
  [chainOfThought(), 'DR. DR. completed', 2, 'Thought: again.\nAction: echo[b]\nConfidence: 0.5'],
  [textCalls('react'), 'DAR. DAR. DR. completed', 3, 'c. Confidence: 0.95'],
  [
    fallback(
      { name: 'broken', decide: () => Promise.reject(new Error('no')) },
      branching({ propose: ({ step }) => (step < 3 ? [{ decision: seen }] : []) }),
    ),
    'DAR. DAR. DAR. DAR. DR. completed',
    2,
    'Thought: again.\nAction: echo[b]\nConfidence: 0.5',
  ],
  [
    branching({ propose: ({ step }) => (step === 0 ? [{ decision: wait('a moment', 5) }] : []) }),
    'DR. waiting DAR. DR. completed',
    2,
    'Thought: again.\nAction: echo[b]\nConfidence: 0.5',
  ],
  [
    treeSearch({ expand: ({ step }) => (step < 2 ? [{ decision: seen }] : []) }),
    'DAR. DAR. DAR. DR. completed',
    2,
    'Thought: again.\nAction: echo[b]\nConfidence: 0.5',
  ],
  [personInTheLoop(), 'DAR. DR. DR. completed', 3, 'Final Answer: c. Confidence: 0.95'],
  [
    bestOf({ width: 3, score: ({ text }) => (text.startsWith('Final') ? 1 : 0) }),
    'DR. completed',
    3,
    'Final Answer: c. Confidence: 0.95',
  ],
];

/** Content with the first choice, not with the second, and tired of being asked. */
const person = (): Person => {
  const replies = ['yes', 'no: think again'];
  return { answer: () => replies.shift() ?? 'yes' };
};

test.each(strategies)(
  '[KAIZEN-22] one script, one agent: $name leaves its own path',
  async (strategy, path, asked, output) => {
    const model = script();
    const clock = virtualClock();
    const handle = start(strategic(strategy, model, { tools: [echo] }), 'go', { clock, person: person() });
    const result = await letTimePass(clock, settled(handle), 5);
    expect(pathOf(phasesOf(result.events))).toBe(path);
    expect(model.requests).toHaveLength(asked);
    expect(result.output).toBe(output);
  },
);

test('[KAIZEN-21] no two strategies leave the same path, and a batch leaves one of its own', async () => {
  const items = await batch(strategic(nativeCalls(), script(), { tools: [echo] }), ['go', 'go'], { runs: 1 });
  const batched = items.map((item) => (item.ok ? pathOf(phasesOf(item.result.events)) : item.error.code));
  expect(batched).toEqual(['DAR. DR. completed', 'DR. completed']);
  // The best of several answers is found within one DECIDE: only its requests tell it from a single shot.
  const single = strategies.filter(([{ name }]) => name !== 'best-of: 3').map(([, path]) => path);
  const paths = [...single, batched.join(' | ')];
  for (const [at, path] of paths.entries())
    for (const other of paths.slice(at + 1)) expect(path).not.toBe(other);
  expect(strategies.filter(([, path]) => path === 'DR. completed').map(([, , asked]) => asked)).toEqual([
    1, 3,
  ]);
});

describe('a batch', () => {
  const failing = (input: string) => input.startsWith('bad');

  test('[KAIZEN-22] gives what came of each input in order, so many at a time, and isolates failures', async () => {
    let running = 0;
    let most = 0;
    const upper = strategic({ name: 'plain' }, scriptedModel([]), {
      decide: async ({ input: given }) => {
        const input = typeof given === 'string' ? given : '';
        running += 1;
        most = Math.max(most, running);
        for (let turn = 0; turn < input.length * 5; turn += 1) await Promise.resolve();
        running -= 1;
        if (failing(input)) throw new Error('a bad input');
        return { kind: 'answer', answer: input.toUpperCase() };
      },
    });
    const inputs = ['one', 'bad', 'three', 'longer than the others', 'five'];
    const items = await batch(upper, inputs, { runs: 2, batchId: 'b' });
    expect(most).toBe(2);
    expect(items.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(items.map((item) => (item.ok ? item.result.output : item.error.code))).toEqual([
      'ONE',
      'agent.threw',
      'THREE',
      'LONGER THAN THE OTHERS',
      'FIVE',
    ]);
    expect(items.flatMap((item) => (item.ok ? [item.result.runId] : []))).toEqual([
      'b-0',
      'b-2',
      'b-3',
      'b-4',
    ]);
  });

  test('begins nothing more once it was aborted', async () => {
    const controller = new AbortController();
    let begun = 0;
    const one = strategic({ name: 'plain' }, scriptedModel([]), {
      decide: () => {
        begun += 1;
        controller.abort();
        return { kind: 'answer', answer: 'x' };
      },
    });
    const items = await batch(one, ['a', 'b', 'c'], { runs: 1, signal: controller.signal });
    expect(begun).toBe(1);
    expect(items.slice(1)).toMatchObject([
      { ok: false, index: 1, error: { code: 'run.aborted' } },
      { ok: false, index: 2, error: { code: 'run.aborted' } },
    ]);
    await expect(batch(one, ['a'], { runs: 0 })).rejects.toMatchObject({ code: 'agent.invalid' });
    expect(await batch(one, [])).toEqual([]);
  });
});
