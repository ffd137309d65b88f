import { follow } from '../feed.ts';
import { connection, currentRun, filter, isHelpShown, session, storedRun } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import type { SessionRun } from '../session.ts';
import { theme, turnTheme } from '../theme.ts';
import { Controls } from './controls.tsx';
import { Icon } from './icon.tsx';

/** What is looked at, how it stands, and what can be done about it. */
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

const nameOf = ({ title, agent, run }: SessionRun): string =>
  oneLine(title === undefined || title === '' ? `${agent} · ${run}` : `${agent} · ${title}`, 70);

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
      onChange={({ currentTarget }) => {
        const [source = '', ...rest] = currentTarget.value.split(' ');
        const run = rest.join(' ');
        if (source === 'stored') {
          filter.value = { ...filter.value, run: undefined };
          follow(run);
        } else {
          if (storedRun.value !== undefined) follow();
          filter.value = { ...filter.value, run: run === '' ? undefined : run };
        }
      }}
    >
      <option value="live ">All live runs</option>
      {live.length > 0 && (
        <optgroup label="Live">
          {live.map((each) => (
            <option key={each.run} value={`live ${each.run}`}>
              {nameOf(each)}
            </option>
          ))}
        </optgroup>
      )}
      {stored.length > 0 && (
        <optgroup label="Stored">
          {stored.map((each) => (
            <option key={each.run} value={`stored ${each.run}`}>
              {nameOf(each)}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
};

/** How a run may stand that is to be seen at once. */
const tones = ['completed', 'failed', 'paused', 'waiting', 'stopped', 'aborted'];

const RunStatus = () => {
  const run = currentRun.value;
  if (run === undefined) return null;
  const status = run.status ?? (run.isLive ? 'running' : 'over');
  const tone = tones.find((each) => each === status) ?? '';
  return <span class={`pill ${run.isLive ? 'live' : 'over'} ${tone}`}>{oneLine(status, 24)}</span>;
};

const said = {
  connecting: 'connecting',
  open: 'connected',
  lost: 'connection lost: trying again',
  refused: 'not allowed in',
} as const;

const ConnectionDot = () => (
  <span class={`connection ${connection.value}`} role="status">
    <span class="dot" />
    <span class="word">{connection.value === 'open' ? '' : said[connection.value]}</span>
    <span class="unseen">{said[connection.value]}</span>
  </span>
);
