import { isTroupeError } from '../../contracts/error.ts';
import type { TroupeError } from '../../contracts/error.ts';
import { EVENT_VERSION } from '../../contracts/event.ts';
import type { RuntimeEvent } from '../../contracts/event.ts';
import { isJsonObject } from '../../contracts/json.ts';
import type { JournalRow, JournalStore, RunEntry } from '../../contracts/journal.ts';
import type { Began, JournalRecord } from '../../contracts/journal-record.ts';
import { openJournal } from '../../persistence/journal-codec.ts';
import { soundRecords } from '../../runtime/journal/replay/check-records.ts';

/** A run as its journal has it, as far as that is sound. */
export interface StoredRun {
  readonly entry: RunEntry;
  readonly began: Began | undefined;
  readonly records: readonly JournalRecord[];
  readonly events: readonly RuntimeEvent[];
  /** Why it ends where it does, where it is damaged. */
  readonly damage: TroupeError | undefined;
}

/** Reads a run without its agent's code. What is damaged is not thrown, but named. */
export const readStoredRun = async (store: JournalStore, entry: RunEntry): Promise<StoredRun> => {
  const { runId } = entry;
  const { rows, damage } = await soundRows(store, runId);
  const opened = openJournal(runId, rows);
  const { records, damage: noRecord } = soundRecords(runId, opened.records);
  const [first] = records;
  return {
    entry,
    began: first?.kind === 'began' ? first : undefined,
    records,
    events: records.flatMap((record) => (record.kind === 'event' ? [eventOf(record.event, runId)] : [])),
    damage: noRecord ?? opened.damage ?? damage,
  };
};

/** Rows up to the first that the store itself cannot give. */
const soundRows = async (
  store: JournalStore,
  runId: string,
): Promise<{ readonly rows: readonly JournalRow[]; readonly damage?: TroupeError }> => {
  try {
    return { rows: await store.read(runId) };
  } catch (thrown) {
    const row = isTroupeError(thrown, 'journal.corrupt') ? firstDamaged(thrown) : undefined;
    if (row === undefined || !isTroupeError(thrown)) throw thrown;
    return { rows: await store.read(runId, 0, row), damage: thrown };
  }
};

const firstDamaged = (error: TroupeError): number | undefined => {
  const { details } = error.toJSON();
  const row = isJsonObject(details) ? details['row'] : undefined;
  return typeof row === 'number' ? row : undefined;
};

/** With what is the same for all of them, it is an event as it was told. */
const eventOf = (event: object, runId: string): RuntimeEvent =>
  ({ v: EVENT_VERSION, runId, ...event }) as RuntimeEvent;
