import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';

/** The error with the option that gave the value, and with advice; one of another code as it is. */
export const nameOption = (
  thrown: unknown,
  codes: readonly ErrorCode[],
  option: string,
  advice = '',
): unknown => {
  if (!isTroupeError(thrown) || !codes.includes(thrown.code)) return thrown;
  const message = `${thrown.message} (given by ${option}${advice === '' ? '' : `: ${advice}`})`;
  return new TroupeError(thrown.code, message, { cause: thrown });
};
