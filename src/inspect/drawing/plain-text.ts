/** A piece of a text: verbatim, or a mark in place of a character that is invisible or affects how the rest reads. */
export interface TextPiece {
  readonly text: string;
  /** Explanation of the mark. */
  readonly means?: string | undefined;
}

const names: Readonly<Record<number, string>> = {
  0x1b: 'escape',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero-width space',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of direction',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'end of isolate',
  0xfeff: 'byte order mark',
};

// Controls but for tab and line feed, marks of direction, what has no width, and tags that only a model reads.
const unseen =
  // oxlint-disable-next-line no-control-regex
  /(?:[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}])+/gu;

/** Beyond this number, marks are written as text: a text of marks alone would be thousands of elements. */
const MOST_MARKS = 60;

/** Splits a text for display, with marks for control, escape, bidirectional and invisible characters. */
export const piecesOf = (text: string): readonly TextPiece[] => {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(unseen)) {
    if (pieces.length >= 2 * MOST_MARKS) break;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: markOf(match[0]), means: meaningOf(match[0]) });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: plain(text.slice(end)) });
  return pieces;
};

/** Checks whether a text has more marks than are shown as such. */
export const hasManyMarks = (text: string): boolean => {
  let count = 0;
  for (const _ of text.matchAll(unseen)) if ((count += 1) > MOST_MARKS) return true;
  return false;
};

/** A text with marks in it, as one string. */
export const plain = (text: string): string => text.replace(unseen, markOf);

const SHOWN_OF_RUN = 8;

const markOf = (run: string): string => {
  const characters = Array.from(run);
  const shown = characters.slice(0, SHOWN_OF_RUN).map(symbolOf).join('');
  return characters.length > SHOWN_OF_RUN ? `${shown}…×${characters.length}` : shown;
};

const symbolOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  // Unicode has pictures of the first controls.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '␡' : `‹${code.toString(16).toUpperCase().padStart(4, '0')}›`;
};

const meaningOf = (run: string): string => {
  const codes = [...new Set(Array.from(run, (each) => each.codePointAt(0) ?? 0))].slice(0, SHOWN_OF_RUN);
  return codes
    .map((code) => {
      const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
      const name = names[code];
      return name === undefined ? point : `${point} ${name}`;
    })
    .join(', ');
};

/** Returns the start of a text that fits on one line. */
export const oneLine = (text: string, most = 120): string => {
  const head = plain(text.slice(0, most + 1).replaceAll(/\s+/g, ' '));
  // A mark is longer than the character it replaces, a space shorter than what it stands for.
  return head.length > most || text.length > most + 1 ? `${head.slice(0, most)}…` : head;
};

/** A value as one short line. */
export const brief = (value: unknown, most = 120): string => {
  if (typeof value === 'string') return oneLine(value, most);
  if (value === undefined) return '';
  return oneLine(JSON.stringify(value, briefly) ?? '', most);
};

/** Long strings within a value are truncated for a one-line display. */
const briefly = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > 400 ? value.slice(0, 400) : value;
