import type { PatternRow } from './patterns/pattern-row.ts';
import type { SetupRow } from './setup-row.ts';

interface RowFile {
  readonly row?: PatternRow;
  readonly setup?: SetupRow;
}

const contentOf = async (file: string): Promise<RowFile> =>
  (await import(`./patterns/${file}.ts`)) as RowFile;

/** The row in a file of `patterns`, by its name without the ending. */
export const rowIn = async (file: string): Promise<PatternRow> => {
  const { row } = await contentOf(file);
  if (row === undefined) throw new Error(`${file}.ts has no row`);
  return row;
};

/** What the pattern of a file may be given; undefined for a workflow, which is built otherwise. */
export const setupIn = async (file: string): Promise<SetupRow | undefined> => (await contentOf(file)).setup;
