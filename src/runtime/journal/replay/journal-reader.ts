import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalRow, JournalStore } from '../../../contracts/journals/journal.ts';
import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import type { OpenedJournal } from '../../../persistence/journal-codec.ts';
import type { Secrets } from '../../../contracts/secrets/redactor.ts';
import type { KnownHere } from '../resume/stored-run.ts';
import { recordsOf } from '../resume/stored-run.ts';

/** Records that were not read before. */
export interface NewRecords {
  readonly records: readonly JournalRecord[];
  /** Values of the secret fields that are known by now, by name. */
  readonly fields: Secrets;
}

/** Reads the journal of a run that is being written: each row once, but for the last, by which it knows the journal again. */
export class JournalReader {
  readonly #store: JournalStore;
  readonly #runId: string;
  readonly #given: KnownHere;
  #last: JournalRow | undefined;
  #opened: OpenedJournal | undefined;

  constructor(store: JournalStore, runId: string, given: KnownHere = {}) {
    this.#store = store;
    this.#runId = runId;
    this.#given = given;
  }

  /**
   * The records behind those that were read.
   *
   * @throws {TroupeError} `journal.conflict` if the journal is another than the one that was read; `journal.unknown`, `journal.corrupt`,
   * `journal.version`.
   */
  async next(): Promise<NewRecords> {
    const rows = this.#behindLast(await this.#store.read(this.#runId, this.#last?.n ?? 0));
    if (rows.length === 0) return { records: [], fields: {} };
    const { records, opened } = await recordsOf(this.#runId, rows, this.#given, this.#opened);
    this.#opened = opened;
    this.#last = rows.at(-1);
    return { records, fields: opened.fields };
  }

  #behindLast(rows: readonly JournalRow[]): readonly JournalRow[] {
    const last = this.#last;
    if (last === undefined) return rows;
    const [again, ...behind] = rows;
    if (again?.text === last.text) return behind;
    const found = again === undefined ? 'is not there any more' : 'is another one';
    const message = `Cannot follow run '${this.#runId}' as its journal was replaced since it was read: row ${last.n} ${found}. Open the run again`;
    throw new TroupeError('journal.conflict', message, { runId: this.#runId, details: { row: last.n } });
  }
}
