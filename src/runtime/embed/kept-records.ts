import type { JournalRecord } from '../../contracts/journal-record.ts';
import type { RecordSink } from '../journal/journal-writer.ts';

/** The journal of an embedded run: its records in memory, as plain objects, unsealed. What is recorded may be told at once. */
export class KeptRecords implements RecordSink {
  readonly #records: JournalRecord[];
  /** So many of the log's events are recorded. */
  onRecorded: (events: number) => void = () => undefined;

  constructor(records: readonly JournalRecord[] = []) {
    this.#records = [...records];
  }

  get records(): readonly JournalRecord[] {
    return this.#records.slice();
  }

  push(record: JournalRecord): void {
    this.#records.push(record);
  }

  wrote(events: number): void {
    this.onRecorded(events);
  }

  take(): void {
    // Letters are for stored runs.
  }

  flush(): void {
    // There is nothing to wait for.
  }
}
