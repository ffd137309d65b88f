import { systemClock } from '../base/clock.ts';
import { randomId } from '../base/random-id.ts';
import type { JournalStore, RunEntry } from '../contracts/journals/journal.ts';
import { memoryStore } from './memory-store.ts';

/** Time that a lease of a copy is good for, in ms: nobody else asks for it. */
const LEASE_MS = 60_000;

/** Copies a stored run into a new store in memory. */
export const copyRun = async (from: JournalStore, entry: RunEntry): Promise<JournalStore> => {
  const store = memoryStore();
  const { runId, status, updatedAt } = entry;
  const wish = { holder: randomId(), ttlMs: LEASE_MS, now: systemClock.now() };
  const lease = await store.create(entry, wish);
  await store.commit(lease, { rows: await from.read(runId), change: { status, updatedAt } });
  await store.release(lease);
  return store;
};
