// A run that waits for approval in one process, and gets it from another, which shares only the store.
//
//   npx tsx examples/12-approval-from-another-process.ts
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, answerRequest, openRequests, tool } from 'troupe';
import { sqliteStore } from 'troupe/stores';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

/** Runs in the process that has the agent. */
const runClerk = async (database: string): Promise<void> => {
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    safety: 'danger', // a person has to approve it first
    input: z.object({ order: z.number(), euros: z.number() }),
    describe: ({ order, euros }) => `Paying back ${euros} euros for order ${order}`,
    execute: ({ order, euros }) => `Paid back ${euros} euros for order ${order}.`,
  });
  const clerk = agent({
    name: 'clerk',
    instructions: 'Help with orders.',
    tools: [refund],
    model: scriptedModel([
      calls({ name: 'refund', input: { order: 17, euros: 390 } }),
      'Your money is on its way.',
    ]),
  });
  const store = sqliteStore(database);
  // There is no person here: as the run is stored, it waits without limit.
  const { records, output } = await clerk.run('My kettle is broken.', { store, runId: 'run-17' });
  console.log('3. clerk:', records[0]?.results[0]?.text);
  console.log('4. clerk:', output);
  await store.close();
};

/** Runs in any other process, with the store and without the agent. */
const approveElsewhere = async (database: string): Promise<void> => {
  const child = fork(import.meta.filename, [database]);
  const ended = once(child, 'exit');
  const store = sqliteStore(database);
  const request = await firstRequest(store);
  assert.equal(request.kind, 'approval');
  console.log(`1. ${request.agent} wants to: ${request.description}`);

  // 39, not 390: the call is made with these arguments. The id is bound to the call as requested.
  await answerRequest(store, 'run-17', { id: request.id, yes: true, input: { order: 17, euros: 39 } });
  console.log(`2. approved as 39 euros, by request ${request.id.slice(0, 8)}…`);

  const [exit] = await ended;
  assert.equal(exit, 0);
  assert.deepEqual(await openRequests(store), []);
  // A request can be answered once.
  const again = answerRequest(store, 'run-17', { id: request.id, yes: true });
  await assert.rejects(again, { code: 'request.unknown' });
  assert.equal((await store.entry('run-17'))?.status, 'completed');
  await store.close();
};

const firstRequest = async (store: ReturnType<typeof sqliteStore>) => {
  for (;;) {
    const [request] = await openRequests(store);
    if (request !== undefined) return request;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const [, , given] = process.argv;
if (given !== undefined) await runClerk(given);
else {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-'));
  try {
    await approveElsewhere(join(folder, 'runs.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
