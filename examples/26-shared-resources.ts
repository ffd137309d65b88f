// Resources shared by all runs of a process: a provider that may be down, a pool, a rate limit, and locked files.
//
//   npx tsx examples/26-shared-resources.ts
//
// When not to use it: a single run. Its budget, the retries of its models and the concurrency of its tools are enough.
// Its chart: docs/diagrams/breaker.mmd, and docs/diagrams/lease.mmd
import assert from 'node:assert/strict';
import {
  act,
  agent,
  answer,
  circuitBreaker,
  concurrencyPool,
  locks,
  rateLimit,
  shared,
  tool,
  TroupeError,
} from 'troupe';
import { parallel } from 'troupe/patterns';
import { scriptedModel, virtualClock } from 'troupe/testing';
import { z } from 'zod';

// 1. After two consecutive failures the breaker opens, and no run calls the provider for a while: the next model answers at once.
const clock = virtualClock(); // so that the breaker does not close while you read this
const breaker = circuitBreaker({ failures: 2, halfOpenAfterMs: 30_000, clock });
const down = new TroupeError('model.unavailable', 'Cannot answer as the service is down: 503');
const large = scriptedModel([down, down, 'Back again.'], 'large');
const small = scriptedModel(['Small.', 'Small.', 'Small.', 'Small.'], 'small');
const clerk = agent({
  name: 'clerk',
  failures: { retry: { attempts: 1 } },
  // The same rate and pool for all models of one key.
  model: [shared(large, { breaker, pool: concurrencyPool(8), rate: rateLimit({ perMinute: 500 }) }), small],
});
for (const question of ['one', 'two', 'three', 'four']) {
  const { output } = await clerk.run(question);
  console.log(
    `1. ${question}: ${output} (large was asked ${large.requests.length} times, breaker ${breaker.state})`,
  );
}
assert.equal(large.requests.length, 2);
await clock.advance(30_000);
const back = await clerk.run('five');
console.log(`1. five: ${back.output} (breaker ${breaker.state})`);
assert.equal(back.output, 'Back again.');

// 2. A lock: one holder at a time, across all runs; released when the call ends in any way, or when its lease expires.
const files = locks();
let inside = 0;
let most = 0;
const edit = tool({
  name: 'edit',
  description: 'Edits a file.',
  input: z.object({ path: z.string() }),
  execute: async ({ path }) => {
    most = Math.max(most, (inside += 1));
    await Promise.resolve();
    inside -= 1;
    return `${path} edited`;
  },
});
const editor = (name: string) =>
  agent({
    name,
    tools: [files.locked(edit, 'report.md', { leaseMs: 10_000 })],
    decide: ({ results: [done] }) =>
      done === undefined ? act({ name: 'edit', input: { path: 'report.md' } }) : answer(done.text),
  });
const desk = parallel({
  name: 'desk',
  members: { ann: editor('ann'), bob: editor('bob'), cy: editor('cy') },
});
const { output: edited } = await desk.run('Mend the report.');
console.log('2.', edited?.length, 'edits,', most, 'at a time');
assert.equal(most, 1);
assert.deepEqual(files.snapshot(), []);
