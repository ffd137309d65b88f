import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool } from '../../src/index.ts';
import { TurnCounter } from '../../src/memory/tokens/count-tokens.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { settled, start } from '../support/runs.ts';

test.each([
  ['a function', () => 'Hello.'],
  ["'Hello.'", 'Hello.'],
  ['nothing', undefined],
])('a script is a list of replies: %s is refused, with what to write', (found, script) => {
  expect(() => Reflect.apply(scriptedModel, undefined, [script])).toThrow(
    expect.objectContaining({
      code: 'input.invalid',
      message: `Cannot make a scripted model as its script is not a list of replies: write scriptedModel([ … ]), found ${found}`,
    }),
  );
});

test.each<[unknown, string]>([
  [5, 'found 5'],
  [undefined, 'found nothing'],
  [null, 'found null'],
])('a reply that is none is named when the script is made: %j', (reply, found) => {
  expect(() => Reflect.apply(scriptedModel, undefined, [['hi', reply]])).toThrow(
    expect.objectContaining({
      code: 'input.invalid',
      message: `Cannot make a scripted model as its reply 2 is none: write a text, calls(…), an Error or a function, ${found}`,
    }) as Error,
  );
});

const look = tool({
  name: 'look',
  description: 'Looks somewhere, and tells what is there in some words.',
  input: z.object({ at: z.string() }),
  execute: ({ at }) => `There is nothing at ${at}.`,
});

test('a reply without a usage has the estimate of all that was sent: instructions, tools and the conversation', async () => {
  const model = scriptedModel([calls({ name: 'look', input: { at: 'the north' } }), 'x'.repeat(400)]);
  const scout = agent({ name: 'scout', instructions: 'Look around.', tools: [look], model });
  const { events, totals } = await settled(start(scout, 'Where is it?'));
  const answered = events.flatMap((event) => (event.type === 'model.answered' ? [event.usage] : []));
  const counter = new TurnCounter();
  const sent = model.requests.map(
    ({ instructions, tools, messages }) =>
      counter.overhead(instructions, tools) + messages.reduce((all, turn) => all + counter.count(turn), 0),
  );
  expect(answered.map(({ input }) => input)).toEqual(sent);
  expect(sent[1]).toBeGreaterThan((sent[0] ?? 0) + 10);
  expect(answered.map(({ isEstimate }) => isEstimate)).toEqual([true, true]);
  expect(answered[1]?.output).toBe(100);
  expect(totals).toMatchObject({ inputTokens: sent.reduce((all, each) => all + each, 0), estimated: 2 });
});

test('a budget of tokens is spent by what a scripted conversation is estimated to have', async () => {
  const model = scriptedModel(['north', 'east', 'south'].map((at) => calls({ name: 'look', input: { at } })));
  const scout = agent({ name: 'scout', tools: [look], model, limits: { budget: { tokens: 300 } } });
  const { stopReason, totals } = await settled(start(scout, 'x'.repeat(400)));
  expect(stopReason).toMatchObject({ kind: 'budget', budget: 'tokens', limit: 300 });
  expect(totals.modelCalls).toBe(2);
});

test('a reply with a usage has exactly that, and costs what it says', async () => {
  const usage = { input: 1_200, output: 40, billedUsd: 0.3 };
  const model = scriptedModel([{ ...calls({ name: 'look', input: { at: 'home' } }), usage }, 'Nothing.']);
  const scout = agent({ name: 'scout', tools: [look], model, limits: { budget: { usd: 0.25 } } });
  const { stopReason, totals } = await settled(start(scout, 'Where is it?'));
  expect(stopReason).toMatchObject({ kind: 'budget', budget: 'usd', limit: 0.25, used: 0.3 });
  expect(totals).toMatchObject({ inputTokens: 1_200, outputTokens: 40, costUsd: 0.3, billedUsd: 0.3 });
  expect(totals.estimated).toBeUndefined();
});
