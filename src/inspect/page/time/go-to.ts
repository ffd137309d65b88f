import type { Span } from '../folds/work-spans.ts';
import { goTo, pointedAt, recorded, select, sideTab } from '../page-state.ts';
import { hold } from '../playback.ts';

/** Shows the recording where a piece of work began, and the call that it is of. */
export const goToSpan = ({ n, actor, call }: Span): void => {
  hold();
  goTo(n + 1);
  select(actor);
  if (call === undefined) return;
  sideTab.value = 'transcript';
  pointedAt.value = call;
};

/** Shows the recording as it was at a time. */
export const goToTime = (at: number): void => {
  const { timeline } = recorded.peek();
  let [low, high] = [timeline.first, timeline.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timeline.entry(middle)?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  hold();
  goTo(low);
};
