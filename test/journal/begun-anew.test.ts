import { expect, test } from 'vitest';
// Loaded when a run is stored: not after the test.
import '../../src/memory/threads/threads.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { resume } from '../../src/runtime/journal/resume/resume.ts';

const clerk = agent({ name: 'clerk', decide: () => ({ kind: 'answer', answer: 'done' }) });
const entry = {
  runId: 'r',
  agent: 'clerk',
  status: 'running',
  title: '',
  createdAt: 0,
  updatedAt: 0,
} as const;
const wish = { holder: 'somebody', ttlMs: 1_000, now: 0 };

test('[P11] a run whose process died before anything of it was written is begun anew under its id', async () => {
  const store = memoryStore();
  await store.release(await store.create(entry, wish));
  await expect(resume(clerk, 'r', { store })).rejects.toMatchObject({ code: 'journal.unknown' });
  expect((await clerk.run('go', { store, runId: 'r' })).output).toBe('done');
  expect((await (await resume(clerk, 'r', { store })).result).output).toBe('done');
});

test('one that has begun, is another agent’s, or is about to begin, is not', async () => {
  const store = memoryStore();
  await clerk.run('go', { store, runId: 'old' });
  await expect(clerk.run('go', { store, runId: 'old' })).rejects.toMatchObject({ code: 'journal.exists' });
  await store.release(await store.create({ ...entry, runId: 'other', agent: 'somebody' }, wish));
  await expect(clerk.run('go', { store, runId: 'other' })).rejects.toMatchObject({ code: 'journal.exists' });
  await store.create({ ...entry, runId: 'held' }, { ...wish, now: Date.now() });
  await expect(clerk.run('go', { store, runId: 'held' })).rejects.toMatchObject({ code: 'journal.exists' });
});
