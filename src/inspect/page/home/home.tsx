import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { oneLine } from '../../drawing/plain-text.ts';
import { countOf, several } from '../figures.ts';
import { CompareChosen } from '../compare/choose-run.tsx';
import { FileNotice, fileDrop, OpenFile } from '../files/open-file.tsx';
import { openedFiles } from '../files/opened-files.ts';
import { Icon } from '../parts/icon.tsx';
import { runsQuery } from '../state/home.ts';
import { HomeTabs } from './home-tabs.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import { allRuns, watchRuns } from './runs-feed.ts';
import { statusesOf, wantedRows } from './runs-query.ts';
import { RunsTable } from './runs-table.tsx';
import { saidFound, watchSaid } from './said-feed.ts';
import { ViewsMenu } from './views-menu.tsx';

/** Those of the server, and of opened files. */
const everyRun = computed(() => {
  const files = [...openedFiles.value.values()].map(({ row }) => row);
  return files.length === 0 ? allRuns.value : [...files, ...(allRuns.value ?? [])];
});
const wanted = computed(() => wantedRows(everyRun.value ?? [], runsQuery.value, saidFound.value.runs));
const statuses = computed(() => statusesOf(everyRun.value ?? []));

/** All runs, live and stored: what waits for a person first. */
export const Home = () => {
  useEffect(watchRuns, []);
  useEffect(watchSaid, []);
  const query = runsQuery.value;
  const all = everyRun.value;
  const rows = wanted.value;
  const isKnown = query.status === undefined || statuses.value.some(([status]) => status === query.status);
  return (
    <main class="home" {...fileDrop}>
      <div class="runs-filter">
        <HomeTabs />
        <label class="search">
          <Icon name="search" size={14} />
          <span class="unseen">Find a run</span>
          <input
            id="search"
            type="search"
            placeholder="Find by agent, title, id or what was said"
            autocomplete="off"
            value={query.find}
            onInput={({ currentTarget }) => {
              runsQuery.value = { ...runsQuery.peek(), find: currentTarget.value };
            }}
          />
        </label>
        <select
          aria-label="Status"
          value={query.status ?? ''}
          onChange={({ currentTarget: { value } }) => {
            runsQuery.value = { ...runsQuery.peek(), status: value === '' ? undefined : value };
          }}
        >
          <option value="">Any status</option>
          {statuses.value.map(([status, count]) => (
            <option key={status} value={status}>
              {oneLine(status, 40)} ({countOf(count)})
            </option>
          ))}
          {!isKnown && <option value={query.status}>{oneLine(query.status ?? '', 40)} (0)</option>}
        </select>
        <ViewsMenu />
        <ColumnsMenu />
        <OpenFile />
        <CompareChosen />
        <span class="count" role="status">
          {all !== undefined &&
            (rows.length === all.length
              ? several(all.length, 'run')
              : `${several(rows.length, 'run')} of ${countOf(all.length)}`)}
          {!saidFound.value.isOver && ' · searching what was said …'}
        </span>
      </div>
      <FileNotice />
      {all === undefined ? (
        <p class="empty">Loading the runs.</p>
      ) : rows.length === 0 ? (
        <p class="empty">
          {all.length === 0
            ? 'Agents that run with this inspector appear here.'
            : saidFound.value.isOver
              ? 'No run is like that.'
              : 'Searching what was said.'}
        </p>
      ) : (
        <RunsTable rows={rows} />
      )}
    </main>
  );
};
