import { canonical } from '../../../base/json/canonical.ts';
import type { EventBody } from '../../../contracts/events/event.ts';
import type { Happened } from '../../../contracts/journals/journal-record.ts';
import type { Json } from '../../../base/json/json.ts';
import { isSameJson } from '../../../base/json/same-json.ts';
import { isJsonObject, toJson } from '../../../base/json/json.ts';
import { isAsRedacted } from '../write/as-redacted.ts';

/** The body of a recorded event, without its envelope. */
export const bodyOf = ({
  seq: _seq,
  at: _at,
  path: _path,
  agent: _agent,
  step: _step,
  phase,
  ...rest
}: Happened['event']): EventBody =>
  // Stripped of the fields that all types share, it is the body of its type.
  (rest.type === 'phase.entered' ? { ...rest, phase } : rest) as EventBody;

/** The envelope of an event: its time, address, agent, step and phase. */
export interface EventEnvelope {
  readonly at: number;
  readonly path: string;
  readonly agent: string;
  readonly step: number | undefined;
  readonly phase: string | undefined;
}

/** Checks whether an event is identical to the recorded one. True is certain; false has to be confirmed by {@link isSameEvent}. */
export const isIdenticalEvent = (
  recorded: Happened['event'],
  body: EventBody,
  place: EventEnvelope,
): boolean => {
  const said: Readonly<Record<string, unknown>> = recorded;
  const published: Readonly<Record<string, unknown>> = body;
  const { at, path, agent, step, phase } = place;
  if (said['at'] !== at || said['path'] !== path || said['agent'] !== agent || said['step'] !== step)
    return false;
  if (said['phase'] !== phase) return false;
  for (const name of Object.keys(published)) if (!isSameJson(said[name], published[name])) return false;
  for (const name of Object.keys(said))
    if (!OF_PLACE.has(name) && !Object.hasOwn(published, name)) return false;
  return true;
};

/** Fields of a recorded event that belong to its envelope. */
const OF_PLACE: ReadonlySet<string> = new Set(['seq', 'at', 'path', 'agent', 'step', 'phase']);

/**
 * Checks whether an event of a replay matches the recorded one. The model named in the first event is not compared, as the replaying
 * process may use another, nor is redacted text, as its reader may know other secrets.
 */
export const isSameEvent = (
  { seq: _seq, ...recorded }: Happened['event'],
  found: { readonly type: string },
): boolean => {
  if (recorded.type === 'run.started' && found.type === 'run.started') return true;
  const text = JSON.stringify(asVersion01(recorded, found));
  if (JSON.stringify(recorded) === text) return true;
  const read: Json = JSON.parse(text);
  const known = toJson(recorded);
  return canonical(known) === canonical(read) || isAsRedacted(known, read);
};

/** The event without what 0.1 did not write, if the record lacks it: the time of calls that were cut short, failures of memories in reports. */
const asVersion01 = (recorded: Written, found: Written): Written => {
  if (recorded.type === 'tool.finished' && recorded['synthesised'] === true && recorded['durationMs'] === 0)
    return { ...found, durationMs: 0 };
  if (recorded.type !== 'run.ended' || reportOf(recorded).some(isOfMemory)) return found;
  const failures = reportOf(found).filter((failure) => !isOfMemory(failure));
  const { report, ...rest } = found;
  if (failures.length === reportOf(found).length) return found;
  return failures.length === 0
    ? rest
    : { ...rest, report: { ...(isJsonObject(report) ? report : {}), failures } };
};

interface Written {
  readonly type: string;
  readonly [field: string]: unknown;
}

const reportOf = ({ report }: Written): readonly unknown[] => {
  const { failures } = isJsonObject(report) ? report : {};
  return Array.isArray(failures) ? failures : [];
};

/** Only the failures of memories have an address. */
const isOfMemory = (failure: unknown): boolean => isJsonObject(failure) && failure['path'] !== undefined;
