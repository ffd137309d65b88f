import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import { nextTurn } from '../../run/pacer.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { RecordSink } from './journal-writer.ts';

/** Buffers the records of a run until there is a writer, and flushes them when required or when the run is idle. */
export class Outlet {
  readonly #run: Pick<JournaledRun, 'log' | 'isBusy'>;
  readonly #flush: () => void;
  #writer: RecordSink | undefined;
  /** Records from before there was a writer; undefined once there is one, or if there will be none. */
  #early: JournalRecord[] | undefined;
  #isFlushWanted = false;

  constructor(run: Pick<JournaledRun, 'log' | 'isBusy'>, isRead: boolean, flush: () => void) {
    this.#run = run;
    this.#early = isRead ? undefined : [];
    this.#flush = flush;
  }

  get isOpen(): boolean {
    return this.#writer !== undefined;
  }

  /** Connects a writer: `first` is written first, then the buffered records. */
  open(writer: RecordSink, first: readonly JournalRecord[]): void {
    this.#writer = writer;
    for (const record of [...first, ...(this.#early ?? [])]) writer.push(record);
    this.#early = undefined;
  }

  /** Stops writing. */
  close(): void {
    this.#writer = undefined;
  }

  push(record: JournalRecord): void {
    this.#early?.push(record);
    this.#writer?.push(record);
    this.#writer?.wrote(this.#run.log.events.length);
  }

  /** A letter was processed: the next commit removes it. */
  take(letter: string): void {
    this.#writer?.take(letter);
    this.wantFlush();
  }

  /** Commits everything pushed so far; a promise only if the store is asynchronous. */
  flush(): void | Promise<void> {
    return this.#writer?.flush();
  }

  /** Flushes in the next turn of the event loop, unless the run is busy and flushes when it is idle. */
  wantFlush(): void {
    if (this.#isFlushWanted) return;
    this.#isFlushWanted = true;
    nextTurn(() => {
      this.#isFlushWanted = false;
      if (!this.#run.isBusy) this.#flush();
    });
  }
}
