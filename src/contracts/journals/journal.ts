import type { ContentOptions } from '../content/content-options.ts';
import type { UnreadableEntry } from '../errors/listed.ts';
import type { KeyValueFiles } from '../conversations/memory.ts';
import type { RunStatus } from '../runs/run-status.ts';

/**
 * One row of a journal: sealed text that a store keeps as it is, and never reads or changes.
 *
 * Rows of a run are numbered from 0 without a gap.
 */
export interface JournalRow {
  readonly n: number;
  readonly text: string;
}

/**
 * The status of a stored run: `running` also if its process died, `waiting` for a person, a message or a time. `moved` is closed, as the run
 * is in another store, and `arriving` is not open yet, as it is being moved to this one.
 */
export type StoredStatus = 'running' | 'waiting' | 'arriving' | 'moved' | RunStatus;

/** Facts about a run that are known without reading its journal. */
export interface RunEntry {
  readonly runId: string;
  /** The name of the agent or team that was run. */
  readonly agent: string;
  readonly status: StoredStatus;
  /** The beginning of its input. */
  readonly title: string;
  /** In ms since 1970, as all times here. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Time at which it continues by itself; absent if it waits for no time. */
  readonly dueAt?: number | undefined;
  /** The conversation that it belongs to. */
  readonly thread?: string | undefined;
  /** The run that it was forked from. */
  readonly forkedFrom?: string | undefined;
}

/** Changes of an entry that come with a commit. */
export interface EntryChange {
  readonly status: StoredStatus;
  readonly updatedAt: number;
  /** Absent: no longer due at any time. */
  readonly dueAt?: number | undefined;
}

/**
 * The right to write to a run's journal: one process holds it at a time.
 *
 * `fence` grows with every holder, and a store accepts rows under the highest one only: a process that was wrongly
 * taken for dead cannot write any more.
 */
export interface Lease {
  readonly runId: string;
  readonly holder: string;
  readonly fence: number;
  readonly expiresAt: number;
}

/** A request for a lease. */
export interface LeaseWish {
  /** Id of a process: its host, its process id and something unique, joined by `:`. */
  readonly holder: string;
  /** The time that it is good for unless it is renewed, in ms. */
  readonly ttlMs: number;
  readonly now: number;
  /** Checks whether a holder is known to be dead: its lease is then taken over before it expires. */
  readonly isGone?: ((holder: string) => boolean) | undefined;
  /** True for a process that moves the run between stores: others get no lease of one that is `arriving` or `moved`. */
  readonly isMove?: boolean | undefined;
}

/** Identity of a process among those that share a store. */
export interface StoreIdentity {
  readonly holder: string;
  /** Checks whether a holder is known to be gone: its process, on this very machine, has ended. */
  readonly isGone: (holder: string) => boolean;
}

/** An atomic write: committed whole or not at all. */
export interface JournalCommit {
  /** Must follow the last stored row, else `journal.conflict`. May be empty. */
  readonly rows: readonly JournalRow[];
  readonly change: EntryChange;
  /** Ids of letters that these rows have processed: deleted in the same transaction. Unknown ids are ignored. */
  readonly taken?: readonly string[] | undefined;
}

/** A message to a run from outside its process: an answer, an approval, a message, an abort. */
export interface Letter {
  /** Idempotency key: posting the same id to a run again changes nothing, even after it was processed. */
  readonly id: string;
  readonly runId: string;
  readonly at: number;
  /** JSON. */
  readonly text: string;
}

/** A filter on runs. */
export interface RunQuery {
  readonly status?: readonly StoredStatus[] | undefined;
  readonly thread?: string | undefined;
  /** Runs that are due at that time or before. */
  readonly dueBy?: number | undefined;
  /** Last written to at that time or before. */
  readonly idleSince?: number | undefined;
  /** At most that many. Default: all. */
  readonly limit?: number | undefined;
}

/** Runs of a store, and beside them those whose entry cannot be read: a store that cannot have any leaves it out. */
export type RunList = readonly RunEntry[] & { readonly unreadable?: readonly UnreadableEntry[] | undefined };

/**
 * Refers to bytes: a run, or a named text of the store, such as the turns of a thread. `outside` is a reference that the store cannot see,
 * and never ends.
 */
export type BlobHolder =
  | { readonly runId: string }
  | { readonly room: string; readonly name: string }
  | 'outside';

/** A hold on bytes: they stay for as long as one of them has it. */
export interface BlobHold {
  readonly hash: string;
  /** Names the hold in a place of bytes outside of the store. */
  readonly token: string;
  /** True if the bytes are in the room `blobs` of the store. */
  readonly isStored: boolean;
}

/** The result of a store operation: synchronous where possible, so that an embedded store costs no wait. */
export type Stored<T> = T | Promise<T>;

/**
 * Stores journals: append-only rows of text, one lease for each run, and letters.
 *
 * A store neither reads nor changes row contents. Each operation is atomic, even if the process dies meanwhile, and
 * what it has confirmed is durable. `journalStoreLaws` of `troupe/testing` checks any store against this contract.
 *
 * Errors: `journal.exists`, `journal.unknown`, `journal.held` (another process holds the lease), `journal.moved` (it is in another store), `journal.fenced` (the
 * lease was lost), `journal.conflict` (rows that do not follow), `journal.busy`, `journal.full`, `journal.read-only`,
 * `journal.corrupt`, `journal.failed`.
 */
export interface JournalStore {
  /** Its location, for messages: `sqlite:/home/ada/runs.db`. */
  readonly name: string;
  /** Identity of this process. Default: a new one, which knows no other. */
  readonly identity?: StoreIdentity | undefined;
  /** Enters a new run and returns its lease. @throws `journal.exists` */
  create(entry: RunEntry, wish: LeaseWish): Stored<Lease>;
  /**
   * Acquires the lease if it is free, expired, or its holder is gone: exactly one of many competing callers gets it.
   * @throws `journal.unknown`; `journal.held`, whose `details` are `{holder, expiresAt}`, also for the holder itself; `journal.moved`.
   */
  acquire(runId: string, wish: LeaseWish): Stored<Lease>;
  /** Extends a lease, also an expired one that was not taken over. @throws `journal.fenced` */
  renew(lease: Lease, wish: LeaseWish): Stored<Lease>;
  /** Releases a lease; a lease that is already gone is ignored. */
  release(lease: Lease): Stored<void>;
  /**
   * All leases that were not released, expired ones among them: a look at the holders of runs, which neither takes nor delays anything. One that
   * cannot be read is left out.
   */
  leases(): Stored<readonly Lease[]>;
  /** @throws `journal.fenced`; `journal.conflict`, whose `details` are `{expected, found}`: numbers of rows. */
  commit(lease: Lease, commit: JournalCommit): Stored<void>;
  /**
   * Rows from `from` (default 0) on, in order, at most `limit` (default: all).
   *
   * @throws `journal.unknown`; `journal.corrupt`, whose `details` are `{row}`: the first that cannot be had. Those before it can,
   *   with a `limit`.
   */
  read(runId: string, from?: number, limit?: number): Stored<readonly JournalRow[]>;
  entry(runId: string): Stored<RunEntry | undefined>;
  /**
   * Newest first, by when they were created; of one time, the last first. An entry that cannot be read does not hide the others: it is
   * left out, and named in `unreadable`.
   */
  list(query?: RunQuery): Stored<RunList>;
  /**
   * Unfinished runs that wait for a process at that time, oldest first, at most `limit`: nobody holds their lease, or it has expired, and they
   * are `running`, due, or have letters. Of a store without this function, those who resume runs look at one run after the other.
   */
  due?(now: number, limit: number): Stored<RunList>;
  /**
   * Calls `notify` when a run may be due that was not before: it was left, or has a letter. Resolves when it listens, with a function that ends
   * it. Notices may be missed, and none comes of a time that is over: look at what is `due` from time to time, too.
   */
  watch?(notify: () => void): Promise<() => Promise<void>>;
  /**
   * Passes a text to those who have subscribed to a topic, in whatever process: in order, at most 7,000 bytes, kept nowhere, so it may be lost.
   * Absent, with `subscribe`, in a store that does not reach other processes.
   */
  publish?(topic: string, text: string): Stored<void>;
  /** Calls `next` with each text of a topic from now on. Resolves when it listens, with a function that ends it. */
  subscribe?(topic: string, next: (text: string) => void): Promise<() => Promise<void>>;
  /** @throws `journal.unknown`; `journal.moved` for a run that is `moved` */
  post(letter: Letter): Stored<void>;
  /** Returns unprocessed letters in order of arrival; none for an unknown run. */
  letters(runId: string): Stored<readonly Letter[]>;
  /**
   * Registers that a holder refers to bytes, before they are stored; again, it changes nothing. `place` is the name of the blob store that
   * has them, by default the room `blobs`. A store without this function keeps the bytes of pruned runs.
   *
   * @throws `journal.unknown` for a run that does not exist.
   */
  hold?(holder: BlobHolder, hashes: readonly string[], place?: string): Stored<readonly BlobHold[]>;
  /**
   * Deletes runs that have ended or were moved, with all their data; returns the count. Runs under a lease are skipped, unless it had
   * expired by `idleSince`.
   *
   * With them go bytes in the room `blobs` that no other holder has, also those of named texts that were removed. Their holds on bytes
   * elsewhere become names in the room `released`, until this is called with the blob store that has them.
   */
  prune(query: RunQuery, content?: Pick<ContentOptions, 'blobs'>): Stored<number>;
  /** Named texts beside the runs, in rooms of their own: for memories, threads and sessions. */
  files(room: string): KeyValueFiles;
  close(): Stored<void>;
}
