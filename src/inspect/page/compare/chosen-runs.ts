import { signal } from '@preact/signals';
import type { RunRow, SessionRun } from '../session.ts';
import type { RunKey } from '../state/route.ts';
import { hashOf, keyText } from '../state/route.ts';

/** The runs of the table that are chosen to be compared, the older choice first. */
export const chosenRuns = signal<readonly RunKey[]>([]);

/** The run of a row by its address. */
export const runKeyOf = ({ run, source }: Pick<RunRow, 'run' | 'source'>): RunKey => ({
  run,
  isFile: source === 'file',
});

export const isSameRun = (one: RunKey, other: RunKey): boolean => keyText(one) === keyText(other);

/** The choice with a run added or taken out of it: two at most, as the third takes the place of the older. */
export const turnChoice = (chosen: readonly RunKey[], key: RunKey): readonly RunKey[] =>
  chosen.some((each) => isSameRun(each, key))
    ? chosen.filter((each) => !isSameRun(each, key))
    : [...chosen.slice(-1), key];

export const chooseToCompare = (key: RunKey): void => {
  chosenRuns.value = turnChoice(chosenRuns.peek(), key);
};

/** The address of the comparison of two runs. */
export const comparisonAddress = (left: RunKey, right: RunKey): string =>
  hashOf({ screen: 'compare', left, right });

/** The runs that one may be compared with: those of its agent first, the newest first. */
export const othersOf = <Run extends SessionRun>(runs: readonly Run[], run: SessionRun): readonly Run[] => {
  const key = runKeyOf(run);
  const rank = ({ agent }: SessionRun): number => Number(agent !== run.agent);
  return runs
    .filter((each) => !isSameRun(runKeyOf(each), key))
    .toSorted((one, other) => rank(one) - rank(other) || (other.startedAt ?? 0) - (one.startedAt ?? 0));
};
