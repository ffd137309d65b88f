import * as z from 'zod';
import { sha256 } from '../contracts/sha256.ts';
import { TroupeError } from '../contracts/error.ts';
import type { JournalRow, RunEntry } from '../contracts/journal.ts';

/** A run with its journal, out of any store: what is exported, imported, and kept as a test's recording. */
export interface JournalCopy {
  readonly entry: RunEntry;
  readonly rows: readonly JournalRow[];
  /** By which command of `troupe` it was begun, as that has it on record. */
  readonly command?: string | undefined;
}

/** The version of the text; rows have their own. A head of version 1 is not sealed. */
const TEXT_VERSION = 2;

const status = z.enum(['running', 'waiting', 'completed', 'stopped', 'aborted', 'failed']);

const headSchema = z.object({
  troupe: z.literal('journal'),
  v: z.union([z.literal(1), z.literal(TEXT_VERSION)]),
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
  check: z.string().optional(),
});

/** What a head says of its journal, as it is sealed. */
interface Head {
  readonly entry: unknown;
  readonly rows: unknown;
  readonly command?: unknown;
}

/** Chains a head to the seal of the last row, which covers all rows before: a head that was changed, or is another journal's, is found. */
const headCheck = ({ entry, rows, command }: Head, seal: string): string =>
  sha256(`${seal}\n${JSON.stringify({ entry, rows, command })}`).slice(0, 16);

/** The seal of the last row; empty where there is no row, undefined for one that is torn, which is found when it is opened. */
const lastSeal = (rows: readonly string[]): string | undefined => {
  const last = rows.at(-1);
  return last === undefined ? '' : /"check":"([0-9a-f]{16})"\}$/.exec(last)?.[1];
};

/**
 * A journal as lines of text: a head that says whose it is and how many rows follow, sealed with them, then one row a line, as they are.
 *
 * @example
 * await writeFile('run-17.journal', journalText({ entry, rows: await store.read('run-17') }));
 */
export const journalText = ({ entry, rows, command }: JournalCopy): string => {
  const said = { entry, rows: rows.length, command };
  const check = headCheck(said, lastSeal(rows.map(({ text }) => text)) ?? '');
  const head = { troupe: 'journal', v: TEXT_VERSION, ...said, check };
  return [JSON.stringify(head), ...rows.map(({ text }) => text), ''].join('\n');
};

/**
 * Reads back what {@link journalText} wrote. What is in the rows is not looked at: whoever opens them finds what is wrong.
 *
 * A seal finds what was changed by accident, or by somebody who does not know of it. The maker of a journal makes its seal: what a
 * head names is to be run only after somebody has said so.
 *
 * @throws {TroupeError} `journal.corrupt` for a text that is no journal, that ends too early, or whose head was changed.
 */
export const readJournalText = (text: string, name = 'the text'): JournalCopy => {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const written = parsed(first);
  const head = headSchema.safeParse(written).data;
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
  // As it is written, with all that it has.
  const seal = lastSeal(lines);
  if (head.v !== 1 && seal !== undefined && head.check !== headCheck(written as Head, seal))
    throw new TroupeError(
      'journal.corrupt',
      `Cannot read ${name} as its head was changed, or is of other rows`,
      {
        runId: entry.runId,
      },
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
