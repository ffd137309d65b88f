/**
 * A colour sequence, which has no width. Built from its code point, as a control character does not belong in source
 * text.
 */
const STYLE = new RegExp(`${String.fromCodePoint(0x1b)}\\[[0-9;]*m`, 'y');

/** Takes two columns of a terminal: East Asian wide characters, and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{16FE0}-\u{18CFF}\u{1AFF0}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The columns of a terminal that a text without styles takes. */
export const columnsOf = (text: string): number => {
  let width = 0;
  for (const { segment } of characters.segment(text)) width += widthOf(segment);
  return width;
};

/** The columns that one character takes. */
const widthOf = (segment: string): number => (WIDE.test(segment) ? 2 : 1);

/** Truncates a line to the width of a terminal, with an ellipsis; colours are kept, and closed. */
export const fittedLine = (line: string, columns: number): string => {
  let fitted = '';
  let width = 0;
  let isCut = false;
  /** The part that fits together with the ellipsis. */
  let room = '';
  const take = (text: string): void => {
    for (const { segment } of characters.segment(text)) {
      const next = width + widthOf(segment);
      if (next > columns) {
        isCut = true;
        return;
      }
      if (next < columns) room = `${fitted}${segment}`;
      fitted += segment;
      width = next;
    }
  };
  let plainFrom = 0;
  let styles = '';
  for (let at = line.indexOf('\u001b'); at !== -1; at = line.indexOf('\u001b', at + 1)) {
    STYLE.lastIndex = at;
    const style = STYLE.exec(line)?.[0];
    if (style === undefined) continue;
    if (!isCut) take(line.slice(plainFrom, at));
    plainFrom = at + style.length;
    if (isCut) styles += style;
    else fitted += style;
  }
  if (!isCut) take(line.slice(plainFrom));
  // Styles opened before the cut are closed after it.
  return isCut ? `${room}…${styles}` : fitted;
};
