// The local inspector: a page on this machine that shows agents as statecharts while they work, and lets you pause, step and answer them.
// Here the page is not opened: the recording has its content.
//
//   npx tsx examples/31-inspector.ts
//   npx troupe inspect examples/01-first-agent.ts "What is 19 + 23?" --control     (and open what it prints)
import assert from 'node:assert/strict';
import { agent, tool } from 'troupe';
import { inspect, Tableau } from 'troupe/inspect';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const mathematician = agent({
  name: 'mathematician',
  tools: [add],
  model: scriptedModel([calls({ name: 'add', input: { a: 19, b: 23 } }), 'It is 42.']),
});

const inspector = await inspect({ control: true });
console.log(`page:   ${inspector.url.replace(/token=.*/, 'token=…')}`);

// The address alone is not enough: access needs its token.
assert.equal((await fetch(new URL('/api/session', inspector.url))).status, 403);

const { output } = await mathematician.run('What is 19 + 23?', { inspect: inspector });
const tableau = new Tableau();
for (const line of inspector.recorder.recording.from()) tableau.apply(JSON.parse(line));
for (const { name, role, states, status, taken } of tableau.actors.values())
  console.log(
    `${role.padEnd(7)} ${name.padEnd(16)} ${status} in ${states.join()}, ${taken.size} arrows taken`,
  );

assert.equal(output, 'It is 42.');
assert.deepEqual(
  [...tableau.actors.values()].map(({ role }) => role),
  ['agent', 'model', 'tool', 'model'],
);
await inspector.close();
