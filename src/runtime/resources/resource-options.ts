import type { Clock } from '../../contracts/clock.ts';
import { patientClock, systemClock } from '../../contracts/clock.ts';
import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';

/** What every shared resource may be told. */
export interface ResourceOptions {
  /** For messages and errors. Default: what kind it is. */
  readonly name?: string | undefined;
  /** Default the machine's; give it the runs' own where they have one. */
  readonly clock?: Clock | undefined;
}

/** The longest wait where nobody says another, in ms: as long as all waits of a model call together may take. */
export const LONGEST_WAIT_MS = 300_000;

export const clockOf = ({ clock }: ResourceOptions): Clock =>
  clock === undefined ? systemClock : patientClock(clock);

/** A time in ms that bounds something: a number above 0, and `most` at most. */
export const checkMs = (ms: number, option: string, owner: string, most = Infinity): number => {
  if (typeof ms === 'number' && ms > 0 && ms <= most) return ms;
  throw new TroupeError(
    'resource.invalid',
    `Cannot define ${owner} as its ${option} is no time in ms above 0: ${foundText(ms)}`,
  );
};

/** Whoever comes to a resource that is closed, or waits for it then. */
export const closedError = (what: string): TroupeError =>
  new TroupeError('resource.closed', `Cannot wait for ${what} as it is closed`);

/** Whoever waited for as long as it wanted to. */
export const busyError = (what: string, waitMs: number, retryAfterMs: number): TroupeError =>
  new TroupeError(
    'resource.busy',
    `Cannot wait for ${what} any longer as it was not its turn within ${waitMs} ms`,
    { retryable: 'yes', retryAfterMs },
  );
