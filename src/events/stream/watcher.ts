import type { LiveEvent } from '../../contracts/events/event.ts';

/** Receives every event synchronously as it is published. */
export interface Watcher {
  /** Name for its failures. */
  readonly name: string;
  /** True if it receives the deltas of models too; providers may stream only if some watcher wants them. */
  readonly wantsDeltas: boolean;
  /** Number of the first event of the log that it wants. Default 0: all of them. */
  readonly from?: number;
  /** True once it wants no more; ends a replay early. */
  readonly closed?: boolean;
  next(event: LiveEvent): void;
  /** Called once, after the last event. */
  complete?(): void;
}
