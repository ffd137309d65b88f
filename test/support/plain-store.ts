import type {
  JournalCommit,
  JournalRow,
  JournalStore,
  Lease,
  LeaseWish,
  Letter,
  RunEntry,
} from '../../src/contracts/journals/journal.ts';
import type { KeyValueFiles } from '../../src/contracts/conversations/memory.ts';
import type { JournalRecord } from '../../src/contracts/journals/journal-record.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { JournalSeal } from '../../src/persistence/journal-codec.ts';

/** A store that keeps everything in plain sight, counts commits and can be told to fail. */
export class PlainStore implements JournalStore {
  readonly name = 'plain';
  readonly rows = new Map<string, JournalRow[]>();
  readonly entries = new Map<string, RunEntry>();
  posted: Letter[] = [];
  commits = 0;
  /** Called before each commit; what it throws, the commit throws. */
  beforeCommit: (commit: JournalCommit) => void = () => undefined;
  #fence = 0;
  readonly #store = memoryStore();

  /** A store that holds these records of a run, as one row. */
  static with(runId: string, records: readonly JournalRecord[]): PlainStore {
    const store = new PlainStore();
    store.rows.set(runId, [new JournalSeal({ runId }).seal(records)]);
    const { at: createdAt } = { at: 0 };
    const entry = { runId, agent: '', status: 'running', title: '', createdAt, updatedAt: 0 } as const;
    store.entries.set(runId, entry);
    return store;
  }

  create(entry: RunEntry, { holder }: LeaseWish): Lease {
    this.rows.set(entry.runId, []);
    this.entries.set(entry.runId, entry);
    return this.#lease(entry.runId, holder);
  }
  acquire(runId: string, { holder }: LeaseWish): Lease {
    return this.#lease(runId, holder);
  }
  renew(lease: Lease): Lease {
    return lease;
  }
  release(): void {
    // Nobody else is there.
  }
  leases(): readonly Lease[] {
    return [];
  }
  commit(lease: Lease, commit: JournalCommit): void {
    this.beforeCommit(commit);
    this.commits += 1;
    this.rows.get(lease.runId)?.push(...commit.rows);
    const { taken = [] } = commit;
    this.posted = this.posted.filter(({ id }) => !taken.includes(id));
    const entry = this.entries.get(lease.runId);
    if (entry !== undefined) this.entries.set(lease.runId, { ...entry, ...commit.change });
  }
  read(runId: string, from = 0, limit = Infinity): readonly JournalRow[] {
    return (this.rows.get(runId) ?? []).slice(from, from + limit);
  }
  entry(runId: string): RunEntry | undefined {
    return this.entries.get(runId);
  }
  list(): readonly RunEntry[] {
    return [...this.entries.values()];
  }
  post(letter: Letter): void {
    this.posted.push(letter);
  }
  letters(runId: string): readonly Letter[] {
    return this.posted.filter((letter) => letter.runId === runId);
  }
  prune(): number {
    return 0;
  }
  files(room: string): KeyValueFiles {
    return this.#store.files(room);
  }
  close(): void {
    // Nothing is open.
  }

  #lease(runId: string, holder: string): Lease {
    this.#fence += 1;
    return { runId, holder, fence: this.#fence, expiresAt: Infinity };
  }
}
