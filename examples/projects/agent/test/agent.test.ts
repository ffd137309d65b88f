import { calls, scriptedModel } from 'troupe/testing';
import { expect, test } from 'vitest';
import { mathematician } from '../src/agent.ts';

test('the mathematician adds with its tool, and answers with what that returned', async () => {
  const model = scriptedModel([
    calls({ name: 'add', input: { a: 19, b: 23 } }),
    ({ messages }) => `It is ${messages.at(-1)?.text}.`,
  ]);
  const { output, totals } = await mathematician.run('What is 19 + 23?', { model });
  expect(output).toBe('It is 42.');
  expect(totals).toMatchObject({ steps: 2, modelCalls: 2, toolCalls: 1 });
});
