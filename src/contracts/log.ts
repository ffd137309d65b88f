import type { ErrorData } from './error.ts';
import type { EventType } from './event.ts';

/** One error, as a log is told of it. */
export interface LogEntry {
  /** By the run's clock, ms since 1970. */
  readonly at: number;
  readonly path: string;
  /** The event that told of it: `model.failed`, `tool.finished`, `run.ended` … */
  readonly type: EventType;
  /** Its `errorId` is the same in the event, the tool's result, the outcome and the record of the effect. */
  readonly error: ErrorData;
}

/** Where errors are written down. What it throws is reported as `observer.failed`, with both errors. */
export type LogSink = (entry: LogEntry) => void | Promise<void>;
