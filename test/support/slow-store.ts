import type { JournalStore } from '../../src/contracts/journal.ts';

/** A store in another place: whatever is written is there, and confirmed, only after so many ms. */
export const slowStore = (store: JournalStore, ms: number): JournalStore =>
  new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
      const commit: JournalStore['commit'] = async (lease, given) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        await target.commit(lease, given);
      };
      return commit;
    },
  });
