import { cellsOf, padTo } from './cells.ts';
import { fittedLine } from './fitted-line.ts';

/** One field of a table: plain text, and how it looks. */
export interface Cell {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
  /** Numbers are set to the right. */
  readonly isRight?: boolean | undefined;
  /** The cells of a terminal that its column may take. */
  readonly most?: number | undefined;
}

/** The space between two columns, and before a line. */
const GAP = '  ';

/** Lays rows out in columns, each as wide as its widest field; a column without any text is left out, the last one is not filled up. */
export const tableLines = (rows: readonly (readonly Cell[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => Math.min(cellsOf(row[column]?.text ?? ''), row[column]?.most ?? Infinity))),
  );
  return rows.map((row) => {
    const shown = row.flatMap((cell, column) =>
      widths[column] === 0 ? [] : [field(cell, column === row.length - 1 ? 0 : (widths[column] ?? 0))],
    );
    return shown.join(GAP).trimEnd();
  });
};

const field = ({ text, paint = asItIs, isRight, most = Infinity }: Cell, width: number): string =>
  paint(padTo(fittedLine(text, most), width, isRight));

const asItIs = (text: string): string => text;
