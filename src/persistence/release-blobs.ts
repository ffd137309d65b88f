import * as z from 'zod';
import { systemClock } from '../base/clock.ts';
import type { BlobStore } from '../contracts/content/blob-store.ts';
import { isReleasable, releaseHeld } from '../contracts/content/held-blobs.ts';
import type { JournalStore } from '../contracts/journals/journal.ts';
import { TroupeError } from '../contracts/errors/error.ts';

/** The room of a store with the holds of pruned runs on bytes elsewhere, by their tokens. */
export const RELEASED_ROOM = 'released';

const released = z.object({ hash: z.string(), place: z.string() });

/** A hold that has ended, as a text of the room {@link RELEASED_ROOM}. */
export const releasedText = (hold: z.infer<typeof released>): string => JSON.stringify(hold);

/**
 * Ends the holds of pruned runs on bytes elsewhere: bytes that no other has are removed. What was left by a process that died goes, too.
 *
 * @throws {TroupeError} `content.invalid` for a blob store that cannot remove bytes.
 */
export const releaseBlobs = async (store: Pick<JournalStore, 'files'>, blobs: BlobStore): Promise<void> => {
  if (!isReleasable(blobs))
    throw new TroupeError(
      'content.invalid',
      `Cannot remove bytes from ${blobs.name} as it has no functions for that: give it \`remove\` and \`names\``,
    );
  const files = store.files(RELEASED_ROOM);
  for (const token of await files.names()) {
    const text = await files.read(token);
    const hold = text === undefined ? undefined : released.safeParse(JSON.parse(text)).data;
    if (hold?.place !== blobs.name) continue;
    // The text stays until all is done, so that the next call continues what a crash cut off.
    if (await releaseHeld(blobs, { hash: hold.hash, token }, systemClock.now())) await files.remove(token);
  }
};
