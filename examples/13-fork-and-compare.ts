// A run that went wrong: replayed, forked with another model, and compared with the fork.
//
//   npx tsx examples/13-fork-and-compare.ts
import assert from 'node:assert/strict';
import { agent, compare, fork, replay, tool } from 'troupe';
import { memoryStore } from 'troupe/stores';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

let looked = 0;
const stock = tool({
  name: 'stock',
  description: 'Says how many there are.',
  input: z.object({ item: z.string() }),
  execute: ({ item }) => {
    looked += 1;
    return item === 'tea' ? 12 : 0;
  },
});

const clerk = agent({
  name: 'clerk',
  instructions: 'Say what is in stock.',
  tools: [stock],
  // In place of a provider's model: this one stops looking too early.
  model: scriptedModel([
    calls({ name: 'stock', input: { item: 'tea' } }),
    'There is tea. Milk, I do not know.',
  ]),
});

// `sqliteStore('./runs.db')` keeps runs on the disk; this one ends with the process.
const store = memoryStore();
const first = await clerk.run('Is there tea, and is there milk?', { store, runId: 'first' });
console.log('1.', first.output);

// 1. A replay executes nothing, and must produce the same events. With `to` it stops at that step.
const again = await replay(clerk, 'first', { store });
assert.deepEqual(again.events, first.events);
const early = await replay(clerk, 'first', { store, to: { step: 1 } });
console.log(`2. ${again.events.length} events replayed, ${early.events.length} up to step 1`);
assert.equal(looked, 1);

// 2. A fork shares everything before step 1, and continues independently.
const careful = scriptedModel([
  calls({ name: 'stock', input: { item: 'milk' } }),
  'There is tea, but no milk.',
]);
const handle = await fork(clerk, 'first', {
  store,
  runId: 'second',
  at: { step: 1 },
  change: { model: careful, message: 'Look for each of them.' },
});
const second = await handle.result;
console.log('3.', second.output);
assert.equal(looked, 2);

// 3. Where do they diverge, and with what result?
const { parted, calls: made, totals } = compare(first, second);
console.log(`4. They part at ${parted?.path}, step ${parted?.step}: ${made.right.join(', ')}`);
console.log('  ', totals.left.output, '|', totals.right.output);
assert.equal(parted?.step, 0, 'the message comes in before step 0 is over');
assert.deepEqual(made.right, ['clerk stock({"item":"milk"})']);
assert.equal(totals.right.output, 'There is tea, but no milk.');
