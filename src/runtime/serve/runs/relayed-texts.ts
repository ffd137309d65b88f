import { readEvent } from '../../../client/read-event.ts';
import type { DeltaEvent } from '../../../contracts/events/event.ts';

/** The topic of requests for the texts of a run, by its id. */
export const WANTED = 'texts.wanted';

/** The topic of the texts of a run. */
export const textsOf = (runId: string): string => `texts.of:${runId}`;

/** Notice of new events in the store. */
export const NEWS = '';
/** Notice of a process that has the run from now on. */
export const HERE = 'here';

/** A piece of an answer that another process streams. */
export interface RelayedDelta {
  /** The number of the event that it follows. */
  readonly after: number;
  readonly delta: DeltaEvent;
}

/** Length of a text that certainly fits into a notice, escaped, beside the rest of its event; in UTF-16 units. */
const LONGEST_TEXT = 800;
/** Length of a notice, in bytes. */
const LONGEST_NOTICE = 7_000;

const bytes = new TextEncoder();

/** Notices of deltas, in order, each as long as a store passes on. A delta that does not fit by itself is left out. */
export const writeNotices = (deltas: readonly RelayedDelta[]): readonly string[] => {
  const notices: string[] = [];
  let lines: string[] = [];
  let length = 0;
  for (const line of deltas.flatMap(inPieces).map(lineOf)) {
    const size = bytes.encode(line).length + 1;
    if (size > LONGEST_NOTICE) continue;
    if (length + size > LONGEST_NOTICE) {
      notices.push(lines.join('\n'));
      [lines, length] = [[], 0];
    }
    lines.push(line);
    length += size;
  }
  return length === 0 ? notices : [...notices, lines.join('\n')];
};

/** The deltas in a notice. Lines that are none are ignored, as one from another version may have them. */
export const readNotice = (notice: string): readonly RelayedDelta[] =>
  notice.split('\n').flatMap((line) => {
    const [after = '', ...rest] = line.split(' ');
    try {
      const delta = readEvent(rest.join(' '));
      return delta.type === 'model.delta' && /^\d{1,15}$/.test(after)
        ? [{ after: Number(after), delta }]
        : [];
    } catch {
      return [];
    }
  });

const lineOf = ({ after, delta }: RelayedDelta): string => `${after} ${JSON.stringify(delta)}`;

const inPieces = ({ after, delta: event }: RelayedDelta): readonly RelayedDelta[] => {
  const { delta, offset = 0 } = event;
  if (delta.type === 'progress' || delta.text.length <= LONGEST_TEXT) return [{ after, delta: event }];
  const pieces: RelayedDelta[] = [];
  for (let from = 0; from < delta.text.length; from += LONGEST_TEXT) {
    const text = delta.text.slice(from, from + LONGEST_TEXT);
    pieces.push({ after, delta: { ...event, offset: offset + from, delta: { ...delta, text } } });
  }
  return pieces;
};
