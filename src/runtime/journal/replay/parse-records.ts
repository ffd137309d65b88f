import * as z from 'zod/mini';
import { historyProblems } from '../../../actors/preparing/check-history.ts';
import { reasonAgainstTurn } from '../../../contracts/conversations/check-turn.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import { inCurrentForm } from '../../../contracts/events/current-form.ts';
import { oddValueIn } from '../../../base/json/odd-value.ts';
import type { Arrival, Began, JournalRecord } from '../../../contracts/journals/journal-record.ts';

const text = z.string();
const count = z.int().check(z.nonnegative());
const scope = z.optional(text);

/** All kinds of arrival: the compiler demands a new one here. */
const arrivals: Readonly<Record<Arrival['type'], true>> = {
  answered: true,
  failed: true,
  message: true,
  state: true,
  subscribed: true,
  abort: true,
  expired: true,
  engaged: true,
  told: true,
  checkpointed: true,
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

/** Fields that replaying an event needs; its own fields are checked by the event's schema. */
const event = z.looseObject({ seq: count, at: z.number(), path: text, agent: text, type: text });

/** A turn of the history that the run continued; the same check as `run()` makes. */
const turn = z.unknown().check(({ value, issues }) => {
  const reason = reasonAgainstTurn(value);
  if (reason !== undefined) issues.push({ code: 'custom', message: `the turn ${reason}`, input: value });
});

/** Strict: a record with unknown fields was written by another version, or not by troupe. */
const recordSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('began'),
    at: z.number(),
    runId: text,
    agent: text,
    input: z.unknown(),
    thread: z.optional(text),
    tenant: z.optional(text),
    history: z.optional(z.array(turn)),
    states: z.optional(z.record(text, z.unknown())),
    task: z.optional(z.unknown()),
    budget: z.optional(z.looseObject({})),
    limits: z.optional(z.looseObject({})),
    judged: z.optional(z.literal(true)),
    keys: z.optional(z.literal('digest')),
    fork: z.optional(
      z.strictObject({
        runId: text,
        seq: count,
        path: z.optional(text),
        step: z.optional(count),
        at: z.optional(z.number()),
        by: z.optional(text),
        changed: z.optional(
          z.strictObject({
            seq: count,
            type: z.enum([
              'model.answered',
              'tool.finished',
              'message.sent',
              'agent.reduced',
              'agent.prepared',
            ]),
            key: z.optional(text),
          }),
        ),
      }),
    ),
  }),
  z.strictObject({ kind: z.literal('event'), scope, tick: z.optional(count), event }),
  z.strictObject({
    kind: z.literal('arrived'),
    scope,
    tick: count,
    at: z.number(),
    arrival: z.looseObject({ type: text.check(z.refine(isArrival, 'unknown kind of arrival')) }),
  }),
]);

/** The valid prefix of the records, and why reading stopped. */
export interface RecordPrefix {
  readonly records: readonly JournalRecord[];
  readonly damage: TroupeError | undefined;
}

/** Checks whether a value is a record. The content of events and answers is left to machines and schemas. */
const isRecord = (value: unknown): value is JournalRecord => recordSchema.safeParse(value).success;

/**
 * Parses the contents of a journal up to the first invalid record. Never throws.
 *
 * Rows are sealed, so this does not guard against damage but against journals that something else wrote.
 */
export const parseRecordPrefix = (runId: string, values: readonly unknown[]): RecordPrefix => {
  const records: JournalRecord[] = [];
  for (const given of values) {
    const value = withCurrentEvent(given);
    if (!isRecord(value)) return { records, damage: noRecord(runId, records.length, value) };
    records.push(value);
  }
  return { records, damage: undefined };
};

/** A record of an event of an earlier release under its name of now. */
const withCurrentEvent = (record: unknown): unknown => {
  if (typeof record !== 'object' || record === null || !('event' in record)) return record;
  const current = inCurrentForm(record.event);
  return current === record.event ? record : { ...record, event: current };
};

/** Parses all records. @throws {TroupeError} `journal.corrupt` with the number of the first invalid record and what is wrong with it. */
export const parseRecords = (runId: string, values: readonly unknown[]): readonly JournalRecord[] => {
  const { records, damage } = parseRecordPrefix(runId, values);
  if (damage !== undefined) throw damage;
  return records;
};

/**
 * Validates the first record of a run as a reader would, before anything is written.
 *
 * @throws {TroupeError} `input.invalid` with the value that cannot be serialized, or would not survive it.
 */
export const assertReadable = (began: Began): Began => {
  const { history = [], ...rest } = began;
  const [problem] = historyProblems(history, began.agent);
  if (problem !== undefined) throw new TroupeError(problem.code, problem.message);
  const found = unreadableIn(rest);
  if (found === undefined) return began;
  const message = `Cannot store run '${String(began.runId)}' as its input or options cannot be serialized: ${found}`;
  throw new TroupeError('input.invalid', message);
};

/** The value in a record that would not survive serialization, and why. */
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
  const found = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a record'}`;
  const message = `Cannot read the journal of run '${runId}' as record ${index} is not one of this release: ${found}`;
  return new TroupeError('journal.corrupt', message, { runId, details: { record: index } });
};
