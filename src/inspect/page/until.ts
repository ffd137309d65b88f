import { clockOf, spanOf } from './figures.ts';

/** Says until when a request waits, in words and to the second. */
export const untilText = (expiresAt: number, now: number): string => {
  const left = expiresAt - now;
  const clock = clockOf(expiresAt).slice(0, 8);
  const day =
    new Date(expiresAt).toDateString() === new Date(now).toDateString()
      ? ''
      : `${new Date(expiresAt).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })}, `;
  // One that is open after its time is of a run that stands still, or has a clock of its own.
  if (left <= 0) return `waited until ${day}${clock}`;
  return `waits until ${day}${clock}, ${spanOf(Math.ceil(left / 1_000) * 1_000).replace('.0 s', ' s')} more`;
};
