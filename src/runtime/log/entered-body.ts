import type { EventBody } from '../../contracts/events/event.ts';

const entered = new Map<string, EventBody>();

/** Cached: there are a dozen phases, and a run enters them thousands of times. */
export const enteredBody = (phase: string): EventBody => {
  const known = entered.get(phase);
  if (known !== undefined) return known;
  const body = { type: 'phase.entered', phase } as const;
  entered.set(phase, body);
  return body;
};
