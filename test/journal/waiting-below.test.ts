import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';
import { resumeEach } from '../../src/runtime/journal/resume/resume-all.ts';
import { delegate } from '../../src/tools/built-in/delegation/delegate.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { hang, quiet } from '../support/runs.ts';

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  safety: 'danger',
  input: z.object({}),
  execute: () => 'ok',
});

const payer = agent({
  name: 'payer',
  tools: [pay],
  decide: ({ step }) => (step === 0 ? act({ name: 'pay', input: {} }) : answer('paid')),
});

const stuck = agent({
  name: 'stuck',
  tools: [hang],
  decide: () => act({ name: 'hang', input: {} }),
});

/** Has others work, all at once. */
const boss = (...others: readonly Agent<string, string>[]) =>
  agent({
    name: 'boss',
    tools: [delegate({ to: others, name: 'delegate' })],
    decide: ({ step, results }) =>
      step === 0
        ? act(...others.map(({ name }) => ({ name: 'delegate', input: { to: name, task: 'go' } })))
        : answer(results.map(({ text }) => text).join()),
  });

const entryOf = async (one: Agent<string, string>) => {
  const store = memoryStore();
  const handle = one.stream('go', { store, runId: 'r' });
  for (let turns = 0; turns < 20; turns += 1) await quiet();
  return { store, handle, entry: await store.entry('r') };
};

test('a run whose delegate waits for a person waits, and is resumed once it is answered', async () => {
  const { store, handle, entry } = await entryOf(boss(payer));
  expect(entry?.status).toBe('waiting');
  await handle.suspend();
  await handle.result.catch(() => undefined);
  expect((await store.entry('r'))?.status).toBe('waiting');
  const { resumed } = await resumeEach(store, {
    isDueOnly: true,
    resumeOne: ({ runId }) => Promise.resolve(runId),
  });
  expect(resumed).toEqual([]);
  const again = await resume(boss(payer), 'r', { store });
  for (let turns = 0; turns < 20; turns += 1) await quiet();
  expect((await store.entry('r'))?.status).toBe('waiting');
  again.events$.subscribe((event) => {
    if (event.type === 'tool.approval-requested') again.approve(event.id);
  });
  expect((await again.result).output).toBe('paid');
});

test('a run of which one delegate waits for a person while another works is running', async () => {
  const { handle, entry } = await entryOf(boss(payer, stuck));
  expect(entry?.status).toBe('running');
  handle.abort('enough');
  await handle.result.catch(() => undefined);
});
