import type { PatternRow } from './patterns/pattern-row.ts';

/** The row in a file of `patterns`, by its name without the ending. */
export const rowIn = async (file: string): Promise<PatternRow> => {
  const { row } = (await import(`./patterns/${file}.ts`)) as { row?: PatternRow };
  if (row === undefined) throw new Error(`${file}.ts has no row`);
  return row;
};
