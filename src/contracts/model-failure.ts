import type { ErrorCode } from './error.ts';

/** One attempt of a model call that failed, as an adaptive retry remembers it. */
export interface ModelFailure {
  readonly code: ErrorCode;
  /** Which of the agent's models: 0 is the first of its list. */
  readonly model: number;
  readonly step: number;
}

/** The number of failures that are remembered: more would only be waits at their cap. */
const MAX_FAILURES = 20;

/** What is remembered after one more failure: the last 20. */
export const withFailure = (
  failures: readonly ModelFailure[] | undefined,
  failure: ModelFailure,
): readonly ModelFailure[] => [...(failures ?? []), failure].slice(-MAX_FAILURES);
