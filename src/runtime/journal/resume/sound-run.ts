import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import { EVENT_VERSION } from '../../../contracts/events/event-version.ts';
import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import type { JournalRow, JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { Began, JournalRecord } from '../../../contracts/journals/journal-record.ts';
import { openJournal } from '../../../persistence/journal-codec.ts';
import { parseRecordPrefix } from '../replay/parse-records.ts';

/** The valid part of a stored run. */
export interface StoredRun {
  readonly entry: RunEntry;
  readonly began: Began | undefined;
  readonly records: readonly JournalRecord[];
  readonly events: readonly RuntimeEvent[];
  /** The reason why it ends early, if it is damaged. */
  readonly damage: TroupeError | undefined;
}

/** Reads a run without its agent's code. What is damaged is not thrown, but named. */
export const readStoredRun = async (store: JournalStore, entry: RunEntry): Promise<StoredRun> => {
  const { runId } = entry;
  const { rows, damage } = await soundRows(store, runId);
  const opened = openJournal(runId, rows);
  const { records, damage: noRecord } = parseRecordPrefix(runId, opened.records);
  const [first] = records;
  return {
    entry,
    began: first?.kind === 'began' ? first : undefined,
    records,
    events: records.flatMap((record) => (record.kind === 'event' ? [eventOf(record.event, runId)] : [])),
    damage: noRecord ?? opened.damage ?? damage,
  };
};

/** Reads rows up to the first that the store cannot return. */
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

/** Completes an event with the fields that the journal omits. */
const eventOf = (event: object, runId: string): RuntimeEvent =>
  ({ v: EVENT_VERSION, runId, ...event }) as RuntimeEvent;
