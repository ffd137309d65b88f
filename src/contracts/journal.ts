import type { UnreadableEntry } from './listed.ts';
import type { KeyValueFiles } from './memory.ts';
import type { RunStatus } from './run.ts';

/**
 * One row of a journal: sealed text that a store keeps as it is, and never reads or changes.
 *
 * Rows of a run are numbered from 0 without a gap.
 */
export interface JournalRow {
  readonly n: number;
  readonly text: string;
}

/** How a stored run stands: `running` also where its process died, `waiting` for a person, a message or a time. */
export type StoredStatus = 'running' | 'waiting' | RunStatus;

/** What is known of a run without reading its journal. */
export interface RunEntry {
  readonly runId: string;
  /** The name of the agent or team that was run. */
  readonly agent: string;
  readonly status: StoredStatus;
  /** The first words of its input. */
  readonly title: string;
  /** In ms since 1970, as all times here. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it has something to do next, although nobody tells it; absent where it waits for no time. */
  readonly dueAt?: number | undefined;
  /** The conversation that it belongs to. */
  readonly thread?: string | undefined;
  /** The run that it was forked from. */
  readonly forkedFrom?: string | undefined;
}

/** What a commit may change of an entry. */
export interface EntryChange {
  readonly status: StoredStatus;
  readonly updatedAt: number;
  /** Absent: there is none any more. */
  readonly dueAt?: number | undefined;
}

/**
 * The right to write to a run's journal: one process has it at a time.
 *
 * `fence` grows with every holder, and a store takes rows under the highest one only: a process that was taken for dead
 * and was not cannot write any more.
 */
export interface Lease {
  readonly runId: string;
  readonly holder: string;
  readonly fence: number;
  readonly expiresAt: number;
}

/** Who wants a lease. */
export interface LeaseWish {
  /** One process: its host, its process id and something unique, joined by `:`. */
  readonly holder: string;
  /** The time that it is good for unless it is renewed, in ms. */
  readonly ttlMs: number;
  readonly now: number;
  /** Checks whether a holder is known to be gone: its lease is taken over before it expires. */
  readonly isGone?: ((holder: string) => boolean) | undefined;
}

/** Who a process is among those that share a store. */
export interface StoreIdentity {
  readonly holder: string;
  /** Checks whether a holder is known to be gone: its process, on this very machine, has ended. */
  readonly isGone: (holder: string) => boolean;
}

/** What is written at once, whole or not at all. */
export interface JournalCommit {
  /** They follow the last row that there is, else `journal.conflict`. May be empty. */
  readonly rows: readonly JournalRow[];
  readonly change: EntryChange;
  /** Letters that these rows have taken in: gone with the same transaction. One that is not there is passed over. */
  readonly taken?: readonly string[] | undefined;
}

/** Something for a run that comes from outside its process: an answer, a yes, a message, an abort. */
export interface Letter {
  /** Posting the same id again to a run changes nothing, also when it was taken meanwhile. */
  readonly id: string;
  readonly runId: string;
  readonly at: number;
  /** JSON. */
  readonly text: string;
}

/** Which runs. */
export interface RunQuery {
  readonly status?: readonly StoredStatus[] | undefined;
  readonly thread?: string | undefined;
  /** Runs that have something to do at that time or before. */
  readonly dueBy?: number | undefined;
  /** Last written to at that time or before. */
  readonly idleSince?: number | undefined;
  /** At most that many. Default: all. */
  readonly limit?: number | undefined;
}

/** Runs of a store, and beside them those whose entry cannot be read: a store that cannot have any leaves it out. */
export type RunList = readonly RunEntry[] & { readonly unreadable?: readonly UnreadableEntry[] | undefined };

/** What an operation of a store gives: at once where it can, so that an embedded store costs no wait. */
export type Stored<T> = T | Promise<T>;

/**
 * Where journals are kept: rows of text that are only ever appended, one lease a run, and letters.
 *
 * A store neither reads nor changes what it keeps. All that it is asked for is whole or not at all, also when the process
 * dies meanwhile, and what it has confirmed is there for good. `journalStoreLaws` of `troupe/testing` holds any store to it.
 *
 * Errors: `journal.exists`, `journal.unknown`, `journal.held` (somebody else's lease), `journal.fenced` (not one's own any more),
 * `journal.conflict` (rows that do not follow), `journal.busy`, `journal.full`, `journal.read-only`, `journal.corrupt`, `journal.failed`.
 */
export interface JournalStore {
  /** Where it is, for messages: `sqlite:/home/ada/runs.db`. */
  readonly name: string;
  /** Who this process is. Default: somebody new, who knows of nobody else. */
  readonly identity?: StoreIdentity | undefined;
  /** Enters a new run, and gives the lease on it. @throws `journal.exists` */
  create(entry: RunEntry, wish: LeaseWish): Stored<Lease>;
  /**
   * Gives the lease if nobody has it, or whoever has it is gone or late: exactly one of many who want it gets it.
   *
   * @throws `journal.unknown`; `journal.held`, whose `details` are `{holder, expiresAt}`, also to the holder itself.
   */
  acquire(runId: string, wish: LeaseWish): Stored<Lease>;
  /** Extends a lease, also one that ran out and was not taken over. @throws `journal.fenced` */
  renew(lease: Lease, wish: LeaseWish): Stored<Lease>;
  /** Gives a lease back; one that is gone already is left alone. */
  release(lease: Lease): Stored<void>;
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
  /** @throws `journal.unknown` */
  post(letter: Letter): Stored<void>;
  /** Letters not yet taken, in the order in which they came. None where there is no such run. */
  letters(runId: string): Stored<readonly Letter[]>;
  /**
   * Removes runs that have ended, with all that is theirs; says how many. Left alone are runs under a lease, unless it had
   * run out by `idleSince`.
   */
  prune(query: RunQuery): Stored<number>;
  /** Named texts beside the runs, in rooms of their own: for memories, threads and sessions. */
  files(room: string): KeyValueFiles;
  close(): Stored<void>;
}
