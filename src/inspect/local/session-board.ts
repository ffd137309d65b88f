import type { JournalStore, RunList } from '../../contracts/journals/journal.ts';
import type { Breakpoint } from '../recording/breakpoint.ts';
import type { Recorder } from '../recording/recorder.ts';

/** A run that can be viewed, as listed for the page. */
export interface ListedRun {
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
}

const MOST_STORED = 200;

/** The runs that can be looked at, the newest first: those of this process, then those of the store. */
export const listRuns = async (
  recorder: Pick<Recorder, 'runs' | 'handles' | 'breakpoints'>,
  store: JournalStore | undefined,
): Promise<readonly ListedRun[]> => {
  const { runs, handles } = recorder;
  const entries: RunList = (await store?.list({ limit: MOST_STORED })) ?? [];
  const kept = new Set(entries.map(({ runId }) => runId));
  const here = runs.map(({ runId, agent, status, title, startedAt }): ListedRun => {
    const isLive = handles.has(runId);
    const own = recorder.breakpoints(runId);
    const holds = own.length === 0 ? {} : { breakpoints: own };
    const isKept = kept.has(runId);
    return { run: runId, agent, isLive, status, title, source: 'live', startedAt, isKept, ...holds };
  });
  const known = new Set(here.map(({ run }) => run));
  const stored = entries
    .filter(({ runId }) => !known.has(runId))
    .map(({ runId, agent, status, title, createdAt }): ListedRun => {
      const about = { run: runId, agent, status, title, startedAt: createdAt };
      return { ...about, isLive: false, source: 'stored', isKept: true };
    });
  const unreadable = (entries.unreadable ?? []).map(({ id, error }): ListedRun => {
    const { message: title } = error;
    const about = { run: id, agent: '', status: 'unreadable', title, startedAt: 0 };
    return { ...about, isLive: false, source: 'stored', isKept: false };
  });
  return [...here.toReversed(), ...stored, ...unreadable];
};
