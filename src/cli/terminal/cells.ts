import { eastAsianWidth } from 'get-east-asian-width';
import { graphemesOf } from './graphemes.ts';

/** Most texts: one cell for each character. */
const PLAIN = /^[ -~]*$/;

/** Drawn as one picture of two cells: an emoji with all that is joined to it, a flag, a keycap. */
const PICTURE =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Extended_Pictographic}\p{M}*\u200D\p{Extended_Pictographic})/u;

/**
 * Without a cell of its own: marks above and below, stems and flags of notes, joiners, control characters, the vowels and ends of Hangul
 * syllables. Four that are to be ignored are drawn all the same.
 */
const UNSEEN =
  /^(?:[\p{Mn}\p{Me}\p{Cc}\u1160-\u11FF\uD7B0-\uD7FB\u{1D165}\u{1D166}\u{1D16D}-\u{1D172}]|(?![\u00AD\u115F\u3164\uFFA0])\p{Default_Ignorable_Code_Point})$/u;

/**
 * The cells that a text without styles takes on a terminal: two for East Asian wide characters and emoji, none for what combines with
 * another, one for the rest. Characters of ambiguous width take one, as terminals draw them by default.
 */
export const cellsOf = (text: string): number =>
  PLAIN.test(text) ? text.length : graphemesOf(text).reduce((sum, each) => sum + cellsOfGrapheme(each), 0);

/** The cells that one grapheme takes. */
export const cellsOfGrapheme = (grapheme: string): number =>
  PICTURE.test(grapheme) ? 2 : Array.from(grapheme, cellsOfCharacter).reduce((sum, cells) => sum + cells, 0);

const cellsOfCharacter = (character: string): number =>
  UNSEEN.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);

/** The graphemes at the start of a text that fit into `cells`. */
export const fittingBeginning = (text: string, cells: number): string => {
  let fitting = '';
  let taken = 0;
  for (const grapheme of graphemesOf(text)) {
    taken += cellsOfGrapheme(grapheme);
    if (taken > cells) break;
    fitting += grapheme;
  }
  return fitting;
};

/** Fills a text up with spaces to a number of cells: behind it, or before it where it is set to the right. */
export const padTo = (text: string, cells: number, isRight = false): string => {
  const space = ' '.repeat(Math.max(0, cells - cellsOf(text)));
  return isRight ? `${space}${text}` : `${text}${space}`;
};
