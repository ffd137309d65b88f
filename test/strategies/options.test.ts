import { expect, test } from 'vitest';
import { branching } from '../../src/actors/strategies/branching.ts';
import { personInTheLoop } from '../../src/actors/strategies/person-in-the-loop.ts';
import { textCalls } from '../../src/actors/strategies/text-calls.ts';
import { answer, act } from '../../src/contracts/agents/decision.ts';
import type { Person } from '../../src/contracts/people/person.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import { echo, letTimePass, phasesOf, settled, start } from '../support/runs.ts';

const wants = (text: string) => calls({ name: 'echo', input: { text } });

/** Says one thing after another. */
const saying = (...replies: readonly string[]): Person => {
  const left = [...replies];
  return { answer: () => left.shift() ?? 'no' };
};

test('a strategy goes along when the model is swapped', async () => {
  const first = scriptedModel(['Action: echo[a]']);
  const second = scriptedModel(['Final Answer: done']);
  const clerk = agent({ name: 'clerk', model: first, strategy: textCalls('react'), tools: [echo] });
  const handle = start(clerk, 'go', { paused: true });
  await handle.step();
  handle.use(second);
  handle.resume();
  expect((await settled(handle)).output).toBe('done');
});

test('[KAIZEN-22] a person confirms, edits and refuses what a model decided', async () => {
  const model = scriptedModel([wants('a'), wants('b'), 'first', 'second']);
  const clerk = agent({ name: 'clerk', model, strategy: personInTheLoop(), tools: [echo] });
  const person = saying('no: not a', '{"text": "edited"}', 'no', 'better');
  const result = await settled(start(clerk, 'go', { person }));
  expect(
    result.records.map(({ decision, results }) => [decision?.kind, results.map(({ text }) => text)]),
  ).toEqual([
    [undefined, []],
    ['act', ['edited']],
    [undefined, []],
    ['answer', []],
  ]);
  expect(result.output).toBe('better');
  const said = model.requests.map(({ messages }) => messages.at(-1)?.text);
  expect(said).toEqual([
    'go',
    'That was refused: not a. Decide anew.',
    'edited',
    'That was refused: a person said no. Decide anew.',
  ]);
  expect(phasesOf(result.events).filter((phase) => phase === 'ACT')).toHaveLength(1);
});

test('a person sees a decision that took two attempts, too, and own ones', async () => {
  const clock = virtualClock();
  const busy = new TroupeError('model.rate-limited', 'Cannot answer now', { retryable: 'yes' });
  const model = scriptedModel([busy, 'late']);
  const clerk = agent({
    name: 'clerk',
    model,
    strategy: personInTheLoop(),
    tools: [echo],
    decide: ({ step }) => (step === 0 ? act({ name: 'echo', input: { text: 'own' } }) : undefined),
  });
  const handle = start(clerk, 'go', { clock, person: saying('yes', 'edited late') });
  expect((await letTimePass(clock, settled(handle))).output).toBe('edited late');
});

test('[TENEX-U10] fragments make a system prompt that stays the same bytes, and a last word that changes', async () => {
  const model = scriptedModel([wants('a'), wants('b'), 'done']);
  const clerk = agent({
    name: 'clerk',
    instructions: 'Be brief.',
    model,
    tools: [echo],
    conversation: {
      fragments: [
        {
          name: 'shop',
          priority: 200,
          text: ({ tools }) => `A shop with ${tools.map(({ name }) => name).join()}.`,
        },
        {
          name: 'count',
          priority: 1,
          each: 'step',
          text: ({ step }) => (step > 0 ? `Step ${step}` : undefined),
        },
      ],
    },
  });
  const handle = start(clerk, 'go');
  await settled(handle);
  expect(new Set(model.requests.map(({ instructions }) => instructions))).toEqual(
    new Set(['Be brief.\n\nA shop with echo.']),
  );
  expect(model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(['go', 'Step 1', 'Step 2']);
  expect(model.requests[2]?.messages.map(({ text }) => text)).not.toContain('Step 1');
});

test("strategies wrap what is the agent's own, typed by its state", async () => {
  const clerk = agent({
    name: 'clerk',
    state: { mood: 'good' },
    strategy: branching({ propose: () => [{ decision: answer('proposed') }] }),
    decide: ({ state }) => (state.mood === 'bad' ? answer('own') : undefined),
  });
  expect((await clerk.run('go')).output).toBe('proposed');
});

test('[KAIZEN-02] a signature in the options types and checks both sides', async () => {
  const model = scriptedModel(['{"answer": "because", "confidence": 0.9}']);
  const oracle = agent({ name: 'oracle', model, input: 'question -> answer: string, confidence: number' });
  const { output } = await oracle.run({ question: 'why?' });
  expect(output?.confidence.toFixed(1)).toBe('0.9');
  const sides = agent({
    name: 'sides',
    model: scriptedModel(['{"n": 1}']),
    input: 'a: number',
    output: 'n: int',
  });
  expect((await sides.run({ a: 1 })).output?.n).toBe(1);
  // @ts-expect-error There is no type 'strng'
  expect(() => agent({ name: 'bad', output: 'answer: strng' })).toThrow("there is no type 'strng'");
  // @ts-expect-error the question is a string
  await expect(oracle.run({ question: 1 })).rejects.toMatchObject({ code: 'input.invalid' });
});
