import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';

/** The end of a simulated run, before anybody has judged it. */
export interface RunEnd {
  /** Absent where it has not ended. */
  readonly result: RunResult<unknown, unknown> | undefined;
  readonly error: unknown;
  /** The log: all of it if the run has ended. */
  readonly events: readonly RuntimeEvent[];
  /** The events that processes had published before they lost the run. */
  readonly earlier: readonly (readonly RuntimeEvent[])[];
  /** The reason why it did not end by itself; it was aborted then. */
  readonly stuck?: 'waiting' | 'hung' | 'endless' | undefined;
  /** The subject of the oldest open request when it was stuck. */
  readonly waitsFor?: string | undefined;
  /** The addresses of agents that had not ended when it was stuck. */
  readonly open: readonly string[];
  /** Calls of models and tools that were under way when it was stuck. */
  readonly underWay: readonly string[];
  /** Calls that went on after the end, although they were aborted. */
  readonly stillWorking: readonly string[];
  /** Addresses of members whose time was up while nothing of theirs was under way. */
  readonly silent: readonly string[];
  /** The lengths of timers that are left, in ms. */
  readonly leftByRun: readonly number[];
  readonly leftByAgent: readonly number[];
  /** By the virtual clock, in ms. */
  readonly durationMs: number;
}
