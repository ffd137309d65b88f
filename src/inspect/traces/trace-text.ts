import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { serialiseEvent } from '../../events/parse-event.ts';
import { oneLine, printableJson } from '../../base/text/printable.ts';
import { JournalSeal } from '../../persistence/journal-codec.ts';
import { traceHead } from '../../persistence/run-log.ts';
import type { Trace } from './trace.ts';
import type { RunAccount, TraceAccount } from './trace-account.ts';
import type { TraceNote } from './trace-record.ts';

/** A trace as `traceFiles` writes it: of a run that was not traced, or whose trace is one of 0.1. */
export const traceText = ({ account, events }: Pick<Trace, 'account' | 'events'>): string => {
  const { startedAt, updatedAt, writer, left = { events: 0, cut: 0 }, trouble } = account;
  const seal = new JournalSeal({ runId: account.runId });
  const notes: readonly TraceNote[] =
    writer === undefined ? [] : [{ kind: 'opened', at: startedAt, ...writer }];
  const closed: TraceNote = {
    kind: 'closed',
    at: updatedAt,
    left,
    ...(trouble === undefined ? {} : { trouble }),
  };
  const records = [...notes, ...events.map((event) => eventRecord(event, toJson(event))), closed];
  return [headLine(account), ...records.map((record) => rowLine(seal, recordText(record)))].join('');
};

/** The events of a trace as NDJSON, one a line, in order: what `parseEvent` reads. */
export const traceAsLines = ({ events }: Pick<Trace, 'events'>): string =>
  events.map(serialiseEvent).join('');

/** The head of a trace: the facts of its run. */
type Headed = Pick<RunAccount, 'runId' | 'agent' | 'startedAt' | 'input'> &
  Pick<TraceAccount, 'facts' | 'factsHash'>;

/** The first line of a trace, its line feed included. */
export const headLine = ({ runId, agent, startedAt, input, facts, factsHash }: Headed): string =>
  traceHead({
    entry: {
      runId,
      agent,
      status: 'running',
      title: titleOf(input),
      createdAt: startedAt,
      updatedAt: startedAt,
    },
    ...(facts === undefined ? {} : { facts: { ...facts } }),
    ...(factsHash === undefined ? {} : { factsHash }),
  });

/** The first words of an input. */
export const titleOf = (input: Json | undefined): string =>
  input === undefined ? '' : oneLine(typeof input === 'string' ? input : JSON.stringify(input), 120);

/** The record of an event, of which `written` is what may be written. What its log is read by is as it was: never cut, never taken for a secret. */
export const eventRecord = ({ type, seq, at, path, agent }: RuntimeEvent, written: Json): JsonObject => {
  const { v: _v, runId: _runId, ...rest } = isJsonObject(written) ? written : {};
  return { kind: 'event', event: { ...rest, type, seq, at, path, agent } };
};

/** A record as a row holds it: on one line, and safe for terminals. */
export const recordText = (record: object): string => printableJson([record]);

/** The next row, as a line. */
export const rowLine = (seal: JournalSeal, text: string): string => `${seal.sealText(text).text}\n`;
