import { describe, expect, it } from 'vitest';
import type { JournalStoreWorld } from '../../src/testing/journal-store-laws.ts';
import { journalStoreLaws } from '../../src/testing/journal-store-laws.ts';

/** What every store owes those who use it, wherever it keeps journals. */
export const storeContract = (
  name: string,
  make: () => JournalStoreWorld | Promise<JournalStoreWorld>,
): void => {
  describe(`the store ${name}`, () => {
    it.each(journalStoreLaws(make))('$name', async ({ check }) => {
      await expect(check()).resolves.toBeUndefined();
    });
  });
};
