import * as z from 'zod/mini';
import { systemClock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import { randomId } from '../../base/random-id.ts';
import {
  aBoolean,
  anything,
  aText,
  optional,
  optionsSchema,
  together,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import { jsonSchema } from '../../contracts/tasks/eval-case.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { readStoredRun } from '../../runtime/journal/replay/read-stored-run.ts';

/** The judgement of a person on a stored run, or on a step or a call of it. */
export interface FeedbackInput {
  /** True for good, false for bad. */
  readonly good?: boolean | undefined;
  readonly comment?: string | undefined;
  /** The answer that would have been right. */
  readonly expected?: Json | undefined;
  /** The evaluator whose criterion it is about. Default: the run as a whole. */
  readonly evaluator?: string | undefined;
  /** The person who gave it. */
  readonly by?: string | undefined;
  /** A step of the root agent, or of the agent at `path`. */
  readonly step?: number | undefined;
  /** Address of an agent of the run. */
  readonly path?: string | undefined;
  /** The id of a call of a tool. */
  readonly callId?: string | undefined;
}

const recordSchema = onDemand(() =>
  z.looseObject({
    id: z.string(),
    /** In ms since 1970. */
    at: z.number(),
    runId: z.string(),
    good: z.optional(z.boolean()),
    comment: z.optional(z.string()),
    expected: z.optional(jsonSchema()),
    evaluator: z.optional(z.string()),
    by: z.optional(z.string()),
    step: z.optional(z.number()),
    path: z.optional(z.string()),
    callId: z.optional(z.string()),
  }),
);

/** Feedback as a store has it. */
export type Feedback = z.output<ReturnType<typeof recordSchema>>;

/** The room of a store with the feedback, a text for each run. */
const ROOM = 'feedback';

/**
 * Keeps the judgement of a person on a stored run beside it, in its store: the run itself is not changed. The newest one counts.
 *
 * @example
 * await feedback.add(store, 'run-17', { good: false, expected: '42', comment: 'The unit is wrong.', by: 'Ada' });
 *
 * @throws {TroupeError} `journal.unknown` for a run, and `input.invalid` for a step or a call, that is not on record.
 */
const add = async (store: JournalStore, runId: string, given: FeedbackInput): Promise<Feedback> => {
  checkOptions(optionsOf(), given, { code: 'input.invalid', owner: `run '${runId}'`, verb: 'comment on' });
  const entry = await store.entry(runId);
  if (entry === undefined)
    throw new TroupeError(
      'journal.unknown',
      `Cannot comment on run '${runId}' as it is not in ${store.name}`,
      {
        runId,
      },
    );
  await assertOnRecord(store, entry, given);
  const record: Feedback = { id: randomId(), at: systemClock.now(), runId, ...given };
  await store.files(ROOM).append(runId, `${JSON.stringify(record)}\n`);
  return record;
};

/** The feedback on a run, the oldest first. A line that cannot be read is left out: another version may have written it. */
const of = async (store: JournalStore, runId: string): Promise<readonly Feedback[]> => {
  const text = (await store.files(ROOM).read(runId)) ?? '';
  return text.split('\n').flatMap((line) => {
    const read = z.safeParse(recordSchema(), tryParse(line));
    return read.success ? [read.data] : [];
  });
};

/** Removes all feedback on a run: it stays when the run is pruned. */
const remove = (store: JournalStore, runId: string): Promise<void> => store.files(ROOM).remove(runId);

/** Judgements of people on stored runs, kept in the store of the runs. */
export const feedback = { add, of, remove } as const;

const tryParse = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const assertOnRecord = async (
  store: JournalStore,
  entry: RunEntry,
  { path, step, callId }: FeedbackInput,
): Promise<void> => {
  if (path === undefined && step === undefined && callId === undefined) return;
  const { events } = await readStoredRun(store, entry);
  const isOn = events.some(
    (event) =>
      event.path === (path ?? (callId === undefined ? events[0]?.path : event.path)) &&
      (step === undefined || event.step === step) &&
      (callId === undefined || (event.type === 'tool.requested' && event.callId === callId)),
  );
  if (isOn) return;
  const what = [
    ...(callId === undefined ? [] : [`a call '${callId}'`]),
    ...(step === undefined ? [] : [`a step ${step}`]),
    ...(path === undefined ? [] : [`an agent at '${path}'`]),
  ].join(' of ');
  throw new TroupeError(
    'input.invalid',
    `Cannot comment on run '${entry.runId}' as it has no ${what.replace(/^an? /, '')}`,
    {
      runId: entry.runId,
    },
  );
};

const optionsOf = onDemand(() =>
  together<FeedbackInput>(
    optionsSchema<FeedbackInput>({
      good: optional(aBoolean()),
      comment: optional(aText(1)),
      expected: anything(),
      evaluator: optional(aText(1)),
      by: optional(aText(1)),
      step: optional(wholeNumber(0)),
      path: optional(aText(1)),
      callId: optional(aText(1)),
    }),
    ({ good, comment, expected }) =>
      good === undefined && comment === undefined && expected === undefined
        ? ['good', 'there, nor are a `comment` and `expected`: give one of them']
        : undefined,
  ),
);
