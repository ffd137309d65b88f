import type { LiveEvent, RuntimeEvent } from './event.ts';

/** Checks whether an event has its own number in the log of its run: deltas and reports of lost events have none. */
export const isLogged = (event: LiveEvent): event is RuntimeEvent =>
  event.type !== 'model.delta' && event.type !== 'observer.dropped';
