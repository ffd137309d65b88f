import { openedFiles } from '../files/opened-files.ts';
import { currentRun, isExported, session } from '../page-state.ts';
import type { SessionRun } from '../session.ts';
import { runName } from '../session.ts';
import { keyText } from '../state/route.ts';
import { comparisonAddress, othersOf, runKeyOf } from './chosen-runs.ts';

/** Runs that are offered; any others are chosen in the table. */
const MOST = 50;

/** A choice of another run, by which both are shown side by side. */
export const CompareWith = () => {
  const run = currentRun.value;
  const files = [...openedFiles.value.values()].map(({ row }) => row);
  const served = session.value?.runs ?? [];
  if (run === undefined || isExported.value) return null;
  const others = othersOf([...files, ...served], run).slice(0, MOST);
  if (others.length === 0) return null;
  return (
    <select
      class="compare-with"
      aria-label="Compare with"
      title="Shows this run and another side by side"
      value=""
      onChange={({ currentTarget }) => {
        const other = others.find((each) => keyText(runKeyOf(each)) === currentTarget.value);
        if (other !== undefined) location.hash = comparisonAddress(runKeyOf(run), runKeyOf(other));
      }}
    >
      <option value="">Compare with…</option>
      <Options label="Of the same agent" runs={others.filter(({ agent }) => agent === run.agent)} />
      <Options label="Of others" runs={others.filter(({ agent }) => agent !== run.agent)} />
    </select>
  );
};

const Options = ({ label, runs }: { readonly label: string; readonly runs: readonly SessionRun[] }) =>
  runs.length === 0 ? null : (
    <optgroup label={label}>
      {runs.map((each) => (
        <option key={keyText(runKeyOf(each))} value={keyText(runKeyOf(each))}>
          {each.source === 'file' ? 'file: ' : ''}
          {runName(each)}
        </option>
      ))}
    </optgroup>
  );
