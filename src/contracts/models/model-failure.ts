import type { ErrorCode } from '../errors/error-data.ts';

/** One attempt of a model call that failed, as an adaptive retry remembers it. */
export interface ModelFailure {
  readonly code: ErrorCode;
  /** Index in the agent's list of models: 0 is the first. */
  readonly model: number;
  readonly step: number;
}

/** The number of failures that are remembered: more would only be waits at their cap. */
const MAX_FAILURES = 20;

/** Adds a failure to those remembered: the last 20 are kept. */
export const withFailure = (
  failures: readonly ModelFailure[] | undefined,
  failure: ModelFailure,
): readonly ModelFailure[] => [...(failures ?? []), failure].slice(-MAX_FAILURES);
