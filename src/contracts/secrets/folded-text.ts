import type { Place } from './phrase-finder.ts';

/**
 * Characters of which a text has one where it is escaped or broken. What nobody sees is in few ranges, which hold others, too: by the name of
 * its property a Chinese text would take ten times as long.
 */
const HINT =
  // oxlint-disable-next-line no-control-regex -- Terminals obey them, and show nothing of them.
  /[\u034F\0-\x1F%&=\\\x7F-\xAD\u061C\u115F-\u180F\u200B-\u206F\u3164\uD82F-\uDB43\uFDF0-\uFFF8]/;

/**
 * One character as JSON, addresses, HTML and mails escape it, also twice, or in octal; one of full width; a break of a line; codes of
 * terminals; and what nobody sees.
 */
const PIECE =
  /(?:\\{1,7}(?:u00|x)|%(?:25){0,3}|=|&(?:amp;){0,2}#x0{0,4})([2-7][\da-f]);?|\\{1,7}(?:(["'/])|0?([01][0-7]{2}))|&(?:amp;){0,2}(?:#0{0,4}(\d{2,3})|(amp|lt|gt|quot|apos));|(?:[=\\]?\r?\n|(?:\\{1,7}r)?\\{1,7}n)[ \t]{0,99}|([！-～])|\p{Cc}(?:\[[\d;]{0,20}[a-z])?|\p{DI}/giu;

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text without escapes, breaks of lines, and what nobody sees. */
export interface FoldedText {
  readonly text: string;
  /** Returns where places in it, from left to right, are in the text itself. */
  readonly unfold: (places: readonly Place[]) => readonly Place[];
}

/** A piece: what it became in the folded text, and where it ends in the text itself. */
interface Piece extends Place {
  readonly until: number;
}

const asTheyAre: FoldedText['unfold'] = (places) => places;

/** Folds a text in one pass. */
export const foldText = (given: string): FoldedText => {
  if (!HINT.test(given)) return { text: given, unfold: asTheyAre };
  const pieces: Piece[] = [];
  let gone = 0;
  const fold = (
    piece: string,
    hex: string | undefined,
    plain: string | undefined,
    octal: string | undefined,
    number: string | undefined,
    name: string | undefined,
    wide: string | undefined,
    index: number,
  ): string => {
    const code = hex ? `0x${hex}` : octal ? `0o${octal}` : number;
    const escaped = code === undefined ? NAMED[name?.toLowerCase() ?? ''] : String.fromCharCode(Number(code));
    const shown = escaped ?? plain ?? wide?.normalize('NFKC') ?? '';
    const start = index - gone;
    gone += piece.length - shown.length;
    pieces.push({ start, end: start + shown.length, until: index + piece.length });
    return shown;
  };
  const text = given.replaceAll(PIECE, fold);
  const unfold = (places: readonly Place[]): readonly Place[] => {
    let next = 0;
    // A piece that became nothing is in front of the character at its place, and not behind the one before.
    const origin = (position: number, isBefore: (piece: Piece) => boolean): number => {
      for (let piece = pieces[next]; piece !== undefined && isBefore(piece); piece = pieces[next]) next += 1;
      const { end = 0, until = 0 } = pieces[next - 1] ?? {};
      return until + position - end;
    };
    return places.map(({ start, end }) => ({
      start: origin(start, (piece) => piece.end <= start),
      end: origin(end, (piece) => piece.start < end),
    }));
  };
  return { text, unfold };
};
