import type { JournalStore } from '../contracts/journal.ts';
import { keepingLaws, letterLaws } from './journal-keeping-laws.ts';
import { leaseLaws } from './journal-lease-laws.ts';
import { rowLaws } from './journal-row-laws.ts';
import { asBroken } from './journal-scene.ts';

/** A store to be held to the laws, with nothing in it. */
export interface JournalStoreWorld {
  readonly store: JournalStore;
  /** Opens the same store a second time, as another process does; without it nothing is asked of several processes. */
  readonly another?: (() => JournalStore | Promise<JournalStore>) | undefined;
  /** Afterwards, however it went. Both stores are closed by then. */
  dispose?(): void | Promise<void>;
}

/** Something that every store owes those who use it. */
export interface JournalStoreLaw {
  readonly name: string;
  /** Rejects with `journal.failed`, and what was found, where it does not hold. Makes a world of its own. */
  readonly check: () => Promise<void>;
}

/**
 * What every store of journals owes those who use it, wherever it keeps them: for the tests of one of your own.
 *
 * @param make Makes a world for one law.
 *
 * @example
 * for (const law of journalStoreLaws(() => ({ store: myStore() }))) test(law.name, law.check);
 */
export const journalStoreLaws = (
  make: () => JournalStoreWorld | Promise<JournalStoreWorld>,
): readonly JournalStoreLaw[] =>
  [...rowLaws, ...leaseLaws, ...letterLaws, ...keepingLaws].map(({ name, holds }) => ({
    name,
    check: async () => {
      const world = await make();
      const { store, another } = world;
      let other: JournalStore | undefined;
      try {
        await holds({ store, other: async () => (other ??= (await another?.()) ?? store) });
      } catch (thrown) {
        throw asBroken(name, thrown);
      } finally {
        await store.close();
        if (other !== store) await other?.close();
        await world.dispose?.();
      }
    },
  }));
