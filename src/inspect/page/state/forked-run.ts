import { currentRun, embedded, mayControl, storedRun } from '../page-state.ts';

/** The run that can be forked: the stored one that is shown, or a live one that is kept. */
export const forkedRun = (): string | undefined => {
  if (!mayControl(currentRun.value) || embedded.value !== undefined) return undefined;
  if (storedRun.value !== undefined) return storedRun.value;
  return currentRun.value?.isKept === true ? currentRun.value.run : undefined;
};

export const canFork = (): boolean => forkedRun() !== undefined;
