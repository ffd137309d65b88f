import { canonical } from '../../../contracts/canonical.ts';
import type { EventBody } from '../../../contracts/event.ts';
import type { Happened } from '../../../contracts/journal-record.ts';
import type { Json } from '../../../contracts/json.ts';
import { isSameJson } from '../../../contracts/same-json.ts';
import { toJson } from '../../../contracts/json.ts';
import { isAsRedacted } from '../write/as-redacted.ts';

/** An event's own part. */
export const bodyOf = ({
  seq: _seq,
  at: _at,
  path: _path,
  agent: _agent,
  step: _step,
  phase,
  ...rest
}: Happened['event']): EventBody =>
  // Without what is the same for every type it is the body of its type.
  (rest.type === 'phase.entered' ? { ...rest, phase } : rest) as EventBody;

/** Who says an event, when and where. */
export interface SaidAt {
  readonly at: number;
  readonly path: string;
  readonly agent: string;
  readonly step: number | undefined;
  readonly phase: string | undefined;
}

/** Checks whether an event is word for word the one on record: true is certain, false is for {@link isSameEvent} to say. */
export const isSaid = (recorded: Happened['event'], body: EventBody, place: SaidAt): boolean => {
  const said: Readonly<Record<string, unknown>> = recorded;
  const told: Readonly<Record<string, unknown>> = body;
  const { at, path, agent, step, phase } = place;
  if (said['at'] !== at || said['path'] !== path || said['agent'] !== agent || said['step'] !== step)
    return false;
  if (said['phase'] !== phase) return false;
  for (const name of Object.keys(told)) if (!isSameJson(said[name], told[name])) return false;
  for (const name of Object.keys(said)) if (!OF_PLACE.has(name) && !Object.hasOwn(told, name)) return false;
  return true;
};

/** What every event on record has beside its body, and what is its place. */
const OF_PLACE: ReadonlySet<string> = new Set(['seq', 'at', 'path', 'agent', 'step', 'phase']);

/**
 * Checks whether an event of a replay is the one on record. What is said of the model in the first event
 * is not compared: a process that replays it may have another. Nor is what was redacted: its reader may know other secrets.
 */
export const isSameEvent = (
  { seq: _seq, ...recorded }: Happened['event'],
  found: { readonly type: string },
): boolean => {
  if (recorded.type === 'run.started' && found.type === 'run.started') return true;
  const text = JSON.stringify(isUnmeasured(recorded) ? { ...found, durationMs: 0 } : found);
  if (JSON.stringify(recorded) === text) return true;
  const read: Json = JSON.parse(text);
  const known = toJson(recorded);
  return canonical(known) === canonical(read) || isAsRedacted(known, read);
};

/** Journals of version 0.1 did not measure a call that was cut short. */
const isUnmeasured = (recorded: { readonly type: string } & object): boolean =>
  recorded.type === 'tool.finished' &&
  'synthesised' in recorded &&
  recorded.synthesised === true &&
  'durationMs' in recorded &&
  recorded.durationMs === 0;
