import type { ReleasableBlobs } from '../../src/contracts/content/held-blobs.ts';

/** A store of objects, such as S3, in plain sight. */
export const plainBlobs = (name = 's3:bucket') => {
  const objects = new Map<string, Uint8Array>();
  const blobs: ReleasableBlobs = {
    name,
    put: async (at, bytes) => void objects.set(at, bytes),
    get: async (at) => objects.get(at),
    remove: async (at) => void objects.delete(at),
    names: async (start) => [...objects.keys()].filter((each) => each.startsWith(start)),
  };
  return { objects, blobs };
};
