import { isTroupeError } from '../../contracts/errors/error.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import { eventTypes } from '../../contracts/events/event.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import { parseEvent } from '../../events/parse-event.ts';
import { parseRecordPrefix } from '../../runtime/journal/replay/parse-records.ts';
import { sentRequestsOf } from '../../runtime/journal/replay/sent-records.ts';
import type { SentSource } from '../../contracts/models/sent-request.ts';
import { withSent } from '../../runtime/log/sent-requests.ts';
import type { OpenedLog } from '../../persistence/run-log.ts';
import type { TraceProblem } from './trace-problem.ts';

/** The events of a log, by their numbers, each once, and what kept something from being read. */
export interface LoggedEvents {
  readonly events: readonly RuntimeEvent[];
  readonly problems: readonly TraceProblem[];
}

/** The longest excerpt of a line that cannot be read, in characters. */
const RAW = 2_000;

/** The events of a log; what is none is kept raw in its problem. Pure. */
export const eventsIn = ({ head, records, damage }: OpenedLog): LoggedEvents => {
  const events: RuntimeEvent[] = [];
  const problems = damage.map(({ line, raw, message, isCut }): TraceProblem => {
    const kind = isCut ? 'line.cut' : parsesAsRow(raw) ? 'row.changed' : 'line.broken';
    return { kind, line, raw: raw.slice(0, RAW), message };
  });
  const { runId } = head.entry;
  // A trace has them in its events.
  const sent = head.kind === 'journal' ? sentInJournal(runId, records) : undefined;
  for (const { line, record } of records) {
    if (!isJsonObject(record) || record['kind'] !== 'event') continue;
    const found = eventIn({ v: EVENT_VERSION, runId, ...asObject(record['event']) });
    if ('item' in found) events.push(sent === undefined ? found.item : withSent(found.item, sent));
    else problems.push({ ...found, line, raw: JSON.stringify(record).slice(0, RAW) });
  }
  const ordered = inOrder(events);
  return { events: ordered.events, problems: [...problems, ...ordered.problems] };
};

const sentInJournal = (runId: string, records: OpenedLog['records']): SentSource =>
  sentRequestsOf(
    parseRecordPrefix(
      runId,
      records.map(({ record }) => record),
    ).records,
    runId,
  );

const asObject = (value: Json | undefined) => (isJsonObject(value) ? value : {});

const parsesAsRow = (raw: string): boolean => {
  try {
    return isJsonObject(JSON.parse(raw));
  } catch {
    return false;
  }
};

/** An event, or what is wrong with it. */
export const eventIn = (
  value: unknown,
): { readonly item: RuntimeEvent } | Pick<TraceProblem, 'kind' | 'message'> => {
  try {
    return { item: parseEvent(value) };
  } catch (thrown) {
    if (!isTroupeError(thrown)) throw thrown;
    const isStranger =
      isJsonObject(value) && (value['v'] !== EVENT_VERSION || !eventTypes().has(value['type'] ?? null));
    return { kind: isStranger ? 'event.unknown' : 'event.invalid', message: thrown.message };
  }
};

/** By number, and each once: what was written twice as a process ended is the same twice, and no harm. */
export const inOrder = (events: readonly RuntimeEvent[]): LoggedEvents => {
  const bySeq = new Map<number, RuntimeEvent>();
  const problems: TraceProblem[] = [];
  let last = -1;
  for (const event of events) {
    const { seq } = event;
    const known = bySeq.get(seq);
    if (known === undefined) bySeq.set(seq, event);
    else if (JSON.stringify(known) !== JSON.stringify(event))
      problems.push({ kind: 'seq.doubled', seq, message: `There are two events ${seq}` });
    if (known === undefined && seq < last)
      problems.push({ kind: 'seq.order', seq, message: `Event ${seq} stands after ${last}` });
    last = Math.max(last, seq);
  }
  return { events: [...bySeq.values()].toSorted((a, b) => a.seq - b.seq), problems };
};
