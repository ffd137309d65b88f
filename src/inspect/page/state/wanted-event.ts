import { filter, goTo, recorded, select, storedRun, wantedEvent } from '../page-state.ts';

/** The entry that is looked at next: the ones before are not the event that is wanted. */
let next = 0;

/** Shows an event of the run by its number, as soon as it is loaded. */
export const arriveAtEvent = (seq: number): void => {
  next = 0;
  wantedEvent.value = seq;
  goToWantedEvent();
};

/** Goes to the event that is wanted, if it is there. */
export const goToWantedEvent = (): void => {
  const wanted = wantedEvent.peek();
  const run = storedRun.peek() ?? filter.peek().run;
  if (wanted === undefined) return;
  const { timeline } = recorded.peek();
  if (next > timeline.length) next = 0;
  for (; next < timeline.length; next += 1) {
    const entry = timeline.entry(next);
    if (entry?.kind !== 'published' || entry.event.type === 'model.delta') continue;
    if (entry.event.runId !== run || entry.event.seq < wanted) continue;
    goTo(next + 1);
    select(entry.actor);
    return;
  }
};
