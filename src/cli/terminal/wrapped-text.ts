import { graphemesOf } from './graphemes.ts';
import { cellsOf, cellsOfGrapheme } from './cells.ts';

/**
 * Wraps a line without styles at its spaces, to a number of cells; further lines are indented as the first is. A word that is longer is
 * broken between two graphemes, unless it is an address or a path from a root: these have to stay whole to be copied.
 */
export const wrappedLine = (line: string, cells: number): readonly string[] => {
  if (cellsOf(line) <= cells) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const room = Math.max(1, cells - indent.length);
  const lines: string[] = [];
  let current: string | undefined;
  for (const word of line.slice(indent.length).split(' ')) {
    const joined: string = current === undefined ? word : `${current} ${word}`;
    if (cellsOf(joined) <= room) {
      current = joined;
      continue;
    }
    if (current !== undefined) lines.push(current);
    const parts = brokenWord(word, room);
    lines.push(...parts.slice(0, -1));
    current = parts.at(-1);
  }
  return [...lines, current ?? ''].map((each) => `${indent}${each}`);
};

/** An address, or a path from a root, a home or the folder. */
const PLACE = /^[([<"'`]*(?:[a-z]+:\/|[A-Z]:|\.{0,2}|~)[/\\][!-~]*$/;

const brokenWord = (word: string, cells: number): readonly string[] => {
  if (PLACE.test(word) || cellsOf(word) <= cells) return [word];
  const parts: string[] = [];
  let part = '';
  let taken = 0;
  for (const grapheme of graphemesOf(word)) {
    const wide = cellsOfGrapheme(grapheme);
    if (taken + wide > cells && part !== '') {
      parts.push(part);
      [part, taken] = ['', 0];
    }
    part += grapheme;
    taken += wide;
  }
  return [...parts, part];
};

/** Joins the parts of a sentence by points, wrapped between two of them. */
export const wrappedParts = (parts: readonly string[], cells: number): readonly string[] => {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = [...lines.slice(-1), part].join(' · ');
    if (lines.length > 0 && cellsOf(longer) <= cells) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
};
