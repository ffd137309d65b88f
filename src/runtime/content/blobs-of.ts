import type { BlobStore } from '../../contracts/content/blob-store.ts';
import { BLOB_ROOM, blobsIn, memoryBlobs } from '../../contracts/content/blob-store.ts';
import type { Threads } from '../../contracts/conversations/thread.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';

const inStores = new WeakMap<JournalStore, BlobStore>();
const ofThreads = new WeakMap<Threads, BlobStore>();

/** The blob store of a run: the given one, else its store's own tables, else memory, which runs of one storage of threads share. */
export const blobsOf = ({
  content,
  store,
  threads,
}: Pick<RunOptions, 'content' | 'store' | 'threads'>): BlobStore => {
  if (content?.blobs !== undefined) return content.blobs;
  if (store !== undefined) return shared(inStores, store, () => blobsIn(store.files(BLOB_ROOM), store.name));
  return threads === undefined ? memoryBlobs() : shared(ofThreads, threads, memoryBlobs);
};

const shared = <Key extends object>(
  known: WeakMap<Key, BlobStore>,
  key: Key,
  make: () => BlobStore,
): BlobStore => {
  const blobs = known.get(key) ?? make();
  known.set(key, blobs);
  return blobs;
};
