import { errorData, toError } from '../../../contracts/error.ts';
import type { TroupeError } from '../../../contracts/error.ts';
import type { EntryChange, JournalStore, Lease, LeaseWish } from '../../../contracts/journal.ts';
import type { JournalRecord } from '../../../contracts/journal-record.ts';
import { isThenable } from '../../../contracts/thenable.ts';
import type { JournalSeal } from '../../../persistence/journal-codec.ts';

const FAILED = 'Cannot go on with the run as its store failed';

/** What a writer writes to, and as whom. */
export interface WriterPlace {
  readonly store: JournalStore;
  readonly lease: Lease;
  readonly seal: JournalSeal;
  /** As whom the lease is renewed. */
  readonly wish: () => LeaseWish;
  /** How the run stands now. */
  readonly change: () => EntryChange;
  /** So many of the log's events are written: they may be told. */
  readonly onCommitted: (events: number) => void;
  /** The store failed: the run cannot go on here. */
  readonly onFailure: (error: TroupeError) => void;
}

/** Takes the records of a run as they come. */
export interface RecordSink {
  /** The next flush keeps this, too. */
  push(record: JournalRecord): void;
  /** The log is that long by now. */
  wrote(events: number): void;
  /** A letter was taken in with what was pushed. */
  take(letter: string): void;
  /** Keeps all that there is; a promise only where that takes time. */
  flush(): void | Promise<void>;
}

/**
 * Puts records into a store, in order: one commit for all that there are at a time.
 *
 * I1  A commit begins when the one before it is through; what comes meanwhile goes into the next.
 * I2  After a failure nothing is written any more, and `onFailure` is called once.
 */
export class JournalWriter implements RecordSink {
  readonly #place: WriterPlace;
  #lease: Lease;
  #records: JournalRecord[] = [];
  #taken: string[] = [];
  /** Events of the log among what was put in so far. */
  #events = 0;
  #underWay: Promise<void> | undefined;
  #hasFailed = false;
  commits = 0;

  constructor(place: WriterPlace) {
    this.#place = place;
    this.#lease = place.lease;
  }

  /** True if all is written. */
  get isEmpty(): boolean {
    return this.#records.length === 0 && this.#taken.length === 0 && this.#underWay === undefined;
  }

  /** The next commit writes this, too. */
  push(record: JournalRecord): void {
    this.#records.push(record);
  }

  /** The log is that long by now. */
  wrote(events: number): void {
    this.#events = events;
  }

  /** A letter was taken in with what was pushed: the next commit removes it. */
  take(letter: string): void {
    this.#taken.push(letter);
  }

  /** Writes all that there is; a promise only where the store needs one. Never throws, never rejects. */
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

  /** Seals what became known as secret; then flushes. */
  #prepare(): Promise<void> | undefined {
    try {
      const sealing = this.#place.seal.prepare();
      if (sealing === undefined) return undefined;
      this.#underWay = sealing.then(
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

  /** Keeps the lease; tells of one that is lost. */
  async renew(): Promise<void> {
    if (this.#hasFailed) return;
    try {
      this.#lease = await this.#place.store.renew(this.#lease, this.#place.wish());
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Releases the lease: others may resume the run. A commit that is done later is not reported any more. */
  async release(): Promise<void> {
    this.#hasFailed = true;
    try {
      await this.#place.store.release(this.#lease);
    } catch {
      // It runs out by itself.
    }
  }

  #fail(thrown: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#place.onFailure(toError(errorData(thrown, 'journal.failed', { message: FAILED })));
  }
}
