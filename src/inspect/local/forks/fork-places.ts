import { isTroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../../contracts/journals/journal.ts';
import type { ForkPoint } from '../../../contracts/journals/journal-record.ts';
import { openJournal } from '../../../persistence/journal-codec.ts';
import { parseRecords } from '../../../runtime/journal/replay/parse-records.ts';

/** The runs whose places are kept, and the most that are read for one list. */
const MOST = 5_000;
const MOST_AT_ONCE = 50;

const known = new WeakMap<JournalStore, Map<string, ForkPoint>>();

/** Rows of runs, each with the place at which it was forked from another: it is read once, from the first row of its journal. */
export const withForks = async <Row extends { readonly run: string }>(
  store: JournalStore | undefined,
  entries: readonly RunEntry[],
  rows: readonly Row[],
): Promise<readonly (Row & { readonly fork?: ForkPoint | undefined })[]> => {
  const forked = new Map(
    entries.flatMap(({ runId, forkedFrom }) =>
      forkedFrom === undefined ? [] : [[runId, forkedFrom] as const],
    ),
  );
  if (store === undefined || forked.size === 0) return rows;
  const places = known.get(store) ?? new Map<string, ForkPoint>();
  known.set(store, places);
  const unread = [...forked].filter(([runId]) => !places.has(runId)).slice(0, MOST_AT_ONCE);
  for (const [runId, from] of unread) {
    const place = await placeIn(store, runId, from);
    if (place !== undefined) places.set(runId, place);
  }
  for (const runId of places.keys()) {
    if (places.size <= MOST) break;
    places.delete(runId);
  }
  return rows.map((row) => {
    const from = forked.get(row.run);
    return from === undefined ? row : { ...row, fork: places.get(row.run) ?? { runId: from, seq: 0 } };
  });
};

/** The place of a fork; undefined before its first row. Of a journal that cannot be read, only the run that it was forked from is known. */
const placeIn = async (store: JournalStore, runId: string, from: string): Promise<ForkPoint | undefined> => {
  const unknown: ForkPoint = { runId: from, seq: 0 };
  const rows = await store.read(runId, 0, 1);
  if (rows.length === 0) return undefined;
  try {
    const [began] = parseRecords(runId, openJournal(runId, rows).records.slice(0, 1));
    return began?.kind === 'began' ? (began.fork ?? unknown) : unknown;
  } catch (thrown) {
    if (!isTroupeError(thrown)) throw thrown;
    return unknown;
  }
};
