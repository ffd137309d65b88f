import type { ErrorCode } from '../../contracts/error.ts';
import { TroupeError } from '../../contracts/error.ts';
import { foundText } from '../../contracts/found-text.ts';

/**
 * Checks a number that bounds work: whole, and not below `least`. With none at a time an actor would wait for ever; and
 * what is no finite number does not survive as JSON, which a context is.
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
    `Cannot define ${owner} as its ${option} is no whole number from ${least}: ${foundText(count)}`,
  );
};
