import { z } from 'zod';
import { TroupeError } from '../contracts/error.ts';
import type { JournalRow, RunEntry } from '../contracts/journal.ts';

/** A run with its journal, out of any store: what is exported, imported, and kept as a test's recording. */
export interface JournalCopy {
  readonly entry: RunEntry;
  readonly rows: readonly JournalRow[];
  /** By which command of `troupe` it was begun, as that has it on record. */
  readonly command?: string | undefined;
}

/** The version of the text; rows have one of their own. */
const TEXT_VERSION = 1;

const status = z.enum(['running', 'waiting', 'completed', 'stopped', 'aborted', 'failed']);

const headSchema = z.object({
  troupe: z.literal('journal'),
  v: z.literal(TEXT_VERSION),
  entry: z.object({
    runId: z.string(),
    agent: z.string(),
    status,
    title: z.string(),
    createdAt: z.number(),
    updatedAt: z.number(),
    dueAt: z.number().optional(),
    thread: z.string().optional(),
    forkedFrom: z.string().optional(),
  }),
  rows: z.number().int().nonnegative(),
  command: z.string().optional(),
});

/**
 * A journal as lines of text: a head that says whose it is and how many rows follow, then one row a line, sealed as they are.
 *
 * @example
 * await writeFile('run-17.journal', journalText({ entry, rows: await store.read('run-17') }));
 */
export const journalText = ({ entry, rows, command }: JournalCopy): string => {
  const head = { troupe: 'journal', v: TEXT_VERSION, entry, rows: rows.length, command };
  return [JSON.stringify(head), ...rows.map(({ text }) => text), ''].join('\n');
};

/**
 * Reads back what {@link journalText} wrote. What is in the rows is not looked at: whoever opens them finds what is wrong.
 *
 * @throws {TroupeError} `journal.corrupt` for a text that is no journal, or that ends too early.
 */
export const readJournalText = (text: string, name = 'the text'): JournalCopy => {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const head = headSchema.safeParse(parsed(first)).data;
  if (head === undefined)
    throw new TroupeError(
      'journal.corrupt',
      `Cannot read ${name} as it is no journal of this version: it begins with ${JSON.stringify(first.slice(0, 60))}`,
    );
  const { entry, rows, command } = head;
  if (lines.length !== rows)
    throw new TroupeError(
      'journal.corrupt',
      `Cannot read ${name} as it is torn: its head speaks of ${rows} rows, found ${lines.length}`,
      { runId: entry.runId },
    );
  return {
    entry,
    rows: lines.map((line, n) => ({ n, text: line })),
    ...(command === undefined ? {} : { command }),
  };
};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};
