// One of several does the task: the best fit, the next in turn, the cheapest able one, or the one it is handed to.
//
//   npx tsx examples/18-router.ts
//
// When not to use it: the task needs several of them (supervisorWorker), or a plain `if` can choose.
// Its chart: docs/diagrams/router.mmd, and docs/diagrams/handoffs.mmd
import assert from 'node:assert/strict';
import { agent, answer, handoff, ofType } from 'troupe';
import { handoffs, rotation, router } from 'troupe/patterns';
import { scriptedModel } from 'troupe/testing';

const clerk = (name: string, description: string) =>
  agent({ name, description, decide: ({ input }) => answer(`${name}: ${JSON.stringify(input)}`) });

// 1. By fit: a model scores the agents by their descriptions and skills. Code may do that instead (`score`).
const desk = router({
  name: 'desk',
  members: {
    billing: { agent: clerk('billing', 'Knows invoices.'), skills: ['refund', 'invoice'] },
    repairs: clerk('repairs', 'Mends what is broken.'),
  },
  strategy: {
    kind: 'semantic',
    judge: {
      model: scriptedModel([
        '{"scores": [{"agent": "billing", "score": 0.9}, {"agent": "repairs", "score": 0.2}]}',
      ]),
    },
  },
});
const asked = await desk.run('I was charged twice.');
console.log('1.', asked.output);
assert.equal(asked.output, 'billing: "I was charged twice."');

// 2. By tiers: the lowest able one does it. A failure goes up, and the path is on the stream.
const staff = router({
  name: 'staff',
  members: {
    intern: clerk('intern', 'Cheap and quick.'),
    editor: clerk('editor', 'Knows the house style.'),
    author: clerk('author', 'Expensive.'),
  },
  strategy: {
    kind: 'tiers',
    // From 0 to 1; of three, the first tier takes those up to a third.
    assess: (task) => ({
      canHandle: null,
      complexity: Math.min(1, JSON.stringify(task).split(' ').length / 10),
      requiresTier: null,
    }),
  },
});
for (const task of ['Fix this typo.', 'Rewrite the whole second chapter in verse, and keep the jokes.']) {
  const handle = staff.stream(task);
  handle.events$
    .pipe(ofType('route.changed'))
    .subscribe(({ from, to, reason }) => console.log(`2. ${from} → ${to}: ${reason}`));
  console.log('2.', (await handle.result).output);
}

// 3. In turns, over all runs that share the rotation.
const turns = rotation();
const night = router({
  name: 'night',
  members: { ann: clerk('ann', 'On call.'), bob: clerk('bob', 'On call.') },
  strategy: { kind: 'round-robin', turns },
});
const said = [];
for (const ring of ['one', 'two', 'three']) said.push((await night.run(ring)).output);
console.log('3.', said.join(', '));
assert.deepEqual(said, ['ann: "one"', 'bob: "two"', 'ann: "three"']);

// 4. By handoffs: the current member answers, or hands over. Models do that by the tool `handoffTool()`. No member gets it twice.
const reception = agent({
  name: 'reception',
  decide: () => handoff('billing', 'this is about money'),
});
const counter = handoffs({
  name: 'counter',
  members: { reception, billing: clerk('billing', 'Knows invoices.') },
});
const handed = await counter.run('I was charged twice.');
console.log('4.', handed.output);
assert.match(handed.output ?? '', /^billing: .*this is about money/);
