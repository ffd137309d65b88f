import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import { aText, objectWith, optional } from '../../base/schemas/option-schemas.ts';
import type { Clock } from '../../base/clock.ts';
import { patientClock, systemClock } from '../../base/clock.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';

/** Options of every shared resource. */
export interface ResourceOptions {
  /** Shown in messages and errors. Default: its kind. */
  readonly name?: string | undefined;
  /** Default: the system clock; pass the runs' own clock if they have one. */
  readonly clock?: Clock | undefined;
}

/** The shape of the options of every shared resource. */
export const resourceShape = (): OptionShape<ResourceOptions> => ({
  name: optional(aText(1)),
  clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
});

/** Default longest wait, in ms: as long as all waits of a model call may take together. */
export const LONGEST_WAIT_MS = 300_000;

export const clockOf = ({ clock }: ResourceOptions): Clock =>
  clock === undefined ? systemClock : patientClock(clock);

/** Validates a time limit: a number of ms above 0, up to `most`. */
export const checkMs = (ms: number, option: string, owner: string, most = Infinity): number => {
  if (typeof ms === 'number' && ms > 0 && ms <= most) return ms;
  throw new TroupeError(
    'resource.invalid',
    `Cannot define ${owner} as its ${option} is not a time in ms above 0: found ${foundText(ms)}`,
  );
};

/** The error for a closed resource. */
export const closedError = (what: string): TroupeError =>
  new TroupeError('resource.closed', `Cannot wait for ${what} as it is closed`);

/** The error for a wait that timed out. */
export const busyError = (what: string, waitMs: number, retryAfterMs: number): TroupeError =>
  new TroupeError(
    'resource.busy',
    `Cannot wait for ${what} any longer as it was not its turn within ${waitMs} ms`,
    { retryable: 'yes', retryAfterMs },
  );
