import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';

/** A wait of a model call for hours, which may outlast its process. */
export interface LongWait {
  /** The run's own. */
  readonly clock: Clock;
  /** Checks whether the run continues elsewhere: what it waits for is still wanted there. */
  hasLeft(): boolean;
  /** The last note of that name that was left before the run was resumed. The name is unique to the call. */
  noteOf(name: string): Json | undefined;
  /** Puts a note on record; resolves when it is committed. */
  note(name: string, note: Json): Promise<void>;
  /** Puts on record until when nothing but waiting is done, in ms since 1970, and publishes what for, if `reason` is given. */
  shows(reason: string | undefined, dueAt: number): void;
  /** Awaits `turn` while the call occupies none of the run's concurrency. */
  during<Turn>(turn: Promise<Turn>): Promise<Turn>;
}
