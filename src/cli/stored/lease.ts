import type { JournalStore, LeaseWish } from '../../contracts/journal.ts';

/** As whom this process has a run for as long as a command needs it. */
export const briefWish = ({ identity }: JournalStore): LeaseWish => ({
  holder: identity?.holder ?? crypto.randomUUID(),
  ttlMs: 10_000,
  now: Date.now(),
  isGone: (holder) => identity?.isGone(holder) ?? false,
});

/** @throws {TroupeError} `journal.held` while a process has the run. */
export const assertFree = async (store: JournalStore, runId: string): Promise<void> => {
  await store.release(await store.acquire(runId, briefWish(store)));
};
