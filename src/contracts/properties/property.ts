import type { Json } from '../../base/json/json.ts';
import type { RuntimeEvent } from '../events/runtime-event.ts';

/**
 * A statement about a whole run, as a small automaton over its events: the same object is proven before a run, enforced during it, and
 * audited after it.
 *
 * Its state is plain JSON that follows from the events alone, so that it can be compared, and a resumed run has it again. It is
 * deterministic, does no I/O, and reads no clock.
 */
export interface Property {
  /** The rule that a violation names. */
  readonly name: string;
  readonly initial: Json;
  /** The state after an event; the same where the event does not matter. */
  next(state: Json, event: RuntimeEvent): Json;
  /** The reason why a state violates it; undefined where it does not. `isOver`: no event follows any more. */
  violation(state: Json, isOver: boolean): string | undefined;
}

/** A violated property, and the event that violated it. */
export interface Violation {
  /** The name of the property. */
  readonly rule: string;
  readonly reason: string;
  /** The number of the event in its run. */
  readonly seq: number;
  /** The type of the event. */
  readonly event: RuntimeEvent['type'];
  readonly path: string;
  readonly agent: string;
  readonly step?: number | undefined;
  /** The tool that the event is about. */
  readonly tool?: string | undefined;
}
