import type { JournalRecord } from '../../../contracts/journals/journal-record.ts';
import { hashOfWords } from '../../../base/hash.ts';

/**
 * A row of events in a run's own scope that follow from the records before them, reduced to their number and a checksum. A replay produces
 * them again, so an exported journal need not contain them.
 */
export interface DerivedEvents {
  readonly kind: 'followed';
  readonly scope?: undefined;
  readonly tick?: undefined;
  readonly count: number;
  /** Hash of their types, addresses, steps and phases; see {@link withDerivedEvent}. */
  readonly check: number;
}

/** A record that a run can be resumed from: a journal record, or a row of derived events. */
export type KeptRecord = JournalRecord | DerivedEvents;

/** The fields of an event that the checksum covers. */
export interface DerivedEvent {
  readonly type: string;
  readonly path: string;
  readonly step?: number | undefined;
  readonly phase?: string | undefined;
}

const NONE: DerivedEvents = { kind: 'followed', count: 0, check: 0 };

/** Extends a row by one event. */
export const withDerivedEvent = (
  { type, path, step = -1, phase = '' }: DerivedEvent,
  { count, check }: DerivedEvents = NONE,
): DerivedEvents => ({
  kind: 'followed',
  count: count + 1,
  check: Math.floor(hashOfWords([String(check), type, path, String(step), phase]) * 2 ** 32),
});
