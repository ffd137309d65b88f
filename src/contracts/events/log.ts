import type { ErrorData } from '../errors/error-data.ts';
import type { EventType } from './event.ts';

/** One error, as passed to a log. */
export interface LogEntry {
  /** By the run's clock, ms since 1970. */
  readonly at: number;
  readonly path: string;
  /** The event that reported it: `model.failed`, `tool.finished`, `run.ended` … */
  readonly type: EventType;
  /** Its `errorId` is the same in the event, the tool's result, the outcome and the record of the effect. */
  readonly error: ErrorData;
}

/** Writes errors to a log. If it throws, `observer.failed` reports both errors. */
export type LogSink = (entry: LogEntry) => void | Promise<void>;
