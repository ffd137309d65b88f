// A team gave a wrong answer: which agent was it, in which step? Found by changing what was said, and replaying the rest.
//
//   npx tsx examples/49-blame.ts
import assert from 'node:assert/strict';
import { agent, replay } from 'troupe';
import type { RunResult } from 'troupe';
import { modelAnswer } from 'troupe/models';
import type { Model } from 'troupe/models';
import { pipeline } from 'troupe/patterns';
import { memoryStore } from 'troupe/stores';
import { blame } from 'troupe/testing';

/** In place of a provider's model: says something about its task, and counts how often it is asked. */
const asked = new Map<string, number>();
const modelOf = (name: string, say: (told: string, time: number) => string): Model => ({
  provider: 'example',
  id: name,
  answer: ({ messages }) => {
    const time = (asked.get(name) ?? 0) + 1;
    asked.set(name, time);
    const text = say(messages.at(messages.length - 1)?.text ?? '', time);
    return modelAnswer({ text, usage: { input: 200, output: 20, billedUsd: 0.01 } });
  },
});

// Three agents, one after the other. The researcher is mistaken the first time; nobody after it can know.
const researcher = agent({
  name: 'researcher',
  model: modelOf('researcher', (_, time) => `The tower is ${time === 1 ? 230 : 330} metres high.`),
});
const writer = agent({ name: 'writer', model: modelOf('writer', (told) => `Did you know? ${told}`) });
const editor = agent({ name: 'editor', model: modelOf('editor', (told) => told.replace('high', 'tall')) });
const desk = pipeline({ name: 'desk', stages: [researcher, writer, editor] });

const store = memoryStore();
const { output } = await desk.run('How high is the Eiffel Tower?', { store, runId: 'tower' });
console.log('1. The answer was:', output);

// The check: true for a run that fails. It sees the whole result, its events, too.
const textOf = (output: unknown): string => (typeof output === 'string' ? output : '');
const fails = (run: RunResult): boolean => !textOf(run.output).includes('330');

// 2. Without `live` no model is asked: only what other runs of the store have said is tried.
const cheap = await blame(desk, { store, runId: 'tower', fails });
console.log(`2. Without asking: ${cheap.verdict}, as ${cheap.untried[0] ?? ''}`);
assert.equal(cheap.verdict, 'none');
assert.equal(cheap.tried.modelCalls, 0);

// 3. With `live` models are asked again, within a budget. All else is answered from the journal.
const found = await blame(desk, { store, runId: 'tower', fails, live: { budgetUsd: 1 } });
const [change] = found.changes;
assert(change !== undefined && found.fork !== undefined);
console.log(`3. ${change.agent} in step ${change.step ?? 0} said: ${change.recorded.text}`);
console.log(`   With: ${change.changed.text} the answer is: ${textOf(found.output.changed)}`);
console.log(`   Then ${found.followed.map(({ agent: who }) => who).join(' and ')} said something else, too.`);
console.log(
  `   ${found.turned?.count ?? 0} of ${found.turned?.of ?? 0} attempts, ${found.tried.modelCalls} model calls`,
);
assert.deepEqual(
  found.changes.map(({ agent: who, step }) => [who, step]),
  [['researcher', 0]],
);
assert.equal(found.output.changed, 'Did you know? The tower is 330 metres tall.');
assert.deepEqual(
  found.followed.map(({ agent: who }) => who),
  ['writer', 'editor'],
);

// 4. A critic of yours may say what should have been said, in place of a model.
const repaired = await blame(desk, {
  store,
  runId: 'tower',
  fails,
  live: true,
  repair: ({ agent: who, recorded }) =>
    who === 'researcher' ? recorded.text.replace('230', '330') : undefined,
});
console.log(`4. Repaired: ${repaired.changes[0]?.changed.text ?? ''}`);
assert.equal(repaired.changes[0]?.origin, 'repair');

// 5. The proof is a fork, which replays without a key: `troupe blame tower --fails check.ts --write tower.test.ts` makes it a test.
const again = await replay(desk, found.fork.runId, { store: found.fork.store });
assert(again.result !== undefined && !fails(again.result));
assert.equal((await store.list()).length, 1, 'nothing is written to the store');
console.log(`5. The fork replays: ${again.events.length} events`);
