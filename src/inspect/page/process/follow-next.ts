import { effect } from '@preact/signals';
import { follow } from '../feed.ts';
import {
  chooseRun,
  filter,
  isExported,
  place,
  recorded,
  session,
  shownFile,
  shownProcess,
  storedRun,
} from '../page-state.ts';
import type { Session, SessionRun } from '../session.ts';
import { isRunShown } from '../state/home.ts';

/** The part of the page that decides if another process is shown. */
export interface Followed {
  readonly session: Session;
  /** The process that is followed; undefined: the server's own. */
  readonly process: string | undefined;
  /** The run of it that was chosen, if one was. */
  readonly run: string | undefined;
  /** True while nothing is recorded of it. */
  readonly isEmpty: boolean;
}

/**
 * The run of the process that takes the place of the one that is followed: of the same program, where that has ended; of any, where there is
 * nothing to see. The chosen run, where that goes on there, else the newest.
 */
const nextRun = ({
  session: { runs, processes = [] },
  process,
  run: chosen,
  isEmpty,
}: Followed): SessionRun | undefined => {
  const before = processes.find(({ id }) => id === process);
  const isNext = (run: SessionRun): boolean => {
    if (run.process === undefined || run.process.isOver || run.source !== 'live') return false;
    if (process === undefined) return isEmpty;
    return (
      before?.isOver === true &&
      run.process.program === before.program &&
      run.process.startedAt >= before.startedAt
    );
  };
  const next = runs.filter(isNext).toSorted((one, other) => (other.startedAt ?? 0) - (one.startedAt ?? 0));
  return next.find(({ run }) => run === chosen) ?? next[0];
};

/** Has the page follow the next process where the one that it follows has ended, unless its past is looked at. */
export const followNext = (): void => {
  if (isExported.peek()) return;
  effect(() => {
    const { value } = session;
    if (value === undefined || !isRunShown.value || place.value !== undefined) return;
    if (storedRun.value !== undefined || shownFile.value !== undefined) return;
    const { run } = filter.peek();
    const isEmpty = recorded.peek().timeline.length === 0 && run === undefined;
    const next = nextRun({ session: value, process: shownProcess.peek(), run, isEmpty });
    if (next === undefined) return;
    follow(undefined, next.process?.id);
    chooseRun(run === undefined ? undefined : next.run);
  });
};
