import { canonical } from '../../contracts/canonical.ts';
import type { EventBody } from '../../contracts/event.ts';
import type { Happened } from '../../contracts/journal-record.ts';
import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import { isAsRedacted } from './as-redacted.ts';

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

/**
 * Whether an event that comes of going through a run again is the one on record. What is said of the model in the first event
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
