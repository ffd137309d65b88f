import { errorData, toError } from '../../../contracts/errors/error.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import type { EntryChange, JournalStore, Lease, LeaseWish } from '../../../contracts/journals/journal.ts';
import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import { isThenable } from '../../../base/promises/thenable.ts';
import type { RunContent } from '../../content/run-content.ts';
import type { JournalSeal } from '../../../persistence/journal-codec.ts';

const FAILED = 'Cannot continue the run as its store failed';

/** The store and lease to write with, and the callbacks of a writer. */
export interface WriterPlace {
  readonly store: JournalStore;
  readonly lease: Lease;
  readonly seal: JournalSeal;
  /** The media of the run, which are stored before the records that refer to them. */
  readonly content: Pick<RunContent, 'written'>;
  /** The request for renewing the lease. */
  readonly wish: () => LeaseWish;
  /** The current entry of the run. */
  readonly change: () => EntryChange;
  /** The first `events` events of the log are committed: they may be published. */
  readonly onCommitted: (events: number) => void;
  /** The store failed: the run cannot continue here. */
  readonly onFailure: (error: TroupeError) => void;
}

/** A destination for the records of a run. */
export interface RecordSink {
  /** Adds a record to the next commit. */
  push(record: JournalRecord): void;
  /** Sets the length that the log has by now. */
  wrote(events: number): void;
  /** A letter was processed with the records pushed so far. */
  take(letter: string): void;
  /** Commits everything pushed so far; a promise only if that takes time. */
  flush(): void | Promise<void>;
}

/**
 * Writes records to a store, in order, one commit at a time.
 *
 * I1 A commit starts when the previous one is done; records that arrive meanwhile go into the next.
 * I2 After a failure nothing is written, and `onFailure` is called once.
 */
export class JournalWriter implements RecordSink {
  readonly #place: WriterPlace;
  #lease: Lease;
  #records: JournalRecord[] = [];
  #taken: string[] = [];
  /** Number of the log's events pushed so far. */
  #events = 0;
  #underWay: Promise<void> | undefined;
  #hasFailed = false;
  commits = 0;

  constructor(place: WriterPlace) {
    this.#place = place;
    this.#lease = place.lease;
  }

  /** True if everything is committed. */
  get isEmpty(): boolean {
    return this.#records.length === 0 && this.#taken.length === 0 && this.#underWay === undefined;
  }

  /** Adds a record to the next commit. */
  push(record: JournalRecord): void {
    this.#records.push(record);
  }

  /** Sets the length that the log has by now. */
  wrote(events: number): void {
    this.#events = events;
  }

  /** A letter was processed with the records pushed so far: the next commit removes it. */
  take(letter: string): void {
    this.#taken.push(letter);
  }

  /** Commits everything pushed so far; a promise only if the store is asynchronous. Never throws or rejects. */
  flush(): void | Promise<void> {
    if (this.#hasFailed) return undefined;
    if (this.#underWay !== undefined) return this.#underWay.then(() => this.flush());
    if (this.#records.length === 0 && this.#taken.length === 0) return undefined;
    const preparing = this.#prepare();
    if (preparing !== undefined) return preparing;
    if (this.#hasFailed) return undefined;
    const records = this.#records;
    const taken = this.#taken;
    const events = this.#events;
    this.#records = [];
    this.#taken = [];
    const { store, seal, change, onCommitted } = this.#place;
    try {
      const rows = records.length === 0 ? [] : [seal.seal(records)];
      const committed = store.commit(this.#lease, {
        rows,
        change: change(),
        ...(taken.length === 0 ? {} : { taken }),
      });
      this.commits += 1;
      if (!isThenable(committed)) {
        onCommitted(events);
        return undefined;
      }
      this.#underWay = Promise.resolve(committed).then(
        () => {
          this.#underWay = undefined;
          if (!this.#hasFailed) onCommitted(events);
        },
        (thrown: unknown) => {
          this.#underWay = undefined;
          this.#fail(thrown);
        },
      );
      return this.#underWay;
    } catch (thrown) {
      this.#fail(thrown);
      return undefined;
    }
  }

  /** Seals newly known secrets and stores media, then flushes. */
  #prepare(): Promise<void> | undefined {
    try {
      const { seal, content } = this.#place;
      const preparing = seal.prepare() ?? content.written();
      if (preparing === undefined) return undefined;
      this.#underWay = preparing.then(
        () => {
          this.#underWay = undefined;
          return this.flush();
        },
        (thrown: unknown) => {
          this.#underWay = undefined;
          this.#fail(thrown);
        },
      );
      return this.#underWay;
    } catch (thrown) {
      this.#fail(thrown);
      return undefined;
    }
  }

  /** Renews the lease; a lost lease is reported as a failure. */
  async renew(): Promise<void> {
    if (this.#hasFailed) return;
    try {
      this.#lease = await this.#place.store.renew(this.#lease, this.#place.wish());
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Releases the lease: other processes may resume the run. A commit that finishes later is not reported. */
  async release(): Promise<void> {
    this.#hasFailed = true;
    try {
      await this.#place.store.release(this.#lease);
    } catch {
      // It expires by itself.
    }
  }

  #fail(thrown: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#place.onFailure(toError(errorData(thrown, 'journal.failed', { message: FAILED })));
  }
}
