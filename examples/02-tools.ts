// Tools: a result in two languages, an error reported to the model, a call that a person must approve, a toolset.
//
//   npx tsx examples/02-tools.ts
import assert from 'node:assert/strict';
import { agent, dual, tool, toolset } from 'troupe';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const orders = new Map([[17, { item: 'kettle', price: 39, cancelled: false }]]);

const find = tool({
  name: 'find',
  description: 'Find an order by its number.',
  input: z.object({ order: z.number().int() }),
  execute: ({ order }) => {
    const found = orders.get(order);
    // An error thrown here becomes a failed result that the model reads; it never ends the run.
    if (found === undefined) throw new Error(`there is no order ${order}`);
    // The model reads the text, the program gets the value.
    return dual({ text: `Order ${order}: one ${found.item}, ${found.price} euros.`, value: found });
  },
});

const cancel = tool({
  name: 'cancel',
  description: 'Cancel an order.',
  input: z.object({ order: z.number().int() }),
  describe: ({ order }) => `Cancelling order ${order}`, // what a person reads
  safety: 'write',
  // Approval is asked for only where it matters.
  approval: ({ order }) => (orders.get(order)?.price ?? 0) > 20,
  execute: ({ order }) => {
    orders.set(order, { item: 'kettle', price: 39, cancelled: true });
    return `Order ${order} is cancelled.`;
  },
});

let isOpen = false;
const shop = toolset({
  name: 'shop', // the model sees shop.find and shop.cancel
  tools: [find, cancel],
  // Around every run that uses them, however it ends.
  setup: () => void (isOpen = true),
  teardown: () => void (isOpen = false),
});

// A scripted model, so that the output is the same every time. Its first call has a word in place of a number.
const model = scriptedModel([
  calls({ name: 'shop.find', input: { order: 'seventeen' } }),
  calls({ name: 'shop.find', input: { order: 17 } }),
  calls({ name: 'shop.cancel', input: { order: 17 } }),
  'Your kettle is cancelled.',
]);

const clerk = agent({ name: 'clerk', instructions: 'Help with orders.', model, tools: [shop] });
const asked: string[] = [];
const result = await clerk.run('Please cancel order 17.', {
  // If nobody could approve, the call would be denied instead of waiting.
  person: { approve: ({ description }) => asked.push(description) > 0 },
});

const [refused, found, cancelled] = result.records.flatMap(({ results }) => results);
console.log('1 refused:  ', refused?.text);
console.log('2 found:    ', found?.text, found?.ok ? found.value : '');
console.log('3 approved: ', asked, '→', cancelled?.text);
console.log('answer:     ', result.output);

assert.deepEqual([refused?.ok, found?.ok, cancelled?.ok], [false, true, true]);
assert.deepEqual(asked, ['Cancelling order 17']);
assert.equal(orders.get(17)?.cancelled, true);
assert.equal(isOpen, false);
model.assertConsumed();
