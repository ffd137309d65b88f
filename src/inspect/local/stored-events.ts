import { isJsonObject } from '../../base/json/json.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalRow, JournalStore } from '../../contracts/journals/journal.ts';
import { readPastDamage } from '../../persistence/journal-codec.ts';
import { eventIn } from '../traces/logged-events.ts';

/** Rows that are read at once. */
const CHUNK = 500;

/** The events in some rows of a journal. */
export interface StoredEvents {
  readonly events: readonly RuntimeEvent[];
  /** The number of rows that have been read by then. */
  readonly rows: number;
}

/** The events of a stored run from a row on, in parts; others work in between. What cannot be read is left out. */
export async function* storedEvents(
  store: Pick<JournalStore, 'read'>,
  runId: string,
  from = 0,
): AsyncGenerator<StoredEvents, void> {
  for (let rows = from; ;) {
    const next = await store.read(runId, rows, CHUNK);
    rows += next.length;
    yield { events: eventsInRows(runId, next), rows };
    if (next.length < CHUNK) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The events in rows of a journal. */
export const eventsInRows = (runId: string, rows: readonly JournalRow[]): readonly RuntimeEvent[] => {
  const texts = rows.map(({ text }) => text);
  const records = readPastDamage(runId, texts).found.flatMap((row) => row.records);
  return records.flatMap((record): readonly RuntimeEvent[] => {
    if (!isJsonObject(record) || record['kind'] !== 'event' || !isJsonObject(record['event'])) return [];
    const found = eventIn({ v: EVENT_VERSION, runId, ...record['event'] });
    return 'item' in found ? [found.item] : [];
  });
};
