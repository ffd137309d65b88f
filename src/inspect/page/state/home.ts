import { computed, signal } from '@preact/signals';
import { openedFiles } from '../files/opened-files.ts';
import { connection, filter, session, shown, shownFile } from '../page-state.ts';
import type { Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import type { RunsQuery } from '../home/runs-query.ts';
import { openingQuery, wordsIn } from '../home/runs-query.ts';
import type { MonitorQuery } from '../monitor/monitor-query.ts';
import { openingMonitor } from '../monitor/monitor-query.ts';
import type { RunKey } from './route.ts';

/** True while all runs are shown in place of one. */
export const isHome = signal(false);
/** The views that are shown there: each run by itself, their work added up, and what starts them. */
export type HomeView = 'runs' | 'monitor' | 'schedules';
export const homeView = signal<HomeView>('runs');
/** The figures that are shown of all runs, and their order. */
export const monitorQuery = signal<MonitorQuery>(openingMonitor);
/** The two runs that are shown side by side in place of one, unless the table is. */
export const comparedPair = signal<Sides<RunKey> | undefined>(undefined);
/** True while a run is shown, or all live ones: neither the table nor a comparison. */
export const isRunShown = computed(() => !isHome.value && comparedPair.value === undefined);
/** The runs that the table shows, and their order. */
export const runsQuery = signal<RunsQuery>(openingQuery);
/** The words that the table looks for: every row is compared with them. */
export const wantedWords = computed(() => wordsIn(runsQuery.value.find));

/** The run of a file that was asked for, where none of it is open. */
export const missingFile = computed((): string | undefined => {
  const file = shownFile.value;
  return file === undefined || openedFiles.value.has(file) ? undefined : file;
});

/** The run that was asked for, where there is none of that id. */
export const missingRun = computed((): string | undefined => {
  const { run } = filter.value;
  if (run === undefined || session.value === undefined || connection.value !== 'open') return undefined;
  if (session.value.runs.some((each) => each.run === run)) return undefined;
  for (const actor of shown.value.tableau.actors.values()) if (actor.run === run) return undefined;
  return run;
});
