import { follow, showFile } from '../feed.ts';
import { openedFiles } from '../files/opened-files.ts';
import {
  chooseRun,
  connection,
  filter,
  isExported,
  isHelpShown,
  session,
  shownFile,
  shownProcess,
  storedRun,
} from '../page-state.ts';
import type { SessionRun } from '../session.ts';
import { processName, runName } from '../session.ts';
import { homeView, isHome, isRunShown } from '../state/home.ts';
import { notices, turnNotices } from '../state/notices.ts';
import { theme, turnTheme } from '../theme.ts';
import { CompanyCount } from '../company/company-notice.tsx';
import { Controls } from './controls.tsx';
import { Icon } from './icon.tsx';
import { RunBar } from './run-bar.tsx';

/** The header: the current run, its status and its controls. */
export const TopBar = () => (
  <header class="top">
    <h1>
      {!isExported.value ? (
        <a
          href="#/runs"
          title="All runs (h)"
          aria-current={isHome.value && homeView.value === 'runs' ? 'page' : undefined}
        >
          troupe
        </a>
      ) : (
        'troupe'
      )}
    </h1>
    {isRunShown.value && <RunChoice />}
    <div class="sums">{isRunShown.value && <RunBar />}</div>
    {isRunShown.value && <Controls />}
    <CompanyCount />
    <ConnectionDot />
    <NoticesButton />
    <button
      type="button"
      class="plain"
      aria-label={theme.value === 'dark' ? 'Light' : 'Dark'}
      title="Light or dark (d)"
      onClick={turnTheme}
    >
      <Icon name={theme.value === 'dark' ? 'sun' : 'moon'} />
    </button>
    <button
      type="button"
      class="plain"
      aria-label="Keyboard and help"
      title="Keyboard and help (?)"
      onClick={() => {
        isHelpShown.value = true;
      }}
    >
      ?
    </button>
  </header>
);

/** Runs offered for a choice in the bar; all are in the table. */
const MOST = 50;

const RunChoice = () => {
  const runs = session.value?.runs ?? [];
  const { processes = [] } = session.value ?? {};
  const chosen = storedRun.value ?? filter.value.run;
  const someOf = (source: SessionRun['source']): readonly SessionRun[] =>
    runs.filter((each) => each.source === source).filter(({ run }, index) => index < MOST || run === chosen);
  const live = someOf('live').filter(({ process }) => process === undefined);
  const groups = processes
    .map((process) => ({ process, of: someOf('live').filter((each) => each.process?.id === process.id) }))
    .filter(({ of }) => of.length > 0);
  const stored = someOf('stored');
  const files = [...openedFiles.value.values()].map(({ row }) => row);
  const value =
    shownFile.value !== undefined
      ? `file ${shownFile.value}`
      : storedRun.value === undefined
        ? `${shownProcess.value ?? 'live'} ${filter.value.run ?? ''}`
        : `stored ${storedRun.value}`;
  return (
    <select
      class="runs"
      aria-label="Run"
      value={value}
      disabled={isExported.value}
      onChange={({ currentTarget }) => {
        const [source = '', ...rest] = currentTarget.value.split(' ');
        const run = rest.join(' ');
        if (source === 'file') {
          filter.value = { ...filter.value, run: undefined };
          showFile(run);
        } else if (source === 'stored') {
          filter.value = { ...filter.value, run: undefined };
          follow(run);
        } else {
          const process = source === 'live' ? undefined : source;
          if (storedRun.value !== undefined || shownProcess.value !== process) follow(undefined, process);
          chooseRun(run === '' ? undefined : run);
        }
      }}
    >
      {!isExported.value && <option value="live ">All live runs</option>}
      {live.length > 0 && (
        <optgroup label="Live">
          {live.map((each) => (
            <option key={each.run} value={`live ${each.run}`}>
              {runName(each)}
            </option>
          ))}
        </optgroup>
      )}
      {groups.map(({ process, of }) => (
        <optgroup key={process.id} label={`${processName(process)}${process.isOver ? ' (ended)' : ''}`}>
          <option value={`${process.id} `}>All its runs</option>
          {of.map((each) => (
            <option key={each.run} value={`${process.id} ${each.run}`}>
              {runName(each)}
            </option>
          ))}
        </optgroup>
      ))}
      {files.length > 0 && (
        <optgroup label="Files">
          {files.map((each) => (
            <option key={each.run} value={`file ${each.run}`}>
              {runName(each)}
            </option>
          ))}
        </optgroup>
      )}
      {stored.length > 0 && (
        <optgroup label="Stored">
          {stored.map((each) => (
            <option key={each.run} value={`stored ${each.run}`}>
              {runName(each)}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
};

const NoticesButton = () =>
  notices.value === undefined ? null : (
    <button
      type="button"
      class="plain"
      aria-label="Notify me of what waits"
      aria-pressed={notices.value === 'on'}
      title={
        notices.value === 'on'
          ? 'You are notified of runs that wait for you'
          : 'Notify me of runs that wait for me'
      }
      onClick={() => void turnNotices()}
    >
      <Icon name={notices.value === 'on' ? 'bell' : 'no-bell'} />
    </button>
  );

const said = {
  connecting: 'connecting',
  open: 'connected',
  lost: 'connection lost: trying again',
  refused: 'access denied',
} as const;

const ConnectionDot = () => (
  <span class={`connection ${connection.value}`} role="status">
    <span class="dot" />
    <span class="word">{connection.value === 'open' ? '' : said[connection.value]}</span>
    <span class="unseen">{said[connection.value]}</span>
  </span>
);
