import { systemClock } from '../../../base/clock.ts';
import { randomId } from '../../../base/random-id.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore, Lease, LeaseWish, RunEntry } from '../../../contracts/journals/journal.ts';
import { copyRows, digestOf } from './copied-rows.ts';
import { copyTexts } from './copied-texts.ts';
import type { MoveMark } from './move-marks.ts';
import { markMove, moveMark } from './move-marks.ts';

/** A run and the stores that it is moved between. */
export interface Move {
  readonly from: JournalStore;
  readonly to: JournalStore;
  readonly runId: string;
  /** Rooms with a text by the id of each run, beside those of the runtime. */
  readonly rooms?: readonly string[] | undefined;
}

/** A run that was moved. */
export interface MovedRun {
  readonly rows: number;
  /** Of its rows, equal in both stores. */
  readonly digest: string;
  /** The time at which it had been moved already, in ms since 1970; undefined if it was moved now. */
  readonly movedAt?: number | undefined;
}

/**
 * Moves a run to another store, with its letters, its media and what else is known of it there.
 *
 * I1  It is open in one store at most: in the other it is `arriving` while it is copied, and opened only once it is closed (`moved`) in the first.
 * I2  It is closed only after the copy was read back and found equal. So a process that dies on the way leaves it open in the first, or
 *     closed there and whole in the other: the same move, once more, finishes either.
 * I3  Each write is harmless when it is made twice.
 *
 * @throws (rejects with) {TroupeError} `journal.unknown`; `journal.held` while a process has it; `journal.exists` where the other store has a
 * run of that id; `journal.moved` for one that was moved to a third; `journal.conflict` where the other store has other rows or turns
 */
export const moveRun = async (move: Move): Promise<MovedRun> => {
  const { from, to, runId } = move;
  if (from.name === to.name)
    throw new TroupeError('journal.exists', `Cannot move run '${runId}' as it is in ${to.name}`, { runId });
  const entry = await from.entry(runId);
  if (entry?.status === 'moved') return finishMove(move);
  const source = new KeptLease(from, await acquire(move));
  try {
    // Its status when nobody else can change it.
    const still = (await from.entry(runId)) ?? entry;
    if (still === undefined) throw unknown(runId, from);
    const target = await openTarget(move, still);
    try {
      const mark = await copy(move, still, [source, target]);
      await source.renew();
      await markMove(from, runId, mark);
      await from.commit(source.lease, {
        rows: [],
        change: { status: 'moved', updatedAt: systemClock.now() },
      });
      await open(move, mark, source, target);
      return mark;
    } finally {
      await target.release();
    }
  } finally {
    await source.release();
  }
};

/** Acquires the run where it is. @throws {TroupeError} `journal.held` with who has it, and what to do */
const acquire = async ({ from, runId }: Move): Promise<Lease> => {
  try {
    return await from.acquire(runId, wishOf(from));
  } catch (thrown) {
    if (!isTroupeError(thrown, 'journal.held')) throw thrown;
    const { details } = thrown.data;
    const holder =
      isJsonObject(details) && typeof details['holder'] === 'string' ? details['holder'] : 'a process';
    throw new TroupeError(
      'journal.held',
      `Cannot move run '${runId}' as it is under way: ${holder} has it. Stop that worker, server or command (SIGTERM: it leaves its runs in order), or wait until the run has ended; then move it`,
      { runId, retryable: 'maybe', details: details ?? null, cause: thrown },
    );
  }
};

/** Finishes the move of a run that is closed in its first store. */
const finishMove = async (move: Move): Promise<MovedRun> => {
  const { from, to, runId } = move;
  const source = new KeptLease(from, await from.acquire(runId, { ...wishOf(from), isMove: true }));
  try {
    const mark = await moveMark(from, runId);
    if (mark === undefined || mark.to !== to.name)
      throw new TroupeError(
        'journal.moved',
        `Cannot move run '${runId}' as it was moved before: ${mark === undefined ? 'it is not known where to' : `to ${mark.to}, ${new Date(mark.at).toISOString()}`}`,
        { runId },
      );
    const there = await to.entry(runId);
    if (there === undefined) throw unknown(runId, to);
    // It was opened, and went on.
    if (there.status !== 'arriving') return { ...mark, movedAt: mark.at };
    const target = new KeptLease(to, await to.acquire(runId, { ...wishOf(to), isMove: true }));
    try {
      await assertEqual(move, mark.digest, [source, target]);
      await open(move, mark, source, target);
      return mark;
    } finally {
      await target.release();
    }
  } finally {
    await source.release();
  }
};

/** Enters the run in the other store, or goes on with a move that was cut off, or with one that comes back. */
const openTarget = async ({ to, runId }: Move, { dueAt: _dueAt, ...entry }: RunEntry): Promise<KeptLease> => {
  const there = await to.entry(runId);
  const arriving = { status: 'arriving', updatedAt: entry.updatedAt } as const;
  if (there === undefined)
    return new KeptLease(to, await to.create({ ...entry, status: 'arriving' }, wishOf(to)));
  if (there.status !== 'arriving' && there.status !== 'moved')
    throw new TroupeError(
      'journal.exists',
      `Cannot move run '${runId}' as ${to.name} has one of that id: it is ${there.status} there`,
      { runId },
    );
  const target = new KeptLease(to, await to.acquire(runId, { ...wishOf(to), isMove: true }));
  if (there.status === 'moved') await to.commit(target.lease, { rows: [], change: arriving });
  return target;
};

/** Copies all that is known of a run, and reads it back. */
const copy = async (move: Move, entry: RunEntry, leases: readonly KeptLease[]): Promise<MoveMark> => {
  const { from, to, runId, rooms = [] } = move;
  const [, target] = leases;
  const renew = async (): Promise<void> => {
    for (const lease of leases) await lease.renew();
  };
  if (target !== undefined) await copyRows({ from, to, runId, renew, lease: () => target.lease });
  await copyTexts({ from, to, entry, rooms });
  const { rows, digest } = await digestOf(from, runId, renew);
  await assertEqual(move, digest, leases);
  const { status, updatedAt, dueAt } = entry;
  if (status === 'arriving' || status === 'moved')
    throw new TypeError(`a lease was granted of the run '${runId}', which is ${status}`);
  return {
    id: randomId(),
    to: to.name,
    at: systemClock.now(),
    rows,
    digest,
    status,
    updatedAt,
    ...(dueAt === undefined ? {} : { dueAt }),
  };
};

const assertEqual = async (
  { to, runId }: Move,
  wanted: string,
  leases: readonly KeptLease[],
): Promise<void> => {
  const { digest } = await digestOf(to, runId, async () => {
    for (const lease of leases) await lease.renew();
  });
  if (digest !== wanted)
    throw new TroupeError(
      'journal.conflict',
      `Cannot move run '${runId}' as ${to.name} has not what was written to it: its rows have another digest. The run is where it was`,
      { runId },
    );
};

/**
 * Opens a run that is closed where it was: with the letters that came until then, as none comes any more. A letter has another id with each
 * move, as a store takes none twice, and the run may come back with it.
 */
const open = async (
  { from, to, runId }: Move,
  { id, status, updatedAt, dueAt }: MoveMark,
  source: KeptLease,
  target: KeptLease,
): Promise<void> => {
  const letters = await from.letters(runId);
  for (const letter of letters) await to.post({ ...letter, id: `${letter.id}~${id}` });
  await from.commit(source.lease, {
    rows: [],
    change: { status: 'moved', updatedAt: systemClock.now() },
    taken: letters.map((letter) => letter.id),
  });
  await to.commit(target.lease, {
    rows: [],
    change: { status, updatedAt, ...(dueAt === undefined ? {} : { dueAt }) },
  });
};

/** Time that a lease is good for, in ms: it is renewed with each part that is copied. */
const LEASE_MS = 15_000;

/** A lease that is renewed while a run is copied. */
class KeptLease {
  lease: Lease;
  readonly #store: JournalStore;

  constructor(store: JournalStore, lease: Lease) {
    this.#store = store;
    this.lease = lease;
  }

  async renew(): Promise<void> {
    this.lease = await this.#store.renew(this.lease, wishOf(this.#store));
  }

  async release(): Promise<void> {
    await this.#store.release(this.lease);
  }
}

const wishOf = ({ identity }: JournalStore): LeaseWish => ({
  holder: identity?.holder ?? randomId(),
  ttlMs: LEASE_MS,
  now: systemClock.now(),
  isGone: (holder) => identity?.isGone(holder) ?? false,
});

const unknown = (runId: string, { name }: JournalStore): TroupeError =>
  new TroupeError('journal.unknown', `Cannot find the run '${runId}' as it is not in ${name}`, { runId });
