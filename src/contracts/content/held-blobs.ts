/**
 * Holds on bytes in a blob store from which they can be removed. Beside the bytes `HASH` there is a name `HASH.held.TOKEN` for each hold, and
 * `HASH.removing.TIME-ID` for as long as they may be removed.
 *
 * I1 A hold is put before the bytes are sought, and a mark before the holds are: of two that meet, one sees the other.
 * I2 Bytes are removed by who has found no hold after their mark. Who finds a mark after their hold puts the bytes into the hold itself,
 *   which only its holder removes.
 */
import { randomId } from '../../base/random-id.ts';
import type { BlobStore } from './blob-store.ts';

/** A blob store from which bytes can be removed. */
export type ReleasableBlobs = BlobStore & Required<Pick<BlobStore, 'remove' | 'names'>>;

/** Checks whether bytes can be removed from a blob store. */
export const isReleasable = (blobs: BlobStore): blobs is ReleasableBlobs =>
  blobs.remove !== undefined && blobs.names !== undefined;

/** The token of a hold that never ends. */
export const OUTSIDE = 'outside';

/** Stores bytes under a hold; without bytes, those that are there are held. Again, it changes nothing. */
export const storeHeld = async (
  blobs: ReleasableBlobs,
  { hash, token }: { readonly hash: string; readonly token: string },
  bytes?: Uint8Array,
): Promise<void> => {
  const hold = `${hash}${HELD}${token}`;
  const before = await blobs.names(hash);
  // Stored without a hold: by whom is unknown, so they stay.
  if (before.includes(hash) && !before.some(isHold)) await blobs.put(`${hash}${HELD}${OUTSIDE}`, NOTHING);
  if (!before.includes(hold)) await blobs.put(hold, NOTHING);
  let names = await blobs.names(hash);
  if (!names.includes(hash) && bytes !== undefined) {
    await blobs.put(hash, bytes);
    names = await blobs.names(hash);
  }
  if (names.includes(hash) && !names.some(isMark)) return;
  const kept = bytes ?? (await readHeld(blobs, hash));
  if (kept !== undefined) await blobs.put(hold, kept);
};

/** Reads bytes, also those that are in a hold. */
export const readHeld = async (blobs: BlobStore, hash: string): Promise<Uint8Array | undefined> => {
  const bytes = await blobs.get(hash);
  if (bytes !== undefined || !isReleasable(blobs)) return bytes;
  for (const name of (await blobs.names(hash)).filter(isHold)) {
    const kept = await blobs.get(name);
    if (kept !== undefined && kept.byteLength > 0) return kept;
  }
  return undefined;
};

/**
 * Ends a hold, and removes the bytes if it was the last; again, it changes nothing. Returns false while another attempt may be removing
 * them, or was killed as it did: then it has to be called again.
 */
export const releaseHeld = async (
  blobs: ReleasableBlobs,
  { hash, token }: { readonly hash: string; readonly token: string },
  now: number,
): Promise<boolean> => {
  await blobs.remove(`${hash}${HELD}${token}`);
  if ((await blobs.names(hash)).some(isHold)) return true;
  const mark = `${hash}${REMOVING}${now}-${randomId()}`;
  await blobs.put(mark, NOTHING);
  if (!(await blobs.names(hash)).some(isHold)) await blobs.remove(hash);
  await blobs.remove(mark);
  const marks = (await blobs.names(hash)).filter(isMark);
  const dead = marks.filter((each) => timeOf(each) < now - ATTEMPT_MS);
  for (const each of dead) await blobs.remove(each);
  return dead.length === marks.length;
};

const HELD = '.held.';
const REMOVING = '.removing.';
const NOTHING = new Uint8Array();

/** No attempt to remove bytes takes that long, in ms. */
const ATTEMPT_MS = 3_600_000;

const isHold = (name: string): boolean => name.includes(HELD);
const isMark = (name: string): boolean => name.includes(REMOVING);
const timeOf = (mark: string): number =>
  Number.parseInt(mark.slice(mark.indexOf(REMOVING) + REMOVING.length), 10) || 0;
