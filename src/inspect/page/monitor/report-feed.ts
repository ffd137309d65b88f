import { signal } from '@preact/signals';
import type { WorkReport } from '../../recording/report/work-report.ts';

/** The work of all runs, added up; undefined before it is loaded. */
export const workReport = signal<WorkReport | undefined>(undefined);

const PAUSE_MS = 2_000;
/** A long report is asked for more seldom, as a multiple of the time that it took. */
const REST = 8;

/** Keeps the report up to date while it is shown; returns the end of it. */
export const watchReport = (): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWatched = true;
  const load = async (): Promise<void> => {
    const begun = performance.now();
    const found = await ask();
    if (!isWatched) return;
    if (found !== undefined) workReport.value = found;
    timer = setTimeout(() => void load(), Math.max(PAUSE_MS, REST * (performance.now() - begun)));
  };
  void load();
  return () => {
    isWatched = false;
    clearTimeout(timer);
  };
};

const ask = async (): Promise<WorkReport | undefined> => {
  try {
    const response = await fetch('/api/report');
    // Its own server wrote it.
    return response.ok ? ((await response.json()) as WorkReport) : undefined;
  } catch {
    return undefined;
  }
};
