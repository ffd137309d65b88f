import { randomId } from '../base/random-id.ts';
import { BLOB_ROOM } from '../contracts/content/blob-store.ts';
import type { ContentOptions } from '../contracts/content/content-options.ts';
import type {
  BlobHold,
  BlobHolder,
  EntryChange,
  JournalCommit,
  JournalRow,
  JournalStore,
  Lease,
  LeaseWish,
  Letter,
  RunEntry,
  RunQuery,
  Stored,
} from '../contracts/journals/journal.ts';
import type { KeyValueFiles } from '../contracts/conversations/memory.ts';
import {
  assertFollows,
  assertFree,
  assertHolds,
  assertReads,
  isUnfinished,
  journalErrors,
} from './journal-errors.ts';
import { RELEASED_ROOM, releaseBlobs, releasedText } from './release-blobs.ts';

/**
 * Creates a store in the memory of this process: for tests, and for runs that need not outlive it. Closing it has no effect.
 *
 * @example
 * const store = memoryStore();
 * const lease = await store.create(entry, { holder: 'here', ttlMs: 30_000, now: Date.now() });
 */
export const memoryStore = (): JournalStore => new MemoryStore();

interface StoredRun {
  entry: RunEntry;
  readonly order: number;
  readonly rows: JournalRow[];
  holder: string | null;
  expiresAt: number;
  fence: number;
  /** By id; `undefined` for a processed one. */
  readonly letters: Map<string, Letter | undefined>;
}

/** A hold, with the place of the bytes: undefined for the store itself. */
interface PlacedHold {
  readonly hash: string;
  readonly place: string | undefined;
  readonly token: string;
}

class MemoryStore implements JournalStore {
  readonly name = 'memory';
  readonly #runs = new Map<string, StoredRun>();
  readonly #rooms = new Map<string, Map<string, string>>();
  /** By holder, then by place and hash. */
  readonly #holds = new Map<string, Map<string, PlacedHold>>();
  /** Number of holds on bytes in the store. */
  readonly #holders = new Map<string, number>();
  #created = 0;
  readonly #watches = new Set<{ readonly notify: () => void }>();
  /** By topic. */
  readonly #subscribers = new Map<string, Set<{ readonly next: (text: string) => void }>>();

  create(entry: RunEntry, wish: LeaseWish): Lease {
    if (this.#runs.has(entry.runId)) throw journalErrors.exists(entry.runId);
    const run: StoredRun = {
      entry: { ...entry },
      order: (this.#created += 1),
      rows: [],
      holder: null,
      expiresAt: 0,
      fence: 0,
      letters: new Map(),
    };
    this.#runs.set(entry.runId, run);
    return grantLease(run, wish);
  }

  acquire(runId: string, wish: LeaseWish): Lease {
    const run = this.#run(runId);
    assertFree(runId, { ...run, status: run.entry.status }, wish);
    return grantLease(run, wish);
  }

  renew(lease: Lease, { ttlMs, now }: LeaseWish): Lease {
    const run = this.#run(lease.runId);
    assertHolds(run, lease);
    run.expiresAt = now + ttlMs;
    return { ...lease, expiresAt: run.expiresAt };
  }

  release({ runId, holder, fence }: Lease): void {
    const run = this.#runs.get(runId);
    if (run?.fence !== fence || run.holder !== holder) return;
    run.holder = null;
    if (run.entry.status === 'running') this.#notify();
  }

  leases(): readonly Lease[] {
    return [...this.#runs].flatMap(([runId, { holder, fence, expiresAt }]) =>
      holder === null ? [] : [{ runId, holder, fence, expiresAt }],
    );
  }

  commit(lease: Lease, { rows, change, taken = [] }: JournalCommit): void {
    const run = this.#run(lease.runId);
    assertHolds(run, lease);
    assertFollows(lease.runId, run.rows.length, rows);
    for (const { n, text } of rows) run.rows.push({ n, text });
    run.entry = changedEntry(run.entry, change);
    for (const id of taken) if (run.letters.has(id)) run.letters.set(id, undefined);
  }

  read(runId: string, from = 0, limit = Infinity): readonly JournalRow[] {
    return this.#run(runId).rows.slice(from, from + limit);
  }

  entry(runId: string): RunEntry | undefined {
    const run = this.#runs.get(runId);
    return run === undefined ? undefined : { ...run.entry };
  }

  list({ limit = Infinity, ...query }: RunQuery = {}): readonly RunEntry[] {
    return this.#find(query)
      .slice(0, limit)
      .map((run) => ({ ...run.entry }));
  }

  due(now: number, limit: number): readonly RunEntry[] {
    return this.#find({ status: ['running', 'waiting'] })
      .filter(({ entry, holder, expiresAt, letters }) => {
        if (holder !== null && expiresAt > now) return false;
        const { status, dueAt = Infinity } = entry;
        return (
          status === 'running' || dueAt <= now || [...letters.values()].some((each) => each !== undefined)
        );
      })
      .toReversed()
      .slice(0, limit)
      .map(({ entry }) => ({ ...entry }));
  }

  post(letter: Letter): void {
    const { letters, entry } = this.#run(letter.runId);
    assertReads(letter.runId, entry.status);
    if (letters.has(letter.id)) return;
    letters.set(letter.id, { ...letter });
    this.#notify();
  }

  async watch(notify: () => void): Promise<() => Promise<void>> {
    const watch = { notify };
    this.#watches.add(watch);
    return async () => void this.#watches.delete(watch);
  }

  publish(topic: string, text: string): void {
    for (const { next } of this.#subscribers.get(topic) ?? []) next(text);
  }

  async subscribe(topic: string, next: (text: string) => void): Promise<() => Promise<void>> {
    const subscriber = { next };
    const all = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, all.add(subscriber));
    return async () => {
      all.delete(subscriber);
      if (all.size === 0) this.#subscribers.delete(topic);
    };
  }

  letters(runId: string): readonly Letter[] {
    return [...(this.#runs.get(runId)?.letters.values() ?? [])].filter((letter) => letter !== undefined);
  }

  hold(holder: BlobHolder, hashes: readonly string[], place?: string): readonly BlobHold[] {
    if (holder !== 'outside' && 'runId' in holder) this.#run(holder.runId);
    const key = keyOf(holder);
    const holds = this.#holds.get(key) ?? new Map<string, PlacedHold>();
    this.#holds.set(key, holds);
    return hashes.map((hash) => {
      const name = JSON.stringify([hash, place]);
      const hold = holds.get(name) ?? { hash, place, token: randomId() };
      if (!holds.has(name) && place === undefined)
        this.#holders.set(hash, (this.#holders.get(hash) ?? 0) + 1);
      holds.set(name, hold);
      return { hash, token: hold.token, isStored: this.#rooms.get(BLOB_ROOM)?.has(hash) ?? false };
    });
  }

  prune(query: RunQuery, { blobs }: Pick<ContentOptions, 'blobs'> = {}): Stored<number> {
    const count = this.#prune(query);
    return blobs === undefined ? count : releaseBlobs(this, blobs).then(() => count);
  }

  #prune({ limit = Infinity, ...query }: RunQuery): number {
    const { idleSince = -Infinity } = query;
    const over = this.#find(query)
      .filter(({ entry, holder, expiresAt }) => {
        const isHeld = holder !== null && expiresAt > idleSince;
        return !isHeld && !isUnfinished(entry.status);
      })
      .slice(0, limit);
    for (const { entry } of over) {
      this.#runs.delete(entry.runId);
      this.#release(keyOf(entry));
    }
    for (const key of this.#holds.keys()) if (this.#isGone(key)) this.#release(key);
    return over.length;
  }

  #isGone(key: string): boolean {
    const holder = JSON.parse(key) as BlobHolder;
    return (
      holder !== 'outside' && 'room' in holder && this.#rooms.get(holder.room)?.has(holder.name) !== true
    );
  }

  #release(key: string): void {
    for (const { hash, place, token } of this.#holds.get(key)?.values() ?? []) {
      if (place !== undefined) {
        this.#room(RELEASED_ROOM).set(token, releasedText({ hash, place }));
        continue;
      }
      const left = (this.#holders.get(hash) ?? 0) - 1;
      this.#holders.set(hash, left);
      if (left > 0) continue;
      this.#holders.delete(hash);
      this.#rooms.get(BLOB_ROOM)?.delete(hash);
    }
    this.#holds.delete(key);
  }

  files(room: string): KeyValueFiles {
    const files = this.#room(room);
    return {
      read: async (name) => files.get(name),
      write: async (name, text) => void files.set(name, text),
      append: async (name, text) => void files.set(name, (files.get(name) ?? '') + text),
      remove: async (name) => void files.delete(name),
      names: async () => [...files.keys()].sort(),
    };
  }

  close(): void {
    // Its data is garbage collected with the store.
  }

  #notify(): void {
    for (const { notify } of this.#watches) notify();
  }

  #room(room: string): Map<string, string> {
    const files = this.#rooms.get(room) ?? new Map<string, string>();
    this.#rooms.set(room, files);
    return files;
  }

  #run(runId: string): StoredRun {
    const run = this.#runs.get(runId);
    if (run === undefined) throw journalErrors.unknown(runId, this.name);
    return run;
  }

  #find({ status, thread, dueBy, idleSince }: RunQuery): StoredRun[] {
    return [...this.#runs.values()]
      .filter(
        ({ entry }) =>
          (status === undefined || status.includes(entry.status)) &&
          (thread === undefined || entry.thread === thread) &&
          (dueBy === undefined || (entry.dueAt !== undefined && entry.dueAt <= dueBy)) &&
          (idleSince === undefined || entry.updatedAt <= idleSince),
      )
      .sort((a, b) => b.entry.createdAt - a.entry.createdAt || b.order - a.order);
  }
}

const keyOf = (holder: BlobHolder): string => {
  if (holder === 'outside') return JSON.stringify(holder);
  return JSON.stringify(
    'runId' in holder ? { runId: holder.runId } : { room: holder.room, name: holder.name },
  );
};

const grantLease = (run: StoredRun, { holder, ttlMs, now }: LeaseWish): Lease => {
  run.holder = holder;
  run.expiresAt = now + ttlMs;
  run.fence += 1;
  return { runId: run.entry.runId, holder, fence: run.fence, expiresAt: run.expiresAt };
};

const changedEntry = (entry: RunEntry, { status, updatedAt, dueAt }: EntryChange): RunEntry => {
  const { dueAt: _before, ...kept } = entry;
  return { ...kept, status, updatedAt, ...(dueAt === undefined ? {} : { dueAt }) };
};
