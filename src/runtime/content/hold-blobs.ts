import type { BlobStore } from '../../contracts/content/blob-store.ts';
import { isReleasable, OUTSIDE, storeHeld } from '../../contracts/content/held-blobs.ts';
import type { BlobHolder, JournalStore } from '../../contracts/journals/journal.ts';

/** Hashes that a holder refers to, with the bytes of those that have to be stored. */
export type HeldBytes = ReadonlyMap<string, Uint8Array | undefined>;

/** The stores that know who refers to bytes, and have them. */
export interface HoldPlace {
  readonly store: JournalStore | undefined;
  /** The place of the bytes. */
  readonly blobs: BlobStore;
  /** True if that is the store itself. */
  readonly isInStore: boolean;
}

/** Registers that a holder refers to bytes, then stores those that are not there. */
export const holdBlobs = async (
  { store, blobs, isInStore }: HoldPlace,
  holder: BlobHolder,
  wanted: HeldBytes,
): Promise<void> => {
  const holds = await holdsOf(store, holder, [...wanted.keys()], isInStore ? undefined : blobs.name);
  await Promise.all(
    holds.map(async ({ hash, token, isStored }) => {
      const bytes = wanted.get(hash);
      if (!isInStore && isReleasable(blobs)) await storeHeld(blobs, { hash, token }, bytes);
      else if (!isStored && bytes !== undefined) await blobs.put(hash, bytes);
    }),
  );
};

/** Without a store that knows its holders, bytes stay for good. */
const holdsOf = async (
  store: JournalStore | undefined,
  holder: BlobHolder,
  hashes: readonly string[],
  place: string | undefined,
) =>
  (await store?.hold?.(holder, hashes, place)) ??
  hashes.map((hash) => ({ hash, token: OUTSIDE, isStored: false }));

/** The hashes of all references to bytes in a value. */
export const hashesIn = (value: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (typeof value !== 'object' || value === null) return found;
  const { hash, mediaType } = value as { readonly hash?: unknown; readonly mediaType?: unknown };
  if (typeof mediaType === 'string' && typeof hash === 'string' && HASH.test(hash)) found.add(hash);
  else for (const each of Object.values(value)) hashesIn(each, found);
  return found;
};

const HASH = /^[0-9a-f]{64}$/;
