import { fromBase64 } from '../base/bytes.ts';
import { platformSha256 } from '../base/platform-sha256.ts';
import * as z from 'zod';
import { TroupeError } from '../contracts/errors/error.ts';
import type { ErrorCode } from '../contracts/errors/error-data.ts';
import { isJsonObject } from '../base/json/json.ts';
import type { Json, JsonObject } from '../base/json/json.ts';
import type { JournalRow, RunEntry } from '../contracts/journals/journal.ts';
import { sha256 } from '../base/sha256.ts';
import { readPastDamage } from './journal-codec.ts';

/** A run with its journal outside of any store: for export, import, and recordings in tests. */
export interface JournalCopy {
  readonly entry: RunEntry;
  readonly rows: readonly JournalRow[];
  /** The bytes of its media in base64, by hash. Default: none. */
  readonly blobs?: Readonly<Record<string, string>> | undefined;
  /** The `troupe` command that started it, if any. */
  readonly command?: string | undefined;
}

/** Version of the text; rows have their own. Versions 1 and 2 are journals of 0.1; a head of version 1 is not sealed. */
export const LOG_VERSION = 3;

const text = z.string();

const entry = z.object({
  runId: text,
  agent: text,
  status: z.enum(['running', 'waiting', 'completed', 'stopped', 'aborted', 'failed']),
  title: text,
  createdAt: z.number(),
  updatedAt: z.number(),
  dueAt: z.number().optional(),
  thread: text.optional(),
  forkedFrom: text.optional(),
});

/**
 * Schema of the first line of a log: a journal is whole, and can be resumed; a trace is added to while its run goes on, and is for looking
 * at. All other lines are rows.
 */
export const logHeadSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('journal'),
    v: z.number(),
    entry,
    rows: z.number().int().nonnegative(),
    command: text.optional(),
    check: text.optional(),
  }),
  z.object({
    kind: z.literal('trace'),
    v: z.number(),
    entry,
    facts: z.record(text, z.custom<Json>()).optional(),
    factsHash: text.optional(),
  }),
]);

/** See {@link logHeadSchema}. */
export type LogHead = z.infer<typeof logHeadSchema>;

/** The sealed part of a journal's head. */
interface Sealed {
  readonly entry?: unknown;
  readonly rows?: unknown;
  readonly command?: unknown;
}

/** Chains a head to the checksum of the last row, which covers all earlier rows: a changed or foreign head is detected. */
const headCheck = ({ entry, rows, command }: Sealed, seal: string): string =>
  sha256(`${seal}\n${JSON.stringify({ entry, rows, command })}`).slice(0, 16);

/** Checksum of the last row; empty without rows, undefined for a torn one, which is reported when it is opened. */
const lastSeal = (rows: readonly string[]): string | undefined => {
  const last = rows.at(-1);
  return last === undefined ? '' : /"check":"([0-9a-f]{16})"\}$/.exec(last)?.[1];
};

/**
 * Serializes a journal as lines of text: a head with the run's entry and the number of rows, sealed with them, then one row per line, and
 * one line for the bytes of each of its media.
 *
 * @example
 * await writeFile('run-17.journal', journalText({ entry, rows: await store.read('run-17') }));
 */
export const journalText = ({ entry, rows, command, blobs = {} }: JournalCopy): string => {
  const said = { entry, rows: rows.length, command };
  const check = headCheck(said, lastSeal(rows.map(({ text }) => text)) ?? '');
  const head = { troupe: 'log', v: LOG_VERSION, kind: 'journal', ...said, check };
  const media = Object.entries(blobs).map(([blob, base64]) => JSON.stringify({ blob, base64 }));
  return [JSON.stringify(head), ...rows.map(({ text }) => text), ...media, ''].join('\n');
};

/** Serializes the head of a trace, its line feed included: rows are added to it. */
export const traceHead = (head: Omit<Extract<LogHead, { kind: 'trace' }>, 'v' | 'kind'>): string =>
  `${JSON.stringify({ troupe: 'log', v: LOG_VERSION, kind: 'trace', ...head })}\n`;

/**
 * Parses the output of {@link journalText}, of this version or an earlier one. The content of rows is not validated until they are opened.
 *
 * The checksum detects accidental changes, not forgery: run a command named in a head only after confirmation.
 *
 * @throws {TroupeError} `journal.corrupt` for a text that is no journal, that ends too early, or whose head was changed;
 *   `journal.version` for one of a later version.
 */
export const readJournalText = (text: string, name = 'the text'): JournalCopy => {
  const [first = '', ...rest] = linesIn(text);
  const lines = rest.filter((line) => !isBlobLine(line));
  const { head, written } = headIn(first, name);
  if (head.kind === 'trace')
    throw failure(
      'journal.corrupt',
      name,
      'it is a trace, from which no run can be resumed or imported: export the journal of the run',
    );
  const { entry, rows, command } = head;
  if (lines.length !== rows)
    throw failure(
      'journal.corrupt',
      name,
      `it is torn: its head speaks of ${rows} rows, found ${lines.length}`,
    );
  // Checked as written, including unknown fields.
  const seal = lastSeal(lines);
  if (head.v !== 1 && seal !== undefined && head.check !== headCheck(written, seal))
    throw failure('journal.corrupt', name, 'its head was changed, or is of other rows');
  return {
    entry,
    rows: lines.map((line, n) => ({ n, text: line })),
    ...(command === undefined ? {} : { command }),
    ...blobsInLines(rest, name),
  };
};

/** Rows begin with their version. */
const isBlobLine = (line: string): boolean => line.startsWith('{"blob":');

/** The bytes of media, each checked by its hash. */
const blobsInLines = (lines: readonly string[], name: string): Pick<JournalCopy, 'blobs'> => {
  const blobs = lines.filter(isBlobLine).map((line): readonly [string, string] => {
    const { data } = blobLine.safeParse(parseJson(line));
    const bytes = data && fromBase64(data.base64);
    if (data === undefined || bytes === undefined || platformSha256(bytes) !== data.blob)
      throw failure('journal.corrupt', name, `the bytes of a medium were changed: ${line.slice(0, 80)}`);
    return [data.blob, data.base64];
  });
  return blobs.length === 0 ? {} : { blobs: Object.fromEntries(blobs) };
};

const blobLine = z.object({ blob: z.string(), base64: z.string() });

/** A record of a log, and the line that it stands in, from 1. */
export interface LoggedRecord {
  readonly line: number;
  readonly record: Json;
}

/** Damage to a line of a log. */
export interface LogDamage {
  readonly line: number;
  /** The line as it is. */
  readonly raw: string;
  readonly message: string;
  /** True for a last line whose writer was cut off. */
  readonly isCut: boolean;
}

/** A log, journal or trace, as far as it can be read. */
export interface OpenedLog {
  readonly head: LogHead;
  readonly records: readonly LoggedRecord[];
  readonly damage: readonly LogDamage[];
  /** Number of the row to be written next, and the checksum to which it is chained. */
  readonly rows: number;
  readonly check: string;
}

/**
 * Reads a log for looking at it: past lines that are damaged, and whether or not it goes on.
 *
 * @throws {TroupeError} `trace.unreadable`, or the code that is given, for a text that is no log, or one of a later version.
 */
export const openLog = (
  text: string,
  name = 'the text',
  unreadable: ErrorCode = 'trace.unreadable',
): OpenedLog => {
  const all = text.split('\n');
  const isEnded = all.at(-1) === '';
  const lines = all.flatMap((raw, index) =>
    raw === '' || isBlobLine(raw) ? [] : [{ raw, line: index + 1 }],
  );
  const { head } = headIn(lines.shift()?.raw ?? '', name, unreadable);
  const { found, ...next } = readPastDamage(
    head.entry.runId,
    lines.map(({ raw }) => raw),
  );
  const records: LoggedRecord[] = [];
  const damage: LogDamage[] = [];
  lines.forEach(({ raw, line }, index) => {
    for (const record of found[index]?.records ?? []) records.push({ line, record });
    const message = found[index]?.damage?.message;
    const isCut = !isEnded && index === lines.length - 1;
    if (isCut)
      damage.push({ line, raw, message: 'The last line is not ended: its writer was cut off', isCut });
    else if (message !== undefined) damage.push({ line, raw, message, isCut });
  });
  return { head, records, damage, ...next };
};

/** Empty lines are left by a writer that ends the torn line of another. */
const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

interface FoundHead {
  readonly head: LogHead;
  readonly written: JsonObject;
}

const headIn = (line: string, name: string, unreadable: ErrorCode = 'journal.corrupt'): FoundHead => {
  const written = parseJson(line);
  if (!isJsonObject(written) || (written['troupe'] !== 'log' && written['troupe'] !== 'journal'))
    throw failure(unreadable, name, `it is no log of a run: ${beginning(written, line)}`);
  const { v } = written;
  if (typeof v === 'number' && v > LOG_VERSION)
    throw failure(
      unreadable === 'journal.corrupt' ? 'journal.version' : unreadable,
      name,
      `it is of version ${v}, and this release knows 1 to ${LOG_VERSION}: read it with the release that wrote it`,
    );
  // Journals of 0.1 name no kind.
  const { data: head, error } = logHeadSchema.safeParse({ kind: 'journal', ...written });
  if (head === undefined)
    throw failure(unreadable, name, `its head is none: ${error.issues[0]?.path.join('.') ?? ''} is wrong`);
  return { head, written };
};

/** The lines of a trace of 0.1 are bare events: what is to be read is the folder that they are in. */
const beginning = (written: unknown, line: string): string =>
  isJsonObject(written) && typeof written['type'] === 'string' && written['seq'] !== undefined
    ? 'it holds bare events, as events.jsonl of a trace of 0.1 does: name the folder that it is in'
    : `it begins with ${JSON.stringify(line.slice(0, 60))}`;

const failure = (code: ErrorCode, name: string, reason: string): TroupeError =>
  new TroupeError(code, `Cannot read ${name} as ${reason}`);

const parseJson = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};
