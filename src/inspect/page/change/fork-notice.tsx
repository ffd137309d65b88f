import { oneLine } from '../../drawing/plain-text.ts';
import { currentRun } from '../page-state.ts';
import { Icon } from '../parts/icon.tsx';
import { authorWords, forkPlace, nameOfEvent } from './change.ts';
import { changedMoment, isOfState, momentOf, stateMomentOf } from './changed-note.tsx';

/** The origin of a run that was forked from another, and what was changed. */
export const ForkNotice = () => {
  const run = currentRun.value;
  if (run?.fork === undefined) return null;
  const { fork } = run;
  const { changed } = fork;
  return (
    <section class="notice forked" aria-label="Origin of this run">
      <Icon name="fork" size={14} />
      <span>
        Fork of{' '}
        <a
          href={
            isOfState(fork) ? stateMomentOf(fork.runId, fork) : momentOf(fork.runId, changed?.seq ?? fork.seq)
          }
        >
          {oneLine(fork.runId, 60)}
        </a>
        {forkPlace(fork)}
        {authorWords(fork)}
        {changed !== undefined && (
          <>
            . Changed here:{' '}
            <a href={isOfState(fork) ? stateMomentOf(run.run, fork) : changedMoment(run.run, fork)}>
              {nameOfEvent(changed.type)}
            </a>
          </>
        )}
      </span>
    </section>
  );
};
