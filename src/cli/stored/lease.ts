import type { JournalStore, LeaseWish } from '../../contracts/journals/journal.ts';

/** A lease request of this process for the duration of a command. */
export const briefWish = ({ identity }: JournalStore): LeaseWish => ({
  holder: identity?.holder ?? crypto.randomUUID(),
  ttlMs: 10_000,
  now: Date.now(),
  isGone: (holder) => identity?.isGone(holder) ?? false,
});
