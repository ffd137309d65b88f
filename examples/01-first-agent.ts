// The shortest useful agent: a name, instructions, one tool.
//
//   npx tsx examples/01-first-agent.ts
import assert from 'node:assert/strict';
import { agent, tool } from 'troupe';
import { z } from 'zod';

// The schema does three jobs: it types `execute`, tells the model what to send, and rejects anything else.
const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

// No model is named, so the environment decides: a key of yours is used if it is set (see the README), and without any
// the offline model answers. It is not a language model, but it can use a tool. (Exported, so that
// `troupe run` and `troupe graph` find it.)
export const mathematician = agent({
  name: 'mathematician',
  instructions: 'Use the tools. Answer with the number.',
  tools: [add],
});

// An agent is a definition. Each run is separate: it cycles through the six phases until something stops it.
const result = await mathematician.run('What is 19 + 23?');

console.log('answer:     ', result.output);
console.log('stop reason:', result.stopReason);
console.log('steps:      ', result.records.map(({ decision }) => decision?.kind).join(', then '));

assert.equal(result.status, 'completed');
assert.match(result.output ?? '', /42/);
