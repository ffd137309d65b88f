// Critics review an answer before it is accepted: they send it back, a bounded number of times, or stop the run.
//
//   npx tsx examples/08-critics.ts
import assert from 'node:assert/strict';
import { agent, ofType, tool } from 'troupe';
import { groundingCritic, type Critic } from 'troupe/patterns';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const archive = tool({
  name: 'archive',
  description: 'Looks something up.',
  input: z.object({ about: z.string() }),
  execute: () => 'The lighthouse was built in 1871. It is 31 metres high.',
});

// A custom one: any object with a name and a function. The first that objects wins, and later ones are not asked.
const brief: Critic = {
  name: 'brief',
  critique: ({ candidate }) =>
    typeof candidate === 'string' && candidate.length <= 80
      ? { verdict: 'accept' }
      : { verdict: 'revise', note: 'Say it in 80 characters.' },
};

// And a built-in one that needs no model: every sentence must be supported by tool results.
const critics = [brief, groundingCritic()];

const keeper = agent({
  name: 'keeper',
  tools: [archive],
  critics,
  model: scriptedModel([
    calls({ name: 'archive', input: { about: 'lighthouse' } }),
    'The lighthouse was built in 1920.', // nobody said that: sent back, with the sentence in the note
    'The lighthouse was built in 1871.',
  ]),
});

const handle = keeper.stream('When was the lighthouse built?');
handle.events$
  .pipe(ofType('agent.critiqued'))
  .subscribe(({ verdict, note }) => console.log(verdict, note ?? ''));
const result = await handle.result;
console.log('answer:', result.output);
assert.equal(result.output, 'The lighthouse was built in 1871.');
assert.deepEqual(
  result.records.flatMap(({ critiques }) => critiques.map(({ verdict }) => verdict)),
  ['accept', 'revise', 'accept', 'accept'],
);

// An author that never improves: after two rejections the run ends, and its last answer is kept, marked as unaccepted.
const stubborn = agent({
  name: 'stubborn',
  tools: [archive],
  critics,
  model: scriptedModel([
    calls({ name: 'archive', input: { about: 'lighthouse' } }),
    ...Array.from({ length: 3 }, () => 'The lighthouse was built in 1920.'),
  ]),
});
const rejected = await stubborn.run('When was the lighthouse built?');
console.log(rejected.status, rejected.stopReason.kind, '- kept, but not accepted:', rejected.candidate);
assert.equal(rejected.output, undefined);
assert.equal(rejected.stopReason.kind, 'rejected');
