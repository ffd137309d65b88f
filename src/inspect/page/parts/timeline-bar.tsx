import { clockOf, countOf } from '../figures.ts';
import { thinMarkers } from '../markers.ts';
import { goLive, goTo, isPlaying, place, recorded, shown, speed, storedRun } from '../page-state.ts';
import { scope } from '../run-scope.ts';
import { goToMarker, hold, play } from '../playback.ts';
import { plain } from '../../drawing/plain-text.ts';
import { ForkButton } from './fork-form.tsx';
import { Icon } from './icon.tsx';

const speeds = [0.25, 1, 4, 16, 64];

/** The timeline: the current position, with controls to move through the past. */
export const TimelineBar = () => {
  const { timeline } = recorded.value;
  const { length } = shown.value;
  const { first, last, at: here, markers, lengthAt, placeOf } = scope.value;
  const all = Math.max(last, first + 1);
  const isLive = place.value === undefined && storedRun.value === undefined;
  const at = timeline.entry(length - 1)?.at;
  const part = (place: number): string => `${(((place - first) / (all - first)) * 100).toFixed(3)}%`;
  return (
    <footer class="timeline" aria-label="Timeline">
      <div class="joined">
        <button
          type="button"
          title="The marker before ([)"
          aria-label="The marker before"
          onClick={() => {
            goToMarker(-1);
          }}
        >
          <Icon name="first" size={14} />
        </button>
        <button
          type="button"
          title="Back (←)"
          aria-label="Back"
          onClick={() => {
            goTo(lengthAt(here - 1));
          }}
        >
          <Icon name="back" size={14} />
        </button>
        <button
          type="button"
          class="play"
          title="Play (space)"
          aria-label={isPlaying.value ? 'Hold' : 'Play'}
          onClick={isPlaying.value ? hold : play}
        >
          <Icon name={isPlaying.value ? 'pause' : 'play'} size={14} />
        </button>
        <button
          type="button"
          title="Forth (→)"
          aria-label="Forth"
          onClick={() => {
            goTo(lengthAt(here + 1));
          }}
        >
          <Icon name="forth" size={14} />
        </button>
      </div>
      <select
        aria-label="Speed"
        value={String(speed.value)}
        onChange={({ currentTarget }) => {
          speed.value = Number(currentTarget.value);
        }}
      >
        {speeds.map((each) => (
          <option key={each} value={String(each)}>
            {each}×
          </option>
        ))}
      </select>
      <div class="track">
        <div class="past" style={{ width: part(here) }} />
        {thinMarkers(markers, timeline.first, Math.max(timeline.length, timeline.first + 1), 240).map(
          ({ n, kind, text }) => (
            <button
              key={`${n} ${kind}`}
              type="button"
              tabIndex={-1}
              class={`marker ${kind}`}
              style={{ left: part(placeOf(n + 1)) }}
              title={plain(text)}
              aria-label={plain(text)}
              onClick={() => {
                goTo(n + 1);
              }}
            />
          ),
        )}
        <input
          type="range"
          id="scrub"
          min={first}
          max={all}
          value={here}
          aria-label="Place in the recording"
          aria-valuetext={`entry ${countOf(here)} of ${countOf(last)}`}
          onInput={({ currentTarget }) => {
            hold();
            goTo(lengthAt(Number(currentTarget.value)));
          }}
        />
      </div>
      <span class="place" title="Entries">
        <b>{countOf(here)}</b> / {countOf(last)}
        <span class="clock">{at === undefined ? '' : clockOf(at)}</span>
      </span>
      <ForkButton />
      {storedRun.value === undefined && (
        <button
          type="button"
          class={`live ${isLive ? 'on' : ''}`}
          aria-pressed={isLive}
          title="Back to live (l)"
          onClick={goLive}
        >
          <span class="dot" /> Live
        </button>
      )}
    </footer>
  );
};
