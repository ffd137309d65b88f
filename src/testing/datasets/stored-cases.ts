import type { JournalStore, RunEntry, StoredStatus } from '../../contracts/journals/journal.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { EvalCase } from '../../contracts/tasks/eval-case.ts';
import type { StoredRun } from '../../runtime/journal/replay/read-stored-run.ts';
import { readStoredRun } from '../../runtime/journal/replay/read-stored-run.ts';
import type { Feedback } from './feedback.ts';
import { feedback } from './feedback.ts';

/** Options of `datasets.runs`. */
export interface StoredRunsOptions {
  readonly store: JournalStore;
  /** Those of the agent or team of that name. Default: all. */
  readonly agent?: string | undefined;
  /** Ids of the runs. Default: all that have ended, the newest `limit` of them. */
  readonly runs?: readonly string[] | undefined;
  /** Default 1,000. */
  readonly limit?: number | undefined;
  /** Only runs that people commented on: `any`, or those whose newest judgement is `good` or `bad`. Default: all runs. */
  readonly feedback?: 'any' | 'good' | 'bad' | undefined;
}

/** A stored run that has ended, and the case that it makes. */
export interface StoredCase {
  readonly entry: RunEntry;
  readonly stored: StoredRun;
  readonly row: EvalCase;
}

/** Runs that are read by default, the newest. */
const MOST = 1_000;

const ENDED: readonly StoredStatus[] = ['completed', 'stopped', 'aborted', 'failed'];

/**
 * Reads the cases that stored runs make, the earliest first: their inputs, with what people said of them.
 *
 * @throws {TroupeError} `journal.unknown` for a run that is not in the store, and where it has none that is wanted.
 */
export const storedCases = async (options: StoredRunsOptions): Promise<readonly StoredCase[]> => {
  const { store, feedback: wanted } = options;
  const found: StoredCase[] = [];
  for (const entry of await entriesFor(options)) {
    const said = await feedback.of(store, entry.runId);
    if (wanted !== undefined && !isWanted(said, wanted)) continue;
    const stored = await readStoredRun(store, entry);
    if (stored.began !== undefined) found.push({ entry, stored, row: caseOf(stored, said) });
  }
  if (found.length === 0) throw none(options);
  return found;
};

const entriesFor = async ({
  store,
  agent,
  runs,
  limit = MOST,
}: StoredRunsOptions): Promise<readonly RunEntry[]> => {
  if (runs === undefined) {
    const found = await store.list({ status: ENDED });
    return found
      .filter((entry) => agent === undefined || entry.agent === agent)
      .slice(0, limit)
      .toReversed();
  }
  return Promise.all(
    runs.map(async (runId) => {
      const entry = await store.entry(runId);
      if (entry !== undefined) return entry;
      throw new TroupeError(
        'journal.unknown',
        `Cannot evaluate run '${runId}' as it is not in ${store.name}`,
        {
          runId,
        },
      );
    }),
  );
};

const none = ({ store, agent, feedback: wanted }: StoredRunsOptions): TroupeError => {
  const whose = agent === undefined ? '' : ` of '${agent}'`;
  const said = wanted === undefined ? '' : ` with feedback (${wanted})`;
  return new TroupeError(
    'journal.unknown',
    `Cannot make a dataset of ${store.name} as it has no run${whose} that has ended${said}`,
  );
};

const isWanted = (said: readonly Feedback[], wanted: 'any' | 'good' | 'bad'): boolean =>
  wanted === 'any' ? said.length > 0 : verdictIn(said) === (wanted === 'good');

/** The newest judgement of the run as a whole; a judgement of a step or a call is none of it. */
const verdictIn = (said: readonly Feedback[]): boolean | undefined =>
  said.findLast((each) => each.good !== undefined && isOnRun(each) && each.evaluator === undefined)?.good;

const isOnRun = ({ step, callId, path }: Feedback): boolean =>
  step === undefined && callId === undefined && path === undefined;

const caseOf = ({ entry, began, events }: StoredRun, said: readonly Feedback[]): EvalCase => {
  const label = verdictIn(said);
  const labels = Object.fromEntries(
    said.flatMap(({ evaluator, good }) =>
      evaluator === undefined || good === undefined ? [] : [[evaluator, good] as const],
    ),
  );
  const expected = said.findLast((each) => each.expected !== undefined)?.expected;
  const ended = events.findLast((event) => event.type === 'run.ended');
  // An answer that a person found good is one that may be expected again.
  const right = expected ?? (label === true ? ended?.output : undefined);
  return {
    id: entry.runId,
    input: began?.input ?? '',
    ...(right === undefined ? {} : { expected: right }),
    ...(label === undefined ? {} : { label }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(said.length === 0 ? {} : { metadata: { feedback: said.map(wordsOf) } }),
  };
};

const wordsOf = ({ good, comment, by, step, path, callId }: Feedback): string =>
  [
    ...(good === undefined ? [] : [good ? 'good' : 'bad']),
    ...(path === undefined ? [] : [path]),
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(callId === undefined ? [] : [callId]),
    ...(comment === undefined ? [] : [comment]),
    ...(by === undefined ? [] : [`(${by})`]),
  ].join(' ');
