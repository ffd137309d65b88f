import type { ErrorCode, ErrorData } from '../../contracts/error.ts';

/** Codes that speak of the other side, not of the caller. */
const FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'model.unavailable',
  'model.network',
  'model.timeout',
  'model.idle',
  'model.malformed',
  'model.failed',
  'tool.failed',
  'tool.timeout',
  // What carries no code of ours was thrown by somebody's own code.
  'internal',
]);

/** Statuses of 4xx that say nothing against the caller. */
const NOT_THE_CALLER: ReadonlySet<number> = new Set([408, 425]);

/** Checks whether the other side is at fault, as far as the error tells. */
export const isFault = ({ code, status }: ErrorData): boolean => {
  if (!FAULTS.has(code)) return false;
  return status === undefined || status < 400 || status >= 500 || NOT_THE_CALLER.has(status);
};
