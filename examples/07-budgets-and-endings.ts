// Limits on what an agent may use, and rules for when its work is done.
//
//   npx tsx examples/07-budgets-and-endings.ts
import assert from 'node:assert/strict';
import { agent, byTool, complete, maxSteps, ofType, tool } from 'troupe';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const look = tool({
  name: 'look',
  description: 'Looks somewhere.',
  input: z.object({ at: z.string() }),
  execute: ({ at }) => `There is nothing at ${at}.`,
});

// 1. A budget holds for a run and everything below it. The cost of a call is reserved before it and settled after it, so
// concurrent members cannot overspend together. In US dollars it works too: `limits: { budget: { usd: 0.25 } }`.
const wanderer = agent({
  name: 'wanderer',
  tools: [look],
  model: scriptedModel(
    ['north', 'east', 'south', 'west'].map((at) => calls({ name: 'look', input: { at } })),
  ),
  limits: { budget: { toolCalls: 2 } },
});
const wandered = await wanderer.run('Where is it?');
console.log('1.', wandered.status, wandered.stopReason);
assert.deepEqual(wandered.stopReason, {
  kind: 'budget',
  budget: 'toolCalls',
  limit: 2,
  used: 2,
  path: 'wanderer',
});

// 2. Near a limit the model is asked to finish, then called without tools: it answers instead of hitting the limit.
const prepared = agent({
  name: 'prepared',
  tools: [look],
  model: scriptedModel([
    calls({ name: 'look', input: { at: 'north' } }),
    calls({ name: 'look', input: { at: 'east' } }),
    'Nowhere so far.',
  ]),
  stop: maxSteps(3),
  limits: { wrapUp: { warnAt: 0.3, wrapUpAt: 0.6 } },
});
const answered = prepared.stream('Where is it?');
answered.events$
  .pipe(ofType('limit.neared'))
  .subscribe((event) => console.log('2.', event.type, event.stage));
const { output } = await answered.result;
console.log('2.', output);
assert.equal(output, 'Nowhere so far.');

// 3. Work that counts as done only when `complete` is called. A model that forgets is reminded once; then its answer is accepted,
// and marked as completed automatically.
const forgetful = agent({
  name: 'forgetful',
  tools: [complete],
  model: scriptedModel(['All done!', 'I said that it is done.']),
  stop: { ends: byTool() },
});
const reminded = await forgetful.run('Do it.');
console.log('3.', reminded.output, `(completed for it: ${String(reminded.autoCompleted)})`);
assert.equal(reminded.autoCompleted, true);
assert.equal(reminded.totals.modelCalls, 2);

// 4. A looping model is warned at the third repetition, and stopped at the fifth.
const circling = agent({
  name: 'circling',
  tools: [look],
  model: scriptedModel(Array.from({ length: 5 }, () => calls({ name: 'look', input: { at: 'north' } }))),
});
const circled = await circling.run('Where is it?');
console.log('4.', circled.stopReason);
assert.equal(circled.stopReason.kind, 'loop');
