import type { Script } from './decision.ts';
import type { SimulatedStatus } from './judged-run.ts';
import type { OrderReport } from './order-report.ts';
import type { SimulatedStory } from './story.ts';

/** Something that must not be, with the shortest script that makes it happen. */
export interface SimulationFailure {
  /** The property, `check`, or what every run has to hold: `lost reply`, `deadlock`, `nothing doubled` … */
  readonly rule: string;
  readonly reason: string;
  /** The seeds that found it, the first first; at most 20. */
  readonly seeds: readonly number[];
  /** The number of runs that failed so. */
  readonly times: number;
  /** To be replayed by `script`. */
  readonly script: Script;
  readonly story: SimulatedStory;
  /** Decisions of the first seed, before its script was shrunk. */
  readonly decisions: number;
  /** Runs that it took to shrink it. */
  readonly shrunkIn: number;
}

/** The report of a simulation. */
export interface SimulationReport {
  /** `failed`: something was found; `depends`: nothing was, but the result depends on an order; `stopped`: it was aborted before its end. */
  readonly verdict: 'holds' | 'failed' | 'depends' | 'stopped';
  readonly agent: string;
  /** The first seed; the others follow it. */
  readonly seed: number;
  readonly runs: number;
  readonly failures: readonly SimulationFailure[];
  /** Runs by their ends. */
  readonly ends: Readonly<Partial<Record<SimulatedStatus, number>>>;
  /** The decisions that were made, by their kinds: faults by their names. */
  readonly happened: Readonly<Record<string, number>>;
  /** With `orders`. */
  readonly orders?: OrderReport | undefined;
  /** By the virtual clock, all runs together, in days. */
  readonly days: number;
  readonly elapsedMs: number;
  /** Simulated days in an hour, as measured here. */
  readonly daysPerHour: number;
}
