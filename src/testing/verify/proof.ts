import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { Violation } from '../../contracts/properties/property.ts';
import type { Reached } from './coverage.ts';
import type { Move } from './environment.ts';
import type { Fault } from './verify-options.ts';
import type { WorstCase } from './worst-case.ts';

/** One move of a story, and its events. */
export interface Told extends Pick<Move, 'path' | 'by' | 'does'> {
  readonly events: readonly RuntimeEvent[];
}

/** The shortest story that was found. */
export interface Story {
  readonly moves: readonly Told[];
  /** As a Mermaid sequence diagram. */
  readonly diagram: string;
}

/** A property that does not hold, with the shortest story that violates it. */
export interface Counterexample extends Violation {
  readonly story: Story;
  /** `genuine`: a run of the real runtime did the same; `not tried` and `otherwise`: why not, in `unconfirmed`. */
  readonly confirmed: 'genuine' | 'not tried' | 'otherwise';
  readonly unconfirmed?: string | undefined;
  /** The journal of the genuine run, as run `proof`: to be replayed, shown and forked. */
  readonly journal?: JournalStore | undefined;
}

/** The report of a proof: what holds, within which bounds, and on which assumptions. Another one makes the same. */
export interface Proof {
  /**
   * `holds`: all properties, within the bounds; `violated`: at least one does not; `unclear`: of at least one there is a story that a genuine run does
   * not repeat; `stopped`: it was aborted before its end.
   */
  readonly verdict: 'holds' | 'violated' | 'unclear' | 'stopped';
  readonly agent: string;
  readonly properties: readonly {
    readonly name: string;
    /** `bounded`: no violation was found within the bounds, behind which there is more. */
    readonly verdict: 'holds' | 'bounded' | 'violated' | 'unclear';
  }[];
  readonly violations: readonly Counterexample[];
  /** Distinct states of the whole run that were reached. */
  readonly states: number;
  readonly transitions: number;
  /** Moves on the longest of the shortest ways to a state. */
  readonly depth: number;
  /** True if every state that can be reached was: no bound cut any off. */
  readonly isComplete: boolean;
  readonly bounds: {
    readonly states: number;
    readonly depth?: number | undefined;
    readonly steps?: number | undefined;
    /** States at which a bound ended the search. */
    readonly cut: number;
  };
  readonly faults: readonly Fault[];
  /** Everything that is taken for granted. */
  readonly assumptions: readonly string[];
  /** States from which no end can be reached, each with the shortest story to it; at most 5. */
  readonly deadEnds: readonly Story[];
  /** Rounds that pass no place where a limit is checked, as the moves of each; at most 5. */
  readonly livelocks: readonly (readonly string[])[];
  /** The statuses with which runs may end. */
  readonly ends: readonly string[];
  /** By definition, what no move reaches. */
  readonly coverage: readonly Reached[];
  readonly worstCase: WorstCase;
  readonly elapsedMs: number;
  /** As measured here, distinct ones. */
  readonly statesPerSecond: number;
  /** States that were made per second, known ones included: what other checkers count. */
  readonly transitionsPerSecond: number;
}
