import type { Json } from '../../base/json/json.ts';

/** Progress data of a run, of bounded size. */
export interface Watch {
  /** Number of answers sent back by the ending policy. */
  readonly sentBack: number;
  /** Of these, the number in a row without a successful call. */
  readonly stuck: number;
  /** The last answer sent back, as text; empty if none was. */
  readonly said: string;
  /** Heuristics of the ending policy that have objected, by name. */
  readonly spoken: readonly string[];
  /** Fingerprints of the latest steps with calls. */
  readonly prints: readonly number[];
  /** The current loop. */
  readonly loop: WatchedLoop | null;
  /** Memories of the stop rules, by index. */
  readonly memory: readonly Json[];
  readonly stage: Stage;
  /** Number of steps left for wrapping up beyond a limit. */
  readonly grace: number;
}

/** A detected loop. */
export interface WatchedLoop {
  readonly period: number;
  readonly repeats: number;
  readonly tools: readonly string[];
}

/** Closeness to the limits: in `wrappingUp` there are no tools. It never goes back. */
export type Stage = 'open' | 'warned' | 'wrappingUp';

/** Initial progress data. */
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
