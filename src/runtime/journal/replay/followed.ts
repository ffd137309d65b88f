import type { JournalRecord } from '../../../contracts/journal-record.ts';
import { hashOfWords } from '../../../machines/hash.ts';

/**
 * Events of a run's own scope that follow from the records before them, told in a row: how many they are, and a check of which. They are
 * made again by whoever goes on with the run, so a journal that is carried about has no need of their contents.
 */
export interface Followed {
  readonly kind: 'followed';
  readonly scope?: undefined;
  readonly tick?: undefined;
  readonly count: number;
  /** Of their types, places and phases; see {@link followedBy}. */
  readonly check: number;
}

/** What a run may go on from: the records of its journal, perhaps without the events that follow from the others. */
export type KeptRecord = JournalRecord | Followed;

/** An event, as far as it is counted. */
export interface FollowingEvent {
  readonly type: string;
  readonly path: string;
  readonly step?: number | undefined;
  readonly phase?: string | undefined;
}

const NONE: Followed = { kind: 'followed', count: 0, check: 0 };

/** Events in a row with one more. */
export const followedBy = (
  { type, path, step = -1, phase = '' }: FollowingEvent,
  { count, check }: Followed = NONE,
): Followed => ({
  kind: 'followed',
  count: count + 1,
  check: Math.floor(hashOfWords([String(check), type, path, String(step), phase]) * 2 ** 32),
});
