import { isThenable } from './thenable.ts';

/** Marks an abandoned promise as handled, so that its rejection is not reported. */
export const letGo = (given: unknown): void => {
  if (isThenable(given)) Promise.resolve(given).catch(() => undefined);
};
