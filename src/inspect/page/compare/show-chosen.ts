import { chosenRuns, comparisonAddress } from './chosen-runs.ts';

/** Shows the two chosen runs side by side; nothing where there are fewer. */
export const showChosen = (): void => {
  const [left, right] = chosenRuns.peek();
  if (left !== undefined && right !== undefined) location.hash = comparisonAddress(left, right);
};
