import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Progress } from '../../events/progress/progress.ts';
import { foldProgress, noProgress } from '../../events/progress/progress.ts';

/** A place in a recorded run, to step from; the run itself stays as it is. */
export interface TraceCursor {
  /** The number of events that have been played. */
  readonly position: number;
  /** The last of them; undefined at the beginning. */
  readonly event: RuntimeEvent | undefined;
  /** The progress of all actors at that event. */
  readonly progress: Progress;
  readonly isAtEnd: boolean;
  /**
   * Advances by one event, or with `step` to the next end of a step of any agent; with `over` to the next of the agent at the place, passing
   * over the work of its members. False at the end.
   */
  next(by?: 'event' | 'step' | 'over'): boolean;
  /** Advances to the next event of which that holds; false where there is none, and then it is at the end. */
  runTo(isIt: (event: RuntimeEvent) => boolean): boolean;
  /** Jumps to any place, also back. */
  seek(position: number): void;
}

/**
 * Steps through a run that is over: by event, by step, to a condition, and back. To continue differently from a place, `fork` the stored run.
 *
 * @example
 * const cursor = traceCursor(await readTrace('./traces/r1.jsonl'));
 * while (cursor.runTo(({ phase }) => phase === 'ACT')) console.log(cursor.event?.path, progressLine(cursor.progress));
 */
export const traceCursor = ({ events }: { readonly events: readonly RuntimeEvent[] }): TraceCursor => {
  let position = 0;
  let progress = noProgress;
  const forward = (): boolean => {
    const event = events[position];
    if (event === undefined) return false;
    position += 1;
    progress = foldProgress(progress, event);
    return true;
  };
  const until = (isIt: (event: RuntimeEvent) => boolean): boolean => {
    while (forward()) {
      const event = events[position - 1];
      if (event !== undefined && isIt(event)) return true;
    }
    return false;
  };
  return {
    get position() {
      return position;
    },
    get event() {
      return events[position - 1];
    },
    get progress() {
      return progress;
    },
    get isAtEnd() {
      return position >= events.length;
    },
    next: (by = 'event') => {
      if (by === 'event') return forward();
      const path = events[position - 1]?.path ?? events[0]?.path ?? '';
      return until(({ type, path: other }) => type === 'step.ended' && (by === 'step' || other === path));
    },
    runTo: until,
    seek: (wanted) => {
      const target = Math.max(0, Math.min(events.length, Math.trunc(wanted) || 0));
      if (target < position) [position, progress] = [0, noProgress];
      while (position < target) forward();
    },
  };
};
