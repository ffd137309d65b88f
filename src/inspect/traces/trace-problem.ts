import type { TroupeError } from '../../contracts/errors/error.ts';
import { isTroupeError } from '../../contracts/errors/error.ts';

/** Every way in which a trace can be wrong. */
export const traceProblemKinds = [
  /** The last line is not whole: its writer was cut off. */
  'line.cut',
  'line.broken',
  /** A row that is not as it was written, or does not follow the one before it. */
  'row.changed',
  /** Of a type or version that this release does not know. */
  'event.unknown',
  'event.invalid',
  /** Of another run. */
  'event.foreign',
  'seq.gap',
  'seq.doubled',
  /** An event stands before one that came earlier. */
  'seq.order',
  'time.fell',
  'run.no-start',
  'run.no-end',
  /** Something stands after the last event that there can be. */
  'run.after-end',
  'tool.unfinished',
  /** Events were not written: what is left out is counted as its writer closes it. */
  'trace.incomplete',
] as const;

/** See {@link traceProblemKinds}. */
export type TraceProblemKind = (typeof traceProblemKinds)[number];

/** One thing that is wrong with a trace. */
export interface TraceProblem {
  readonly kind: TraceProblemKind;
  /** In words. */
  readonly message: string;
  /** Of its file, from 1. */
  readonly line?: number | undefined;
  /** Of the event that it is about. */
  readonly seq?: number | undefined;
  /** The line as it is: its first 2,000 characters. */
  readonly raw?: string | undefined;
}

/** Checks whether something is no trace that this release can read. */
export const isUnreadable = (thrown: unknown): thrown is TroupeError =>
  isTroupeError(thrown, 'trace.unreadable');
