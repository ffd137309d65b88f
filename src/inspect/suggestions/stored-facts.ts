import { isJsonObject } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import { withoutUndefined } from '../../base/json/without-undefined.ts';
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
  const known: KnownCalls = { sent: new Map(), heard: new Map() };
  try {
    for (let from = 0; ; from += CHUNK) {
      const rows = await store.read(runId, from, CHUNK);
      const texts = rows.map(({ text }) => text);
      for (const record of readPastDamage(runId, texts).found.flatMap((row) => row.records)) {
        const event = eventOf(record, runId, known);
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

/** Requests and raw answers of model calls, by their keys. */
interface KnownCalls {
  readonly sent: Map<string, Json>;
  readonly heard: Map<string, Json>;
}

/** The event of a record, with the request or the raw answer that was recorded before it. */
const eventOf = (record: unknown, runId: string, known: KnownCalls): RuntimeEvent | undefined => {
  if (!isJsonObject(record)) return undefined;
  const { kind, arrival, event } = record;
  if (kind === 'arrived' && isJsonObject(arrival)) {
    const { type, key, request, answer } = arrival;
    if (type === 'sent' && request !== undefined) known.sent.set(`${runId}/${textIn(key)}`, request);
    if (type === 'heard' && answer !== undefined) known.heard.set(`${runId}/${textIn(key)}`, answer);
  }
  if (kind !== 'event' || !isJsonObject(event)) return undefined;
  const { type, key } = event;
  const request = type === 'model.asked' ? known.sent.get(textIn(key)) : undefined;
  const raw = type === 'model.answered' ? known.heard.get(textIn(key)) : undefined;
  const found = eventIn({ v: EVENT_VERSION, runId, ...event, ...withoutUndefined({ request, raw }) });
  return 'item' in found ? found.item : undefined;
};

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
