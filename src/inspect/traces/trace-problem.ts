import type { LinesFile } from './trace-folder.ts';

/** Every way in which a trace can be wrong. */
export const traceProblemKinds = [
  'manifest.missing',
  'manifest.invalid',
  /** It says something else than the events, or than the files beside it. */
  'manifest.contradicts',
  'file.missing',
  /** The last line is not whole: whoever wrote it was cut off. */
  'line.cut',
  'line.broken',
  /** Of a type or version that this release does not know. */
  'event.unknown',
  'event.invalid',
  /** Of another run. */
  'event.foreign',
  'step.invalid',
  /** An event tells of its end, and there is no line of it, or the other way round. */
  'step.missing',
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
  /** Events were not written: what is left out is counted in the manifest. */
  'trace.incomplete',
] as const;

/** See {@link traceProblemKinds}. */
export type TraceProblemKind = (typeof traceProblemKinds)[number];

/** One thing that is wrong with a trace. */
export interface TraceProblem {
  readonly kind: TraceProblemKind;
  /** In words. */
  readonly message: string;
  readonly file?: LinesFile | 'manifest' | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  /** Of the event that it is about. */
  readonly seq?: number | undefined;
  /** What stands there, as it is: the first 2,000 characters. */
  readonly raw?: string | undefined;
}
