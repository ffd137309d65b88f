import { BLOB_ROOM } from '../contracts/content/blob-store.ts';
import type { JournalRow, JournalStore } from '../contracts/journals/journal.ts';

/** The bytes of media in base64, by hash. */
type Blobs = Readonly<Record<string, string>>;

/** Reads the bytes that rows refer to and that their store has; media in a place of their own (`content.blobs`) stay there. */
export const readBlobs = async (store: JournalStore, rows: readonly JournalRow[]): Promise<Blobs> => {
  const files = store.files(BLOB_ROOM);
  const hashes = new Set(rows.flatMap(({ text }) => text.match(/[0-9a-f]{64}/g) ?? []));
  if (hashes.size === 0) return {};
  const found: Record<string, string> = {};
  const known = new Set(await files.names());
  for (const hash of hashes) {
    const base64 = known.has(hash) ? await files.read(hash) : undefined;
    if (base64 !== undefined) found[hash] = base64;
  }
  return found;
};

/** Writes bytes beside the runs of a store, before the rows that refer to them. */
export const writeBlobs = async (store: JournalStore, blobs: Blobs = {}): Promise<void> => {
  const files = store.files(BLOB_ROOM);
  for (const [hash, base64] of Object.entries(blobs)) await files.write(hash, base64);
};
