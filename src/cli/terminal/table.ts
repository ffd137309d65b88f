import { cellsOf, padTo } from './cells.ts';
import { fittedLine } from './fitted-line.ts';

/** One field of a table: plain text, and how it looks. */
export interface Cell {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
  /** Numbers are set to the right. */
  readonly isRight?: boolean | undefined;
  /** The cells of a terminal that its column may take; in a file or a pipe it is whole. */
  readonly most?: number | undefined;
}

/** The space between two columns, and before a line. */
const GAP = '  ';

/**
 * Lays rows out in columns, each as wide as its widest field; a column without any text is left out, the last one is not filled up. In a file
 * or a pipe, of infinitely many `columns`, no field is cut.
 */
export const tableLines = (rows: readonly (readonly Cell[])[], columns: number): readonly string[] => {
  const mostOf = (cell: Cell | undefined): number =>
    columns === Infinity ? Infinity : (cell?.most ?? Infinity);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Math.min(cellsOf(row[column]?.text ?? ''), mostOf(row[column])))),
  );
  return rows.map((row) => {
    const shown = row.flatMap((cell, column) =>
      widths[column] === 0
        ? []
        : [field(cell, mostOf(cell), column === row.length - 1 ? 0 : (widths[column] ?? 0))],
    );
    return shown.join(GAP).trimEnd();
  });
};

const field = ({ text, paint = asItIs, isRight }: Cell, most: number, width: number): string =>
  paint(padTo(fittedLine(text, most), width, isRight));

const asItIs = (text: string): string => text;
