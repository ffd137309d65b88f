// A team that may pay twice: proven before it runs, mended, enforced while it runs, and audited afterwards.
//
//   npx tsx examples/50-verified-team.ts
import assert from 'node:assert/strict';
import { agent, tool } from 'troupe';
import type { Decision } from 'troupe';
import { parallel } from 'troupe/patterns';
import { policy, property } from 'troupe/policy';
import { memoryStore } from 'troupe/stores';
import { verify } from 'troupe/testing';
import { z } from 'zod';

const paid: string[] = [];
const pay = tool({
  name: 'pay',
  description: 'Pays an invoice.',
  safety: 'write',
  input: z.object({ invoice: z.string() }),
  execute: ({ invoice }) => {
    paid.push(invoice);
    return 'paid';
  },
});

// Two clerks look at the same invoice. Nobody told them about each other.
const clerk = (name: string) =>
  agent({
    name,
    tools: [pay],
    decide: ({ step }): Decision =>
      step === 0
        ? { kind: 'act', calls: [{ name: 'pay', input: { invoice: 'A-1' } }] }
        : { kind: 'answer', answer: 'done' },
  });
const desk = parallel({ name: 'desk', members: { ann: clerk('ann'), ben: clerk('ben') } });

// One statement about a whole run, with all of its agents.
const once = property.atMost(1, 'pay').named('pay-once');

// 1. Proven: every state that a run can come to is looked at. No tool is executed, no model asked.
const before = await verify(desk, { properties: [once] });
const [violation] = before.violations;
assert(violation !== undefined);
console.log(`1. ${before.verdict}: ${violation.reason}. The shortest story, of ${before.states} states:`);
for (const { by, path, does } of violation.story.moves) console.log(`   ${by}: ${path} ${does}`);
assert.equal(before.verdict, 'violated');
assert.equal(violation.story.moves.length, 3, 'the start, and two calls');
assert.equal(violation.confirmed, 'genuine', 'a genuine run does the same');
assert.deepEqual(paid, []);
console.log(violation.story.diagram);

// 2. Mended: a policy enforces the same property. With it the proof holds, whatever happens in whatever order.
const safety = policy({ mode: 'bypass', properties: [once] });
const after = await verify(desk, { properties: [once], safety });
console.log(`2. With the policy it ${after.verdict}, in all ${after.states} states`);
assert.equal(after.verdict, 'holds');
assert.equal(after.isComplete, true);

// 3. Enforced: in a run, the second call is denied as it starts, by the name of the property.
const store = memoryStore();
const careful = await desk.run('Pay invoice A-1.', { safety, store, runId: 'careful' });
const denied = careful.events.flatMap((event) => (event.type === 'tool.denied' ? [event.rule] : []));
console.log(`3. Paid: ${paid.join(', ')}; denied by: ${denied.join(', ')}`);
assert.deepEqual(paid, ['A-1']);
assert.deepEqual(denied, ['pay-once']);

// 4. Audited: of runs in a store, also of those that nobody guarded. Nothing is replayed.
await desk.run('Pay invoice A-1.', { store, runId: 'careless' });
const audit = await verify(desk, { properties: [once], over: store });
for (const { runId, verdict, violations } of audit.runs)
  console.log(
    `4. ${runId}: ${verdict}${violations.map(({ seq, agent: who }) => `, event ${seq} of ${who}`).join('')}`,
  );
assert.deepEqual(Object.fromEntries(audit.runs.map(({ runId, verdict }) => [runId, verdict])), {
  careful: 'holds',
  careless: 'violated',
});
