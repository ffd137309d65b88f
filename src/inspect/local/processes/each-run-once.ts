import type { ListedRun } from '../session-board.ts';

/** The rows of several processes, each run once: as the process that runs it says, else as it was left, else as a store has it. */
export const eachRunOnce = (rows: readonly ListedRun[]): readonly ListedRun[] => {
  const found = new Map<string, ListedRun>();
  for (const row of rows) {
    const known = found.get(row.run);
    if (known === undefined || rankOf(row) < rankOf(known)) found.set(row.run, row);
  }
  return [...found.values()];
};

const rankOf = ({ source, process }: ListedRun): number => {
  if (source === 'stored') return 2;
  return process?.isOver === true ? 1 : 0;
};

/** The most stored runs that are listed beside the others. */
const MOST_STORED = 200;

/** The rows without all but the newest of stores; `wanted` stays. */
export const newestOf = (rows: readonly ListedRun[], wanted: string | undefined): readonly ListedRun[] => {
  const stored = rows.filter(({ source }) => source === 'stored');
  const newest = stored.toSorted((one, other) => other.startedAt - one.startedAt).slice(0, MOST_STORED);
  const kept = new Set(newest);
  return rows.filter((row) => row.source === 'live' || row.run === wanted || kept.has(row));
};
