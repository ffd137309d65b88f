import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore, Lease, LeaseWish, RunEntry } from '../../../contracts/journals/journal.ts';

/**
 * Creates a run in a store and acquires its lease. A run of that id whose process died before the first record is started now: nothing of
 * it was published.
 *
 * @throws `journal.exists` if there is a run of that id.
 */
export const enterRun = async (store: JournalStore, entry: RunEntry, request: LeaseWish): Promise<Lease> => {
  try {
    return await store.create(entry, request);
  } catch (thrown) {
    if (!isTroupeError(thrown, 'journal.exists')) throw thrown;
    const lease = await takeEmpty(store, entry, request);
    if (lease === undefined) throw thrown;
    return lease;
  }
};

const takeEmpty = async (
  store: JournalStore,
  { runId, agent }: RunEntry,
  request: LeaseWish,
): Promise<Lease | undefined> => {
  const isEmpty = async (): Promise<boolean> => (await store.read(runId, 0, 1)).length === 0;
  if ((await store.entry(runId))?.agent !== agent || !(await isEmpty())) return undefined;
  let lease: Lease;
  try {
    lease = await store.acquire(runId, request);
  } catch (thrown) {
    // Another process has just created it and is about to start it.
    if (isTroupeError(thrown, 'journal.held')) return undefined;
    throw thrown;
  }
  if (await isEmpty()) return lease;
  await store.release(lease);
  return undefined;
};
