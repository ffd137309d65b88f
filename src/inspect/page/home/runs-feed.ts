import { signal } from '@preact/signals';
import { connection, session } from '../page-state.ts';
import type { RunRow, RunRows } from '../session.ts';

/** All runs that there are, as far as they are loaded; undefined before. */
export const allRuns = signal<readonly RunRow[] | undefined>(undefined);

const PAUSE_MS = 2_000;
/** A long list is asked for more seldom, as a multiple of the time that it took. */
const REST = 8;

let version: number | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let isWatched = false;

/** Keeps all runs up to date while they are shown; returns the end of it. */
export const watchRuns = (): (() => void) => {
  isWatched = true;
  void load();
  return () => {
    isWatched = false;
    clearTimeout(timer);
  };
};

const load = async (): Promise<void> => {
  clearTimeout(timer);
  const begun = performance.now();
  const found = await ask();
  if (found !== undefined) {
    allRuns.value = withChanges(allRuns.peek() ?? [], found);
    ({ version } = found);
  } else if (connection.peek() !== 'lost') allRuns.value ??= session.peek()?.runs ?? [];
  if (isWatched)
    timer = setTimeout(() => void load(), Math.max(PAUSE_MS, REST * (performance.now() - begun)));
};

const ask = async (): Promise<RunRows | undefined> => {
  try {
    const response = await fetch(`/api/runs${version === undefined ? '' : `?since=${version}`}`);
    // Its own server wrote it.
    return response.ok ? ((await response.json()) as RunRows) : undefined;
  } catch {
    return undefined;
  }
};

/** The rows with those that have changed in their places, and new ones. */
export const withChanges = (
  known: readonly RunRow[],
  { isWhole, rows }: Pick<RunRows, 'isWhole' | 'rows'>,
): readonly RunRow[] => {
  if (isWhole) return rows;
  if (rows.length === 0) return known;
  const all = new Map(known.map((row) => [row.run, row]));
  for (const row of rows) all.set(row.run, row);
  return [...all.values()];
};
