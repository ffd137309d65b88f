import { computed } from '@preact/signals';
import { requests, session, shownProcess, storedRun } from '../page-state.ts';
import type { WaitingRun } from './wait-words.ts';

/** The runs that wait for a person, whichever is shown. */
export const waitingRuns = computed((): readonly WaitingRun[] => {
  const runs = session.value?.runs ?? [];
  const counts = new Map<string, number>();
  for (const { run, requests: count = 0, process } of runs) {
    const isHeard = storedRun.value === undefined && process?.id === shownProcess.value;
    if (count > 0 && !isHeard) counts.set(run, count);
  }
  // What the recording says is newer than the list of runs.
  const heard = new Map<string, number>();
  for (const { run = storedRun.value } of requests.value)
    if (run !== undefined) heard.set(run, (heard.get(run) ?? 0) + 1);
  for (const [run, count] of heard) counts.set(run, count);
  return runs.flatMap((run) => {
    const count = counts.get(run.run);
    if (count === undefined) return [];
    counts.delete(run.run);
    return [{ run, count }];
  });
});
