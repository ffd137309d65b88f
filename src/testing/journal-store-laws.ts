import type { JournalStore } from '../contracts/journals/journal.ts';
import { dueLaws, holdingLaws, keepingLaws, letterLaws } from './journal-keeping-laws.ts';
import { leaseLaws } from './journal-lease-laws.ts';
import { movingLaws } from './journal-moving-laws.ts';
import { rowLaws } from './journal-row-laws.ts';
import { asBroken } from './journal-scene.ts';

/** A store to be tested, empty. */
export interface JournalStoreWorld {
  readonly store: JournalStore;
  /**
   * Opens the same store a second time, as another process would; without it, laws about several processes are skipped.
   */
  readonly another?: (() => JournalStore | Promise<JournalStore>) | undefined;
  /** Afterwards, however it went. Both stores are closed by then. */
  dispose?(): void | Promise<void>;
}

/** A law that every store must satisfy. */
export interface JournalStoreLaw {
  readonly name: string;
  /** Rejects with `journal.failed`, and the violation, if it does not hold. Makes a store of its own. */
  readonly check: () => Promise<void>;
}

/**
 * The laws that every journal store must satisfy, whatever its implementation: for the tests of a custom one.
 *
 * @param make Makes a world for one law.
 *
 * @example
 * for (const law of journalStoreLaws(() => ({ store: myStore() }))) test(law.name, law.check);
 */
export const journalStoreLaws = (
  make: () => JournalStoreWorld | Promise<JournalStoreWorld>,
): readonly JournalStoreLaw[] =>
  [...rowLaws, ...leaseLaws, ...letterLaws, ...dueLaws, ...keepingLaws, ...holdingLaws, ...movingLaws].map(
    ({ name, holds }) => ({
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
    }),
  );
