// Code mode: a model writes one program over many tool calls, and reads only what the program returns.
//
//   npx tsx examples/33-code-mode.ts
//
// When not to use it: one or two calls. A program pays where there are loops, or much data of which little matters.
// Its chart: docs/diagrams/agent.mmd
import assert from 'node:assert/strict';
import { agent, codeTool, tool } from 'troupe';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const stock: Readonly<Record<string, number>> = { kettle: 3, teapot: 0, cup: 12, spoon: 0, saucer: 7 };

const list = tool({
  name: 'list',
  description: 'Lists the items of the shop.',
  input: z.object({}),
  output: z.array(z.string()),
  execute: () => Object.keys(stock),
});
const count = tool({
  name: 'count',
  description: 'Counts what is there of an item.',
  input: z.object({ item: z.string() }),
  output: z.number(),
  execute: ({ item }) => stock[item] ?? 0,
});
const order = tool({
  name: 'order',
  description: 'Orders more of an item.',
  safety: 'danger', // so a person is asked, in the middle of the program
  input: z.object({ item: z.string(), pieces: z.number().int() }),
  execute: ({ item, pieces }) => `${pieces} of ${item} are on their way`,
});

// What a model would write: it sees each tool as a typed function.
const code = `
const items = await tools.shop.list();
const counts = await Promise.all(items.map((item) => tools.shop.count({ item })));
const missing = items.filter((_, index) => counts[index] === 0);
console.log(missing.length, 'of', items.length, 'are missing');
const orders = [];
for (const item of missing) {
  try {
    orders.push(await tools.shop.order({ item, pieces: 10 }));
  } catch (error) {
    orders.push(item + ': ' + error.code);
  }
}
return orders;`;

const shop = { name: 'shop', tools: [list, count, order] };
const clerk = agent({
  name: 'clerk',
  tools: [codeTool({ tools: [shop] })],
  model: scriptedModel([calls({ name: 'run_code', input: { code } }), 'Teapots are on their way.']),
});

const { events, output, totals } = await clerk.run('Order what is missing.', {
  person: { approve: ({ input }) => JSON.stringify(input).includes('teapot') },
});
for (const event of events)
  if (event.type === 'tool.finished')
    console.log(`${event.path}: ${event.tool} → ${event.text.split('\n')[0]}`);
const last = events.flatMap((event) => (event.type === 'tool.finished' ? [event.text] : [])).at(-1);
assert.equal(last, '["10 of teapot are on their way","spoon: tool.denied"]\n\nconsole:\n2 of 5 are missing');
console.log(output, `${totals.modelCalls} model calls for ${totals.toolCalls} tool calls`);
assert.equal(totals.modelCalls, 2);
