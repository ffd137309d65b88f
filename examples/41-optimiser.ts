// An optimiser: what recorded runs say is wasted, a cache of answers across runs, and a change that is rolled back where it makes runs worse.
//
//   npx tsx examples/41-optimiser.ts
//
// When not to use it: for agents that are to answer the same request differently each time, such as votes or drafts. Leave them out by `scope`.
import assert from 'node:assert/strict';
import { agent, createGlobalEngine, TroupeError } from 'troupe';
import { memoryStore } from 'troupe/stores';
import { answerCache, optimizer, suggestions } from 'troupe/telemetry';
import { scriptedModel, virtualClock } from 'troupe/testing';

const usage = { input: 200, output: 4, billedUsd: 0.01 };
/** A model that gives the same short answer as often as it is asked. */
const large = (most: number) =>
  scriptedModel(
    Array.from({ length: most }, () => ({ text: 'Within 30 days.', usage })),
    'large',
  );

// 1. Recorded runs are looked at: what was wasted, and by what that is proven. What is not proven is left out, unless it is asked for.
const store = memoryStore();
const clerk = agent({ name: 'clerk', model: large(6) });
for (const question of ['How long can I return it?', 'And abroad?'])
  for (let asked = 0; asked < 3; asked += 1) await clerk.run(question, { store });
const [cheaper, ...others] = await suggestions(store, { target: 'cost' });
console.log(`1. ${cheaper?.type}: ${cheaper?.basis}`);
assert.deepEqual([cheaper?.type, cheaper?.proven], ['cache', { by: 'replay', runs: 4 }]);
assert.equal(others.length, 0);
const [guess] = await suggestions(store, { target: 'cost', unproven: true });
console.log(`1. ${guess?.type}: ${guess?.basis}`);
assert.deepEqual([guess?.type, guess?.proven], ['smaller-model', false]);

// 2. A smaller model is tried on forks of these runs before it is offered: they have to end the same, and cost less.
const small = scriptedModel(
  Array.from({ length: 3 }, () => ({ text: 'Within 30 days.', usage: { ...usage, billedUsd: 0.001 } })),
  'small',
);
const [tried] = await suggestions(store, { prove: { agent: clerk, model: small, runs: 3 } });
console.log(`2. ${tried?.type}: ${tried?.basis}`);
assert.deepEqual([tried?.type, tried?.proven], ['smaller-model', { by: 'forks', runs: 3 }]);

// 3. A cache across runs: the second equal run asks no model; after its time to live, one does again.
const clock = virtualClock();
const cache = answerCache({ ttlMs: 300_000, scope: ({ context }) => String(context) });
const model = large(3);
const cached = agent({ name: 'clerk', model });
const ask = (tenant: string) =>
  cached.run('How long can I return it?', { resources: [cache], context: tenant, clock });
await ask('acme');
await ask('acme');
const asked = (): number => model.requests.length;
assert.equal(asked(), 1);
await ask('other'); // tenants do not share answers
await clock.advance(300_000);
const { totals } = await ask('acme');
assert.equal(asked(), 3);
console.log(`3. asked ${asked()} times in 4 runs, the last at ${String(totals.costUsd)} dollars`);

// 4. The same, applied by itself, and a model that fails, which is rolled back. It is applied without proof, as that is asked for: with
// `prove: { store, agents }` forks of recorded runs would have refuted it.
const broken = new TroupeError('model.unavailable', 'Cannot answer as the service is down', {
  retryable: 'no',
});
const better = optimizer({
  apply: true,
  unproven: true,
  runs: 5,
  models: { 'scripted:large': scriptedModel([broken], 'broken') },
  guard: { metric: 'errors', worseBy: 0.05 },
  onChange: ({ kind, suggestion }) => console.log(`4. ${kind}: ${suggestion.type}`),
});
const engine = createGlobalEngine({ resources: [better], hooks: [better] });
const worker = agent({ name: 'worker', model: large(6), failures: { retry: { attempts: 1 } } });
for (let run = 0; run < 5; run += 1) await engine.execute(worker, `Question ${run}`);
assert.deepEqual(
  better.applied.map(({ type }) => type),
  ['smaller-model'],
);
await assert.rejects(engine.execute(worker, 'Question 6'));
assert.deepEqual(better.applied, []);
const { events } = await engine.execute(worker, 'Question 7');
const told = events.flatMap((event) => (event.type === 'custom.emitted' ? [event.name] : []));
assert.deepEqual(told, ['optimizer.rolled-back']);
await engine.shutdown();
