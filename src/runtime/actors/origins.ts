import type { Origins } from '../../contracts/tools/origins.ts';

/** The origins of an actor in a run that keeps none: always empty. */
export const NO_ORIGINS: Origins = {
  names: [],
  add: () => undefined,
  hear: () => undefined,
  addTurns: () => undefined,
  mark: (value) => value,
  markTurns: (turns) => turns,
};
