import type { Json } from '../contracts/json.ts';

/** What is kept of a run to tell how it is getting on: bounded, however long it runs. */
export interface Watch {
  /** Answers sent back by the policy of ending. */
  readonly sentBack: number;
  /** Of these, how many in a row with no successful call between them. */
  readonly stuck: number;
  /** The last answer that was sent back, as text; empty where none was. */
  readonly said: string;
  /** What the policy of ending said so far, by name. */
  readonly spoken: readonly string[];
  /** Fingerprints of the newest steps that called anything. */
  readonly prints: readonly string[];
  /** The loop that the run is in. */
  readonly loop: WatchedLoop | null;
  /** What the stop rules keep, by their place. */
  readonly memory: readonly Json[];
  readonly stage: Stage;
  /** Steps to wrap up in, past a limit. */
  readonly grace: number;
}

/** A loop that was seen. */
export interface WatchedLoop {
  readonly period: number;
  readonly repeats: number;
  readonly tools: readonly string[];
}

/** How near a run is to its limits: `wrappingUp` has no tools any more. It never goes back. */
export type Stage = 'open' | 'warned' | 'wrappingUp';

/** Nothing seen yet. */
export const NOTHING_SEEN: Watch = {
  sentBack: 0,
  stuck: 0,
  said: '',
  spoken: [],
  prints: [],
  loop: null,
  memory: [],
  stage: 'open',
  grace: 0,
};
