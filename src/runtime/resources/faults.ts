import type { ErrorCode, ErrorData } from '../../contracts/errors/error-data.ts';

/** Codes of failures of the called side, as opposed to the caller's. */
const FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'model.unavailable',
  'model.network',
  'model.timeout',
  'model.idle',
  'model.malformed',
  'model.failed',
  'tool.failed',
  'tool.timeout',
  // An error without a code was thrown by user code.
  'internal',
]);

/** 4xx statuses that are not the caller's fault. */
const NOT_THE_CALLER: ReadonlySet<number> = new Set([408, 425]);

/** Checks whether the called side is at fault, as far as the error tells. */
export const isFault = ({ code, status }: ErrorData): boolean => {
  if (!FAULTS.has(code)) return false;
  return status === undefined || status < 400 || status >= 500 || NOT_THE_CALLER.has(status);
};
