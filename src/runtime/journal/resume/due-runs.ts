import { systemClock } from '../../../base/clock.ts';
import type { UnreadableEntry } from '../../../contracts/errors/listed.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import { isDue } from './is-due.ts';
import { heldRuns } from './left-running.ts';

/** Runs that wait for a process, and entries of which it is not known. */
export interface DueRuns {
  /** Oldest first. */
  readonly due: readonly RunEntry[];
  readonly unreadable: readonly UnreadableEntry[];
}

/**
 * The unfinished runs that no process has, at most `limit`: those that were running when their process ended or were left to others, those that
 * are due, and those that have letters. No lease is taken for that.
 */
export const dueRuns = async (store: JournalStore, limit: number): Promise<DueRuns> => {
  if (store.due === undefined) return searchDue(store, limit);
  const [free, orphaned] = await Promise.all([store.due(systemClock.now(), limit), orphanedRuns(store)]);
  return { due: [...orphaned, ...free].slice(0, limit), unreadable: free.unreadable ?? [] };
};

/** Runs under leases that have not expired, of processes that are known to be gone. */
const orphanedRuns = async (store: JournalStore): Promise<readonly RunEntry[]> => {
  const { identity } = store;
  if (identity === undefined) return [];
  const now = systemClock.now();
  const orphaned: RunEntry[] = [];
  for (const { runId, holder, expiresAt } of await store.leases()) {
    if (expiresAt <= now || !identity.isGone(holder)) continue;
    const entry = await store.entry(runId);
    if (entry !== undefined && (await isDue(store, entry))) orphaned.push(entry);
  }
  return orphaned;
};

/** Looks at one run after the other. */
const searchDue = async (store: JournalStore, limit: number): Promise<DueRuns> => {
  const open = await store.list({ status: ['running', 'waiting'] });
  const held = await heldRuns(store);
  const due: RunEntry[] = [];
  for (const entry of open.toReversed()) {
    if (due.length >= limit) break;
    if (!held.has(entry.runId) && (await isDue(store, entry))) due.push(entry);
  }
  return { due, unreadable: open.unreadable ?? [] };
};
