import * as z from 'zod';
import { historyProblems } from '../../../actors/check-history.ts';
import { reasonAgainstTurn } from '../../../contracts/check-turn.ts';
import { messageOf, TroupeError } from '../../../contracts/error.ts';
import { oddValueIn } from '../../../contracts/odd-value.ts';
import type { Arrival, Began, JournalRecord } from '../../../contracts/journal-record.ts';

const text = z.string();
const count = z.number().int().nonnegative();
const scope = text.optional();

/** Every kind of arrival: a new one has to be named here. */
const arrivals: Readonly<Record<Arrival['type'], true>> = {
  answered: true,
  failed: true,
  message: true,
  subscribed: true,
  abort: true,
  expired: true,
  engaged: true,
  told: true,
  stopped: true,
  broke: true,
  charged: true,
  kept: true,
  drawn: true,
  prompted: true,
  sent: true,
  heard: true,
  remembering: true,
  remembered: true,
  closed: true,
  time: true,
  resumed: true,
};

const isArrival = (type: string): type is Arrival['type'] => Object.hasOwn(arrivals, type);

/** What an event has to have to be told again; what is its own is its schema's. */
const event = z.looseObject({ seq: count, at: z.number(), path: text, agent: text, type: text });

/** A turn of the history that a run went on from: whatever `run()` takes for one. */
const turn = z.unknown().superRefine((value, context) => {
  const reason = reasonAgainstTurn(value);
  if (reason !== undefined) context.addIssue({ code: 'custom', message: `the turn ${reason}` });
});

/** Nothing but what is known: a record with more is another version's, or nobody's. */
const recordSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('began'),
    at: z.number(),
    runId: text,
    agent: text,
    input: z.unknown(),
    thread: text.optional(),
    history: z.array(turn).optional(),
    states: z.record(text, z.unknown()).optional(),
    task: z.unknown().optional(),
    budget: z.looseObject({}).optional(),
    limits: z.looseObject({}).optional(),
    keys: z.literal('digest').optional(),
    fork: z.strictObject({ runId: text, seq: count }).optional(),
  }),
  z.strictObject({ kind: z.literal('event'), scope, tick: count.optional(), event }),
  z.strictObject({
    kind: z.literal('arrived'),
    scope,
    tick: count,
    at: z.number(),
    arrival: z.looseObject({ type: text.refine(isArrival, 'no arrival is called that') }),
  }),
]);

/** Records as far as they are some, and why they end where they do. */
export interface SoundRecords {
  readonly records: readonly JournalRecord[];
  readonly damage: TroupeError | undefined;
}

/** Checks whether a value is a record; what is an event's or an answer's own is for machines and schemas to check. */
const isRecord = (value: unknown): value is JournalRecord => recordSchema.safeParse(value).success;

/**
 * Reads what is in a journal as its records, up to the first that is none: each has to be of a kind that this release knows, with
 * nothing more in it. Nothing is thrown.
 *
 * Rows are sealed, so this is no guard against damage, but against journals that somebody else made.
 */
export const soundRecords = (runId: string, values: readonly unknown[]): SoundRecords => {
  const records: JournalRecord[] = [];
  for (const value of values) {
    if (!isRecord(value)) return { records, damage: noRecord(runId, records.length, value) };
    records.push(value);
  }
  return { records, damage: undefined };
};

/** Like {@link soundRecords}. @throws {TroupeError} `journal.corrupt` with the number of the record and what is wrong with it. */
export const checkRecords = (runId: string, values: readonly unknown[]): readonly JournalRecord[] => {
  const { records, damage } = soundRecords(runId, values);
  if (damage !== undefined) throw damage;
  return records;
};

/**
 * Holds the first record of a run to what a reader will hold it to, before anything is written.
 *
 * @throws {TroupeError} `input.invalid` with what cannot be written down, or would not come back.
 */
export const assertReadable = (began: Began): Began => {
  const { history = [], ...rest } = began;
  const [problem] = historyProblems(history, began.agent);
  if (problem !== undefined) throw new TroupeError(problem.code, problem.message);
  const found = unreadableIn(rest);
  if (found === undefined) return began;
  const message = `Cannot keep run '${String(began.runId)}' as what it is begun with cannot be written down: ${found}`;
  throw new TroupeError('input.invalid', message);
};

/** What of a record would not come back from where it is written. */
const unreadableIn = (record: object): string | undefined => {
  try {
    const odd = oddValueIn(record, 'options');
    if (odd !== undefined) return `${odd.found} at ${odd.at}`;
    const [issue] = recordSchema.safeParse(JSON.parse(JSON.stringify(record))).error?.issues ?? [];
    return issue && `${issue.path.join('.')}: ${issue.message}`;
  } catch (thrown) {
    return messageOf(thrown);
  }
};

const noRecord = (runId: string, index: number, value: unknown): TroupeError => {
  const [issue] = recordSchema.safeParse(value).error?.issues ?? [];
  const found = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is none'}`;
  const message = `Cannot read the journal of run '${runId}' as record ${index} is none of this release: ${found}`;
  return new TroupeError('journal.corrupt', message, { runId, details: { record: index } });
};
