import type { LiveEvent } from '../contracts/event.ts';

/** Somebody who is handed every event as it happens, within the call that published it. */
export interface Watcher {
  /** What its failures are reported under. */
  readonly name: string;
  /** True if it receives the deltas of models too; providers may stream only if somebody wants them. */
  readonly wantsDeltas: boolean;
  /** The number of the first event of the log that it wants. Default 0: all of them. */
  readonly from?: number;
  /** True once it wants no more; a replay ends early by it. */
  readonly closed?: boolean;
  next(event: LiveEvent): void;
  /** Called once, after the last event. */
  complete?(): void;
}
