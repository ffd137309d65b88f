import { reasonAgainstTurn } from '../../contracts/conversations/check-turn.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { SkippedLine, ThreadEntry, ThreadTurn } from '../../contracts/conversations/thread.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/** Version of a thread's entry, and of lines with text turns only. */
const THREAD_VERSION = 1;

/** The version of turns with calls, results or states: an earlier release, which would lose them, refuses it by name. */
const CYCLES_VERSION = 2;

/** The entry of a thread beside its turns: a separate, small text that is always rewritten. */
export interface ThreadMeta extends ThreadEntry {
  /** True if it has a title, given or generated: none is generated again. */
  readonly isTitled: boolean;
  /** Number of its turns in the summary. */
  readonly summed: number;
}

/** Turns that were added together. */
export interface ThreadLine {
  readonly runId?: string | undefined;
  readonly turns: readonly ThreadTurn[];
  /** Last states of the run's agents, by name. */
  readonly states?: Readonly<Record<string, Json>> | undefined;
}

/** All that can be read of the turns of a thread. */
export interface ThreadLines {
  readonly lines: readonly ThreadLine[];
  readonly skipped: readonly SkippedLine[];
  /** True if the last line was truncated: the next text starts a new line. */
  readonly isCut: boolean;
}

/** Returns a thread's public entry, without internal fields. */
export const entryOf = ({ isTitled: _titled, summed: _summed, ...entry }: ThreadMeta): ThreadEntry => entry;

export const metaText = (meta: ThreadMeta): string => JSON.stringify({ v: THREAD_VERSION, ...meta });

/** @throws `thread.version`, `thread.corrupt` */
export const readMeta = (text: string, name: string): ThreadMeta => {
  const found = parseObject(text);
  if (found === undefined) throw corrupt(name, text);
  assertVersion(found, name);
  const { v, id, title, summary, createdAt, updatedAt, isArchived, isComplete, isTitled, summed } = found;
  const isWhole = typeof createdAt === 'number' && typeof updatedAt === 'number';
  if (v !== THREAD_VERSION || typeof id !== 'string' || typeof title !== 'string' || !isWhole)
    throw corrupt(name, text);
  return {
    id,
    title,
    ...(typeof summary === 'string' ? { summary } : {}),
    isArchived: isArchived === true,
    isComplete: isComplete === true,
    createdAt,
    updatedAt,
    isTitled: isTitled === true,
    summed: typeof summed === 'number' ? summed : 0,
  };
};

export const lineText = (line: ThreadLine): string => `${JSON.stringify({ v: versionOf(line), ...line })}\n`;

const versionOf = ({ turns, states }: ThreadLine): number =>
  states === undefined && turns.every((turn) => turn.role !== 'tool' && !('calls' in turn))
    ? THREAD_VERSION
    : CYCLES_VERSION;

/**
 * Parses the turns of a thread, each run's once. An invalid line is skipped, and listed.
 *
 * @throws `thread.version`
 */
export const readLines = (text: string, id: string): ThreadLines => {
  const lines: ThreadLine[] = [];
  const skipped: SkippedLine[] = [];
  const runs = new Set<string>();
  for (const [index, each] of text.split('\n').entries()) {
    if (each === '') continue;
    const found = parseObject(each);
    if (found !== undefined) assertVersion(found, id);
    const line = found === undefined ? undefined : lineOf(found);
    if (line === undefined) skipped.push({ line: index + 1, text: each });
    else if (line.runId === undefined || !runs.has(line.runId)) {
      if (line.runId !== undefined) runs.add(line.runId);
      lines.push(line);
    }
  }
  return { lines, skipped, isCut: text !== '' && !text.endsWith('\n') };
};

const lineOf = ({ v, runId, turns, states }: JsonObject): ThreadLine | undefined => {
  if ((v !== THREAD_VERSION && v !== CYCLES_VERSION) || !Array.isArray(turns)) return undefined;
  const run = typeof runId === 'string' ? { runId } : {};
  const read = turns.map((turn) => turnOf(turn, run));
  const whole = read.filter((turn) => turn !== undefined);
  if (whole.length !== read.length) return undefined;
  return { ...run, turns: whole, ...(isJsonObject(states) ? { states: plainStates(states) } : {}) };
};

const plainStates = (states: JsonObject): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(states).map(([agent, state]) => [agent, state ?? null]));

const turnOf = (value: unknown, run: { readonly runId?: string }): ThreadTurn | undefined => {
  if (!isTurn(value)) return undefined;
  const { at, from, status, ...turn }: Turn & { at?: unknown; from?: unknown; status?: unknown } = value;
  if (typeof at !== 'number') return undefined;
  const known = STATUSES.find((each) => each === status);
  return {
    ...turn,
    at,
    ...run,
    ...(typeof from === 'string' ? { from } : {}),
    ...(known === undefined ? {} : { status: known }),
  };
};

/** By the same rules as the history of a run and the records of a journal. */
const isTurn = (value: unknown): value is Turn => reasonAgainstTurn(value) === undefined;

const STATUSES: readonly RunStatus[] = ['completed', 'stopped', 'aborted', 'failed'];

const parseObject = (text: string): JsonObject | undefined => {
  try {
    const value = toJson(JSON.parse(text));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const assertVersion = ({ v }: JsonObject, name: string): void => {
  if (v === THREAD_VERSION || v === CYCLES_VERSION || typeof v !== 'number') return;
  const known = `${THREAD_VERSION} and ${CYCLES_VERSION} are known`;
  const message = `Cannot read the thread '${name}' as it was written by another release: version ${v}, where ${known}`;
  throw new TroupeError('thread.version', message, { details: { thread: name, version: v } });
};

const corrupt = (name: string, text: string): TroupeError =>
  new TroupeError(
    'thread.corrupt',
    `Cannot read the thread '${name}' as it is damaged: ${text.slice(0, 80)}`,
    { details: { thread: name } },
  );
