import { messageOf } from '../../contracts/errors/error.ts';

/**
 * The text of a reason, whatever was passed as one: an error's message; `otherwise` for an object, which may be an event of the DOM, circular,
 * or throw when it is read.
 */
export const readReason = (given: unknown, otherwise: string): string => {
  if (given === undefined || given === null) return otherwise;
  const isObject = typeof given === 'object' || typeof given === 'function';
  return isObject && !isError(given) ? otherwise : messageOf(given);
};

/** A proxy may throw when its prototype is read. */
const isError = (given: object): boolean => {
  try {
    return given instanceof Error;
  } catch {
    return false;
  }
};
