import type { ErrorContext } from '../retry/classify-error.ts';

/** The setup of a queue. */
export interface QueueSetup {
  readonly who: ErrorContext;
  readonly windowMs: number;
  readonly size: number;
  readonly pollMs: number;
  readonly timeoutMs: number;
}
