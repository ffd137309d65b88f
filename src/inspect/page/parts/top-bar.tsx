import { follow } from '../feed.ts';
import {
  askedHere,
  chooseRun,
  connection,
  currentRun,
  embedded,
  filter,
  isHelpShown,
  place,
  session,
  shown,
  storedRun,
} from '../page-state.ts';
import { waitsForPerson } from '../actor-tree.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import type { SessionRun } from '../session.ts';
import { runName } from '../session.ts';
import { theme, turnTheme } from '../theme.ts';
import { Controls } from './controls.tsx';
import { Icon } from './icon.tsx';

/** The header: the current run, its status and its controls. */
export const TopBar = () => (
  <header class="top">
    <h1>troupe</h1>
    <RunChoice />
    <RunStatus />
    <span class="space" />
    <Controls />
    <ConnectionDot />
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

const RunChoice = () => {
  const runs = session.value?.runs ?? [];
  const live = runs.filter(({ source }) => source === 'live');
  const stored = runs.filter(({ source }) => source === 'stored');
  const value =
    storedRun.value === undefined ? `live ${filter.value.run ?? ''}` : `stored ${storedRun.value}`;
  return (
    <select
      class="runs"
      aria-label="Run"
      value={value}
      disabled={embedded.value !== undefined}
      onChange={({ currentTarget }) => {
        const [source = '', ...rest] = currentTarget.value.split(' ');
        const run = rest.join(' ');
        if (source === 'stored') {
          filter.value = { ...filter.value, run: undefined };
          follow(run);
        } else {
          if (storedRun.value !== undefined) follow();
          chooseRun(run === '' ? undefined : run);
        }
      }}
    >
      {embedded.value === undefined && <option value="live ">All live runs</option>}
      {live.length > 0 && (
        <optgroup label="Live">
          {live.map((each) => (
            <option key={each.run} value={`live ${each.run}`}>
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

/** Statuses that are highlighted. */
const tones = ['completed', 'failed', 'paused', 'waiting', 'stopped', 'aborted'];

/** Returns a run's status: a running one may wait for a person. */
const statusOf = ({ run, status, isLive }: SessionRun): string => {
  const said = status ?? (isLive ? 'running' : 'over');
  if (said !== 'running' || place.value !== undefined || askedHere.value.here.length === 0) return said;
  return waitsForPerson(shown.value.tableau, run) ? 'waiting for a person' : said;
};

const RunStatus = () => {
  const run = currentRun.value;
  if (run === undefined) return null;
  const status = statusOf(run);
  const tone = tones.find((each) => status.startsWith(each)) ?? '';
  return <span class={`pill ${run.isLive ? 'live' : 'over'} ${tone}`}>{oneLine(status, 24)}</span>;
};

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
