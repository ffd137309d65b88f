import { sha256 } from '../../../base/sha256.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalRow, JournalStore, Lease } from '../../../contracts/journals/journal.ts';
import { readBlobs, writeBlobs } from '../../../persistence/journal-blobs.ts';

/** Rows that are copied or read at once. */
const PART = 500;

/** The rows of a run that is copied, and the lease that they are written under. */
export interface RowsToCopy {
  readonly from: JournalStore;
  readonly to: JournalStore;
  readonly runId: string;
  readonly lease: () => Lease;
  /** Called before each part. */
  readonly renew: () => Promise<void>;
}

/**
 * Copies the rows of a run that the other store does not have yet, with the media that they refer to, which come first.
 *
 * @throws (rejects with) {TroupeError} `journal.conflict` where the other store has other rows
 */
export const copyRows = async ({ from, to, runId, lease, renew }: RowsToCopy): Promise<void> => {
  for await (const [n, rows] of partsOf(from, runId)) {
    await renew();
    const there = await to.read(runId, n, rows.length);
    if (there.some(({ text }, index) => text !== rows[index]?.text)) throw otherRows(runId, to);
    const lacking = rows.slice(there.length);
    if (lacking.length === 0) continue;
    const blobs = await readBlobs(from, lacking);
    await to.hold?.({ runId }, Object.keys(blobs));
    await writeBlobs(to, blobs);
    const { status = 'arriving', updatedAt = 0 } = (await to.entry(runId)) ?? {};
    await to.commit(lease(), { rows: lacking, change: { status, updatedAt } });
  }
};

/** The digest of the rows of a run, and their number. */
export const digestOf = async (
  store: JournalStore,
  runId: string,
  renew: () => Promise<void>,
): Promise<{ readonly rows: number; readonly digest: string }> => {
  let [digest, count] = ['', 0];
  for await (const [, rows] of partsOf(store, runId)) {
    await renew();
    digest = sha256(JSON.stringify([digest, rows.map(({ text }) => text)]));
    count += rows.length;
  }
  return { rows: count, digest };
};

async function* partsOf(
  store: JournalStore,
  runId: string,
): AsyncGenerator<readonly [number, readonly JournalRow[]]> {
  for (let n = 0; ; n += PART) {
    const rows = await store.read(runId, n, PART);
    if (rows.length > 0) yield [n, rows];
    if (rows.length < PART) return;
  }
}

const otherRows = (runId: string, { name }: JournalStore): TroupeError =>
  new TroupeError(
    'journal.conflict',
    `Cannot move run '${runId}' as ${name} has other rows of a run of that id`,
    { runId },
  );
