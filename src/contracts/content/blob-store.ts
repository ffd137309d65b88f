import { fromBase64, toBase64 } from '../../base/bytes.ts';
import type { KeyValueFiles } from '../conversations/memory.ts';

/**
 * Stores the bytes of media under their SHA-256. Equal bytes have one entry.
 *
 * What `put` has confirmed is durable; a run commits the record that refers to a blob after that. A store of objects (S3,
 * R2, GCS …) is two functions over its client.
 *
 * @example
 * const blobs: BlobStore = {
 *   name: 's3:our-bucket',
 *   put: (hash, bytes) => bucket.write(`blobs/${hash}`, bytes),
 *   get: (hash) => bucket.read(`blobs/${hash}`), // undefined if there is none
 * };
 */
export interface BlobStore {
  /** Its location, for messages: `folder:/home/ada/blobs`. */
  readonly name: string;
  /** Stores bytes under their hash; a hash that is there already is left as it is. */
  put(hash: string, bytes: Uint8Array): void | Promise<void>;
  /** Returns the bytes; undefined if there are none. */
  get(hash: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** With `names`: bytes are removed when the last run that holds them is pruned. Names are then also hashes with an ending. */
  remove?(name: string): void | Promise<void>;
  /** All names that begin so, as they are at one moment. */
  names?(start: string): readonly string[] | Promise<readonly string[]>;
}

/** Keeps blobs in memory, for as long as it is referred to itself. */
export const memoryBlobs = (): BlobStore => {
  const blobs = new Map<string, Uint8Array>();
  return {
    name: 'memory',
    put: (hash, bytes) => {
      if (!blobs.has(hash)) blobs.set(hash, bytes);
    },
    get: (hash) => blobs.get(hash),
  };
};

/** The room of a journal store in which the bytes of media are. */
export const BLOB_ROOM = 'blobs';

/** Keeps blobs as named texts, in base64: in the tables of a journal store, beside its runs. */
export const blobsIn = (files: KeyValueFiles, name: string): BlobStore => ({
  name,
  put: (hash, bytes) => files.write(hash, toBase64(bytes)),
  get: async (hash) => {
    const text = await files.read(hash);
    return text === undefined ? undefined : fromBase64(text);
  },
});
