import type { Run } from '../run/run.ts';
import type { Follower } from './seat-plan.ts';

/** Gives a follower the events of a run, past ones first, as long as the run is the current one. */
export const followRun = (run: Run, follower: Follower, isCurrent: () => boolean): void => {
  run.log.stream.watch({
    name: 'actor',
    wantsDeltas: true,
    from: follower.next,
    next: (event) => {
      if (!isCurrent()) return;
      if ('seq' in event) follower.next = event.seq + 1;
      follower.tell(event);
    },
  });
};
