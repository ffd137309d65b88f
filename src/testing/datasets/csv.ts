import { TroupeError } from '../../contracts/errors/error.ts';

/** A row of a table, with the line of the file that it begins in. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Parses CSV as RFC 4180 describes it: cells in quotes may have commas, line breaks, and quotes that are doubled. Empty lines are left out.
 *
 * @throws {TroupeError} `input.invalid` for a quote that nothing closes, or that text follows.
 */
export const parseCsv = (text: string, name: string): readonly CsvRow[] => {
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let [line, begins, at] = [1, 1, text.startsWith('\ufeff') ? 1 : 0];
  const endRow = (): void => {
    if (cells.length > 1 || (cells[0] ?? '') !== '') rows.push({ line: begins, cells });
    cells = [];
    begins = line;
  };
  while (at < text.length) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? closingQuote(text, at, line, name) : endOfPlain(text, at);
    const cell = isQuoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, end);
    cells.push(cell);
    line += cell.split('\n').length - 1;
    at = isQuoted ? end + 1 : end;
    const next = text[at];
    if (next === ',') {
      at += 1;
      // A row may end with an empty cell.
      if (at === text.length || text[at] === '\n' || text[at] === '\r') cells.push('');
      else continue;
    } else if (next !== undefined && next !== '\n' && next !== '\r')
      throw new TroupeError(
        'input.invalid',
        `Cannot read ${name} past line ${line} as text follows a quote: put the whole cell in quotes, and double those within it`,
      );
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    line += 1;
    endRow();
  }
  return rows;
};

const endOfPlain = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
};

const closingQuote = (text: string, from: number, line: number, name: string): number => {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at;
    at += 1;
  }
  throw new TroupeError('input.invalid', `Cannot read ${name} past line ${line} as no quote ends its cell`);
};
