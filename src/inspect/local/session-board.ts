import type { JournalStore, RunEntry, RunList } from '../../contracts/journals/journal.ts';
import type { ForkPoint } from '../../contracts/journals/journal-record.ts';
import { leftRunning } from '../../runtime/journal/resume/left-running.ts';
import type { Breakpoint } from '../recording/breakpoint.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { RunFigures } from '../recording/run-sums.ts';
import { withForks } from './forks/fork-places.ts';
import type { ListedProcess } from './processes/listed-process.ts';

/** A run that can be viewed, as listed for the page. */
export interface ListedRun extends RunFigures {
  readonly run: string;
  readonly agent: string;
  /** True if it is in progress in this process, and can be controlled. */
  readonly isLive: boolean;
  readonly status: string;
  readonly title: string;
  /** The source of its recording: the shared live one, or its own. */
  readonly source: 'live' | 'stored';
  /** In ms since 1970. */
  readonly startedAt: number;
  /** True if it is in the store, and so can be forked. */
  readonly isKept: boolean;
  /** Its own breakpoints, in addition to those of all runs; absent if there are none. */
  readonly breakpoints?: readonly Breakpoint[] | undefined;
  /** The place at which it was forked from another run. */
  readonly fork?: ForkPoint | undefined;
  /** The process that has it; absent for the inspector's own. */
  readonly process?: ListedProcess | undefined;
}

/** The sources of the list: the runs of this process, and its store. */
export interface RunSources {
  readonly recorder: Pick<Recorder, 'runs' | 'handles' | 'breakpoints'>;
  readonly store: JournalStore | undefined;
}

const MOST_STORED = 200;

/**
 * The runs that can be looked at, the newest first: those of this process, then the last of the store, and among them `wanted`, if the
 * store has it.
 */
export const listRuns = async (
  recorder: RunSources['recorder'],
  store: RunSources['store'],
  wanted?: string,
): Promise<readonly ListedRun[]> => {
  const entries: RunList = (await store?.list({ limit: MOST_STORED })) ?? [];
  const here = runsHere(recorder, entries);
  const isListed = [...here.map(({ run }) => run), ...entries.map(({ runId }) => runId)].includes(
    wanted ?? '',
  );
  const older = wanted === undefined || isListed ? undefined : await store?.entry(wanted);
  const all = older === undefined ? entries : [...entries, older];
  const rows = [...here, ...(await storedRuns(store, all, here)), ...unreadableRuns(entries)];
  return withForks(store, all, rows);
};

/** The runs of this process, the newest first. */
export const runsHere = (
  recorder: RunSources['recorder'],
  entries: readonly RunEntry[],
): readonly ListedRun[] => {
  const { runs, handles } = recorder;
  const kept = new Set(entries.map(({ runId }) => runId));
  return runs
    .map(({ runId, ...rest }): ListedRun => {
      const handle = handles.get(runId);
      const own = recorder.breakpoints(runId);
      const holds = own.length === 0 ? {} : { breakpoints: own };
      const requests = handle?.requests.length ?? 0;
      const about = { run: runId, isLive: handle !== undefined, isKept: kept.has(runId), ...rest };
      return { ...about, source: 'live', requests, ...holds };
    })
    .toReversed();
};

/** The runs of a store that are not among those of this process; one whose process is gone before its end is interrupted, and one that was never executed is queued. */
export const storedRuns = async (
  store: RunSources['store'],
  entries: readonly RunEntry[],
  here: readonly ListedRun[],
): Promise<readonly ListedRun[]> => {
  const known = new Set(here.map(({ run }) => run));
  const others = entries.filter(({ runId }) => !known.has(runId));
  const left = store === undefined ? new Map<string, string>() : await leftRunning(store, others);
  return others.map(({ runId, agent, title, createdAt, ...entry }): ListedRun => {
    const status = left.get(runId) ?? entry.status;
    const about = { run: runId, agent, status, title, startedAt: createdAt };
    return { ...about, isLive: false, source: 'stored', isKept: true };
  });
};

/** The runs of a store whose entries cannot be read. */
export const unreadableRuns = ({ unreadable = [] }: RunList): readonly ListedRun[] =>
  unreadable.map(({ id, error }): ListedRun => {
    const { message: title } = error;
    const about = { run: id, agent: '', status: 'unreadable', title, startedAt: 0 };
    return { ...about, isLive: false, source: 'stored', isKept: false };
  });
