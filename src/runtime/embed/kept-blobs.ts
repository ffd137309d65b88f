import { fromBase64, toBase64 } from '../../base/bytes.ts';
import { platformSha256 } from '../../base/platform-sha256.ts';
import type { GivenBlobs } from '../content/read-given.ts';

/** The bytes of media in a persisted snapshot: base64 by hash. */
export type PackedBlobs = Readonly<Record<string, string>>;

/** Bytes never change, and stand in every snapshot of their run. */
const packed = new WeakMap<Uint8Array, string>();

/** Bytes as a snapshot has them; nothing if there are none. */
export const packBlobs = (blobs?: GivenBlobs): { readonly blobs?: PackedBlobs } =>
  blobs === undefined || blobs.size === 0
    ? {}
    : { blobs: Object.fromEntries([...blobs].map(([hash, bytes]) => [hash, packBytes(bytes)])) };

const packBytes = (bytes: Uint8Array): string => {
  const text = packed.get(bytes) ?? toBase64(bytes);
  packed.set(bytes, text);
  return text;
};

/** The bytes in a snapshot; undefined if they are damaged. */
export const unpackBlobs = (given: unknown): GivenBlobs | undefined => {
  if (given === undefined) return new Map();
  if (typeof given !== 'object' || given === null) return undefined;
  const blobs = new Map<string, Uint8Array>();
  for (const [hash, text] of Object.entries(given) as readonly (readonly [string, unknown])[]) {
    const bytes = typeof text === 'string' ? fromBase64(text) : undefined;
    if (bytes === undefined || platformSha256(bytes) !== hash) return undefined;
    blobs.set(hash, bytes);
  }
  return blobs;
};
