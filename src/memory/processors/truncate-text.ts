/**
 * The head and the tail of a text with a marker between them, `most` characters at most in all.
 *
 * Characters are code points: no emoji is cut in two.
 *
 * @example
 * truncateText('x'.repeat(5_000), 1_000).includes('characters left out') // => true
 */
export const truncateText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const length = codePoints(text);
  if (length <= most) return text;
  // The number in the marker is never longer than the text's own length.
  const room = most - markerOf(length).length;
  if (room < 2) return text.slice(0, unitsOf(text, Math.max(1, most)));
  const head = Math.ceil(room / 2);
  const tail = room - head;
  const start = unitsOf(text, head);
  const end = unitsOf(text, length - tail, start, head);
  return `${text.slice(0, start)}${markerOf(length - head - tail)}${text.slice(end)}`;
};

const markerOf = (left: number): string => `\n… [${left} characters left out] …\n`;

const codePoints = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; count += 1) at += sizeAt(text, at);
  return count;
};

/** Returns the index of code point number `points`, counting on from a known place. */
const unitsOf = (text: string, points: number, at = 0, counted = 0): number => {
  let place = at;
  for (let point = counted; point < points && place < text.length; point += 1) place += sizeAt(text, place);
  return place;
};

const sizeAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** One line of at most `most` characters. */
export const oneLine = (text: string, most: number): string => {
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return codePoints(line) <= most ? line : `${line.slice(0, unitsOf(line, most - 1)).trimEnd()}…`;
};
