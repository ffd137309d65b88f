// Many tools: a model is sent a few, and finds the others when it needs them.
//
//   npx tsx examples/36-many-tools.ts
//
// When not to use it: up to about twenty tools. Searching costs a step, and a tool that is not seen is not thought of.
// Its chart: docs/diagrams/agent.mmd
import assert from 'node:assert/strict';
import { agent, tool, toolset } from 'troupe';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const offices = ['sales', 'billing', 'stock', 'travel', 'people'].map((name) =>
  toolset({
    name,
    deferred: true,
    tools: ['list', 'open', 'close', 'assign'].map((verb) =>
      tool({
        name: `${verb}_case`,
        description: `Can ${verb} a case of the office for ${name}.`,
        input: z.object({ id: z.string() }),
        execute: ({ id }) => `${verb}: ${id} of ${name}`,
      }),
    ),
  }),
);

const model = scriptedModel([
  calls({ name: 'find_tools', input: { query: 'close a travel case', limit: 1 } }),
  calls({ name: 'travel.close_case', input: { id: 'T-7' } }),
  'T-7 is closed.',
]);
const clerk = agent({ name: 'clerk', instructions: 'Use the tools.', tools: offices, model });
const { output, records } = await clerk.run('Close T-7 of travel.');

for (const [index, { tools }] of model.requests.entries())
  console.log(`request ${index + 1}: ${tools.map(({ name }) => name).join(', ')}`);
assert.deepEqual(
  model.requests.map(({ tools }) => tools.length),
  [1, 2, 2],
);
assert.equal(records[1]?.results[0]?.text, 'close: T-7 of travel');
console.log(output);
