import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';

/**
 * Validates a limit: an integer from `least`. A limit of none at a time would make an actor wait for ever, and other numbers do not survive
 * as JSON.
 *
 * @throws {TroupeError} of the code given, for anything else.
 */
export const checkCount = (
  count: number,
  least: 0 | 1,
  option: string,
  { code, owner }: { readonly code: ErrorCode; readonly owner: string },
): number => {
  if (Number.isSafeInteger(count) && count >= least) return count;
  throw new TroupeError(
    code,
    `Cannot define ${owner} as its ${option} is not a whole number from ${least}: found ${foundText(count)}`,
  );
};
