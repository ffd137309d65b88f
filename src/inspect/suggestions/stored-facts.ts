import { isJsonObject } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { readPastDamage } from '../../persistence/journal-codec.ts';
import { eventIn } from '../traces/logged-events.ts';
import type { RunFacts } from './run-facts.ts';
import { RunReader } from './run-reader.ts';

/** Rows that are read at once. */
const CHUNK = 500;

/** Runs of a store that have ended, the earliest first. A fork shares the beginning of its run, which would count twice. */
export const endedRuns = async (store: JournalStore, limit?: number): Promise<readonly RunEntry[]> => {
  const found = await store.list({ status: ['completed', 'stopped', 'aborted', 'failed'], limit });
  return found.filter(({ forkedFrom }) => forkedFrom === undefined).toReversed();
};

/** The facts of a stored run; undefined if its journal cannot be read to its end. */
export const storedFacts = async (store: JournalStore, runId: string): Promise<RunFacts | undefined> => {
  const reader = new RunReader();
  const sent = new Map<string, Json>();
  try {
    for (let from = 0; ; from += CHUNK) {
      const rows = await store.read(runId, from, CHUNK);
      const texts = rows.map(({ text }) => text);
      for (const record of readPastDamage(runId, texts).found.flatMap((row) => row.records)) {
        const event = eventOf(record, runId, sent);
        const facts = event && reader.take(event);
        if (facts !== undefined) return facts;
      }
      if (rows.length < CHUNK) return undefined;
    }
  } catch {
    // One journal that cannot be read does not hide the others; looking at the run says why.
    return undefined;
  }
};

/** The event of a record, with the request that was recorded before it. */
const eventOf = (record: unknown, runId: string, sent: Map<string, Json>): RuntimeEvent | undefined => {
  if (!isJsonObject(record)) return undefined;
  const { kind, arrival, event } = record;
  if (kind === 'arrived' && isJsonObject(arrival) && arrival['type'] === 'sent') {
    const { key, request } = arrival;
    if (typeof key === 'string' && request !== undefined) sent.set(`${runId}/${key}`, request);
  }
  if (kind !== 'event' || !isJsonObject(event)) return undefined;
  const request =
    event['type'] === 'model.asked' && typeof event['key'] === 'string' ? sent.get(event['key']) : undefined;
  const found = eventIn({ v: EVENT_VERSION, runId, ...event, ...(request === undefined ? {} : { request }) });
  return 'item' in found ? found.item : undefined;
};
