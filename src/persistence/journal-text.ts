import * as z from 'zod';
import { sha256 } from '../base/sha256.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { JournalRow, RunEntry } from '../contracts/journals/journal.ts';

/** A run with its journal outside of any store: for export, import, and recordings in tests. */
export interface JournalCopy {
  readonly entry: RunEntry;
  readonly rows: readonly JournalRow[];
  /** The `troupe` command that started it, if any. */
  readonly command?: string | undefined;
}

/** Version of the text; rows have their own. A header of version 1 is not sealed. */
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

/** The sealed part of a header. */
interface Head {
  readonly entry: unknown;
  readonly rows: unknown;
  readonly command?: unknown;
}

/** Chains a header to the checksum of the last row, which covers all earlier rows: a changed or foreign header is detected. */
const headCheck = ({ entry, rows, command }: Head, seal: string): string =>
  sha256(`${seal}\n${JSON.stringify({ entry, rows, command })}`).slice(0, 16);

/** Checksum of the last row; empty without rows, undefined for a torn one, which is reported when it is opened. */
const lastSeal = (rows: readonly string[]): string | undefined => {
  const last = rows.at(-1);
  return last === undefined ? '' : /"check":"([0-9a-f]{16})"\}$/.exec(last)?.[1];
};

/**
 * Serializes a journal as lines of text: a header with the run's entry and the number of rows, sealed with them, then one row per line.
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
 * Parses the output of {@link journalText}. The content of rows is not validated until they are opened.
 *
 * The checksum detects accidental changes, not forgery: run a command named in a header only after confirmation.
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
  // Checked as written, including unknown fields.
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
