import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { oneLine } from '../../drawing/plain-text.ts';
import { ZoomButtons } from '../canvas/zoom-buttons.tsx';
import { several, spanOf } from '../figures.ts';
import type { Span } from '../folds/work-spans.ts';
import { VirtualList } from '../list/virtual-list.tsx';
import { changes, filter, recorded, selected, shown } from '../page-state.ts';
import { countBelow } from '../timeline.ts';
import { goToSpan } from './go-to.ts';
import type { Extent } from './lanes.ts';
import { lanesOf, shiftTime, wholeTime, zoomTime } from './lanes.ts';
import { TimeLanes } from './time-lanes.tsx';

const ROW = 24;
/** The part of the time that is shown; undefined: all of it. */
const zoomed = signal<Extent | undefined>(undefined);
/** True if only the work of the selected agent is listed. */
const isOfSelected = signal(false);

const words = { model: 'model', tool: 'tool', wait: 'wait', person: 'person', agent: 'agent', team: 'team' };

/** The work of a run over its time: a lane for each agent, and all of it in a list. */
export const TimeView = () => {
  const { timeline, folds } = recorded.value;
  const { length, isLive } = shown.value;
  const { run, collapsed } = filter.value;
  void changes.value;
  const { work } = folds;
  const lanes = useMemo(() => lanesOf(work, run, collapsed), [work, work.changes, run, collapsed]);
  const now = timeline.entry(timeline.length - 1)?.at ?? 0;
  const whole = wholeTime(lanes, now);
  const extent = zoomed.value === undefined ? whole : shiftTime(clipTime(zoomed.value, whole), 0, whole);
  const here = isLive ? now : (timeline.entry(length - 1)?.at ?? whole.from);
  const chosenActor = selected.value;
  const only = isOfSelected.value ? chosenActor : undefined;
  const spans = useMemo(
    () =>
      work.all.filter(
        (span) =>
          (run === undefined || span.run === run) &&
          (only === undefined || span.actor === only) &&
          span.from <= extent.to &&
          (span.to ?? now) >= extent.from,
      ),
    [work, work.changes, run, only, extent.from, extent.to],
  );
  const at = countBelow(
    spans.map(({ n }) => n),
    length,
  );
  const zoom = (factor: number, around = (extent.from + extent.to) / 2): void => {
    const next = zoomTime(extent, factor, around, whole);
    zoomed.value = next.from <= whole.from && next.to >= whole.to ? undefined : next;
  };
  const closer = (): void => {
    zoom(0.7);
  };
  const further = (): void => {
    zoom(1 / 0.7);
  };
  const fit = (): void => {
    zoomed.value = undefined;
  };
  const shift = (part: number): void => {
    if (zoomed.value !== undefined) zoomed.value = shiftTime(extent, part * (extent.to - extent.from), whole);
  };
  if (lanes.length === 0) return <p class="empty">No work yet.</p>;
  return (
    <div
      class="times-view"
      onKeyDown={(event) => {
        const moves: Readonly<Record<string, () => void>> = {
          '+': closer,
          '-': further,
          '0': fit,
          PageUp: () => {
            shift(-0.25);
          },
          PageDown: () => {
            shift(0.25);
          },
        };
        const move = moves[event.key];
        if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        move();
      }}
    >
      <div class="strip">
        <ul class="legend">
          {(['model', 'tool', 'wait', 'person'] as const).map((kind) => (
            <li key={kind}>
              <span class={`swatch ${kind}`} /> {words[kind]}
            </li>
          ))}
        </ul>
        <ZoomButtons class="joined" closer={closer} further={further} fit={fit} />
      </div>
      <TimeLanes
        lanes={lanes}
        extent={extent}
        whole={whole}
        now={now}
        here={here}
        chosen={spans[at - 1]?.n}
        onZoom={zoom}
        onShift={shift}
      />
      <div class="strip">
        <label>
          <input
            type="checkbox"
            checked={isOfSelected.value}
            onChange={({ currentTarget }) => {
              isOfSelected.value = currentTarget.checked;
            }}
          />{' '}
          only the selected agent
        </label>
        <span class="count">{several(spans.length, 'piece')} of work</span>
      </div>
      <VirtualList
        count={spans.length}
        rowHeight={ROW}
        role="listbox"
        label="Work in the time shown"
        inSight={at - 1}
        activeId={at === 0 ? undefined : `span-${at - 1}`}
        onKeyDown={(event) => {
          const steps: Readonly<Record<string, number>> = {
            ArrowDown: at,
            ArrowUp: at - 2,
            Home: 0,
            End: spans.length - 1,
          };
          const next = steps[event.key];
          const span = next === undefined ? undefined : spans[Math.max(0, Math.min(spans.length - 1, next))];
          if (next === undefined) return;
          event.preventDefault();
          if (span !== undefined) goToSpan(span);
        }}
        render={(index) => {
          const span = spans[index];
          return (
            span && (
              <Row
                key={span.n}
                span={span}
                index={index}
                count={spans.length}
                start={whole.from}
                now={now}
                isChosen={index === at - 1}
                isLater={index >= at}
              />
            )
          );
        }}
      />
    </div>
  );
};

/** A part of another run's time may lie outside. */
const clipTime = ({ from, to }: Extent, whole: Extent): Extent =>
  to <= whole.from || from >= whole.to ? whole : { from, to: Math.min(to, from + whole.to - whole.from) };

interface RowProps {
  readonly span: Span;
  readonly index: number;
  readonly count: number;
  readonly start: number;
  readonly now: number;
  readonly isChosen: boolean;
  readonly isLater: boolean;
}

const Row = ({ span, index, count, start, now, isChosen, isLater }: RowProps) => {
  const { kind, name, actor, from, to, hasFailed } = span;
  const took = `${to === undefined ? 'so far ' : ''}${spanOf((to ?? now) - from)}`;
  return (
    <div
      id={`span-${index}`}
      class={`piece ${isChosen ? 'chosen' : ''} ${isLater ? 'later' : ''}`}
      role="option"
      aria-selected={isChosen}
      aria-posinset={index + 1}
      aria-setsize={count}
      style={{ height: `${ROW}px` }}
      onClick={() => {
        goToSpan(span);
      }}
    >
      <span class="when">+{from === start ? '0' : spanOf(from - start)}</span>
      <span class={`swatch ${kind}`} />
      <span class="kind">{words[kind]}</span>
      <bdi class="what">{oneLine(name, 60)}</bdi>
      {hasFailed && <span class="tone">failed</span>}
      <bdi class="who">{oneLine(actor.slice(actor.lastIndexOf('/') + 1), 40)}</bdi>
      <span class="took">{took}</span>
    </div>
  );
};
