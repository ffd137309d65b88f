// A signature defines input and output in one line, and types both.
//
//   npx tsx examples/10-signature.ts
import assert from 'node:assert/strict';
import { agent, isTroupeError } from 'troupe';
import { scriptedModel } from 'troupe/testing';

// A scripted model answers twice here: the first answer breaks the signature and is sent back, so nobody sees it.
const model = scriptedModel([
  '{"summary":"Good food","positive":"very"}',
  '{"summary":"Good food, slow service","positive":true,"topics":["food","service"]}',
]);

// From a review and an optional number of words, to a summary, a verdict, and topics.
const reviewer = agent({
  name: 'reviewer',
  instructions: 'Summarise reviews.',
  model,
  input: 'review: string, words?: integer -> summary: string, positive: boolean, topics: string[]',
});

const result = await reviewer.run({ review: 'The food was lovely. We waited an hour for it.', words: 5 });

// Each field has its own type: `summary` is a string, `positive` a boolean, `topics` a list of strings.
const { summary, positive, topics } = result.output ?? { summary: '', positive: false, topics: [] };
console.log(`${positive ? '+' : '-'} ${summary.toUpperCase()} (${topics.join(', ')})`);

assert.equal(summary, 'Good food, slow service');
assert.deepEqual(topics, ['food', 'service']);
assert.equal(result.totals.modelCalls, 2);

// Invalid input is rejected before anything is paid for.
// @ts-expect-error: TypeScript knows it, too.
const refused: unknown = await reviewer.run({ words: 5 }).catch((error: unknown) => error);
assert.ok(isTroupeError(refused, 'input.invalid'));
console.log(refused.message);
