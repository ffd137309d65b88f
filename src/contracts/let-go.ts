import { isThenable } from './thenable.ts';

/**
 * Lets go of what was given where nobody waits: the failure of a promise that is not wanted is no business of the process.
 */
export const letGo = (given: unknown): void => {
  if (isThenable(given)) Promise.resolve(given).catch(() => undefined);
};
