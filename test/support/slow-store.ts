import type { Clock } from '../../src/base/clock.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { JournalStore } from '../../src/contracts/journals/journal.ts';

/** A store in another place: whatever is written is there, and confirmed, only after so many ms of a clock. */
export const slowStore = (
  store: JournalStore,
  ms: number,
  clock: Pick<Clock, 'setTimeout'> = systemClock,
): JournalStore =>
  new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
      const commit: JournalStore['commit'] = async (lease, given) => {
        await new Promise<void>((resolve) => {
          clock.setTimeout(resolve, ms);
        });
        await target.commit(lease, given);
      };
      return commit;
    },
  });
