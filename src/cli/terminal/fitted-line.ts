import { cellsOf, fittingBeginning } from './cells.ts';

/**
 * A colour sequence, which takes no cells. Built from its code point, as a control character does not belong in source
 * text.
 */
const STYLE = new RegExp(`(${String.fromCodePoint(0x1b)}\\[[0-9;]*m)`);

/** Truncates a line to the cells of a terminal, with an ellipsis, between two graphemes; colours are kept, and closed. */
export const fittedLine = (line: string, columns: number): string => {
  if (line.length * 2 <= columns) return line;
  // Every second part is a style.
  const parts = line.split(STYLE);
  const whole = parts.reduce((sum, part, index) => (index % 2 === 0 ? sum + cellsOf(part) : sum), 0);
  if (whole <= columns) return line;
  let fitted = '';
  let room: number | undefined = Math.max(0, columns - 1);
  for (const [index, part] of parts.entries()) {
    // Styles opened before the cut are closed after it.
    if (index % 2 === 1) fitted += part;
    else if (room !== undefined) {
      const beginning = fittingBeginning(part, room);
      fitted += beginning === part ? part : `${beginning}…`;
      room = beginning === part ? room - cellsOf(part) : undefined;
    }
  }
  return fitted;
};
