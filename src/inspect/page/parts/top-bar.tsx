import { follow } from '../feed.ts';
import { chooseRun, connection, embedded, filter, isHelpShown, session, storedRun } from '../page-state.ts';
import { runName } from '../session.ts';
import { theme, turnTheme } from '../theme.ts';
import { Controls } from './controls.tsx';
import { Icon } from './icon.tsx';

/** The header: the current run, its status and its controls. */
export const TopBar = () => (
  <header class="top">
    <h1>troupe</h1>
    <RunChoice />
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
