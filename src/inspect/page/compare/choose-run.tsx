import { oneLine } from '../../drawing/plain-text.ts';
import { Icon } from '../parts/icon.tsx';
import type { RunRow } from '../session.ts';
import { runName } from '../session.ts';
import { chooseToCompare, chosenRuns, isSameRun, runKeyOf } from './chosen-runs.ts';
import { showChosen } from './show-chosen.ts';

/** The box of a row of the table: a run that is checked is one of two to be compared. */
export const ChooseRun = ({ row }: { readonly row: RunRow }) => {
  const key = runKeyOf(row);
  return (
    <label
      class="choose-run"
      title="Compare this run with another (space)"
      // The keys stay those of the table.
      onMouseDown={(event) => {
        event.preventDefault();
      }}
    >
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Compare ${runName(row)}`}
        checked={chosenRuns.value.some((each) => isSameRun(each, key))}
        onChange={() => {
          chooseToCompare(key);
        }}
      />
    </label>
  );
};

/** The button that compares the chosen runs, once there are two. */
export const CompareChosen = () => {
  const [left, right] = chosenRuns.value;
  return (
    <span class="compare-chosen">
      <span role="status" class={right === undefined ? 'count' : 'unseen'}>
        {left === undefined
          ? ''
          : right === undefined
            ? 'Choose another run to compare'
            : `${oneLine(left.run, 40)} and ${oneLine(right.run, 40)} are chosen`}
      </span>
      {right !== undefined && (
        <button type="button" class="primary" title="Side by side (c)" onClick={showChosen}>
          Compare
        </button>
      )}
      {left !== undefined && (
        <button
          type="button"
          class="plain"
          aria-label="Choose no run"
          title="Choose no run"
          onClick={() => {
            chosenRuns.value = [];
          }}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </span>
  );
};
