import type { JournalRecord } from '../../../contracts/journal-record.ts';
import { nextTurn } from '../../run/pacer.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { RecordSink } from './journal-writer.ts';

/**
 * The outlet of a run's records: they wait until there is a writer, and are written when they have to be, or when the run has
 * nothing to do.
 */
export class Outlet {
  readonly #run: Pick<JournaledRun, 'log' | 'isBusy'>;
  readonly #flush: () => void;
  #writer: RecordSink | undefined;
  /** What was recorded before there was anything to write it to; undefined once there is, or will not be. */
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

  /** From now on what is recorded is written; `first` comes first, then what was recorded before. */
  open(writer: RecordSink, first: readonly JournalRecord[]): void {
    this.#writer = writer;
    for (const record of [...first, ...(this.#early ?? [])]) writer.push(record);
    this.#early = undefined;
  }

  /** Nothing is written any more. */
  close(): void {
    this.#writer = undefined;
  }

  push(record: JournalRecord): void {
    this.#early?.push(record);
    this.#writer?.push(record);
    this.#writer?.wrote(this.#run.log.events.length);
  }

  /** A letter was taken in: the next commit removes it. */
  take(letter: string): void {
    this.#writer?.take(letter);
    this.wantFlush();
  }

  /** Writes all that there is; a promise only where the store needs one. */
  flush(): void | Promise<void> {
    return this.#writer?.flush();
  }

  /** Writes once all that is settled by now is in, unless the run does it when it has nothing to do. */
  wantFlush(): void {
    if (this.#isFlushWanted) return;
    this.#isFlushWanted = true;
    nextTurn(() => {
      this.#isFlushWanted = false;
      if (!this.#run.isBusy) this.#flush();
    });
  }
}
