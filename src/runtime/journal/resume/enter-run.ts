import { isTroupeError } from '../../../contracts/error.ts';
import type { JournalStore, Lease, LeaseWish, RunEntry } from '../../../contracts/journal.ts';

/**
 * Enters a run in a store, and takes it. One of that id whose process died before it had begun is nothing yet: nobody was told
 * anything of it, and it begins now.
 *
 * @throws `journal.exists` where there is a run of that id.
 */
export const enterRun = async (store: JournalStore, entry: RunEntry, wish: LeaseWish): Promise<Lease> => {
  try {
    return await store.create(entry, wish);
  } catch (thrown) {
    if (!isTroupeError(thrown, 'journal.exists')) throw thrown;
    const lease = await takeEmpty(store, entry, wish);
    if (lease === undefined) throw thrown;
    return lease;
  }
};

const takeEmpty = async (
  store: JournalStore,
  { runId, agent }: RunEntry,
  wish: LeaseWish,
): Promise<Lease | undefined> => {
  const isEmpty = async (): Promise<boolean> => (await store.read(runId, 0, 1)).length === 0;
  if ((await store.entry(runId))?.agent !== agent || !(await isEmpty())) return undefined;
  let lease: Lease;
  try {
    lease = await store.acquire(runId, wish);
  } catch (thrown) {
    // Whoever entered it is about to begin.
    if (isTroupeError(thrown, 'journal.held')) return undefined;
    throw thrown;
  }
  if (await isEmpty()) return lease;
  await store.release(lease);
  return undefined;
};
