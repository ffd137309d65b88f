import { useState } from 'preact/hooks';
import type { Breakpoint } from '../../recording/breakpoint.ts';
import type { StateShape } from '../../recording/entry.ts';
import { command, holdNoRunAt } from '../control.ts';
import { countOf, moneyOf } from '../figures.ts';
import { currentRun, selectedView, session, shown, stops, storedRun } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import { isControlled } from './controls.tsx';
import { Icon } from './icon.tsx';

const kinds = {
  state: { name: 'State', hint: 'agent.running.ACT', says: 'when a state is entered' },
  event: { name: 'Event', hint: 'tool.finished', says: 'when an event happens' },
  guard: { name: 'Guard', hint: 'isTroubled', says: 'when an arrow with this guard is taken' },
  arrow: { name: 'Arrow', hint: 'agent.running.REDUCE: always #1', says: 'when an arrow is taken' },
  actor: { name: 'Actor', hint: 'researcher', says: 'when an actor starts' },
  cost: { name: 'Cost', hint: '0.25', says: 'once this many US dollars are spent' },
  tokens: { name: 'Tokens', hint: '10000', says: 'once this many tokens are used' },
} as const;

type Kind = Breakpoint['kind'];
const order: readonly Kind[] = ['state', 'event', 'guard', 'arrow', 'actor', 'cost', 'tokens'];

/** Parses the form of a new breakpoint; undefined if it is invalid. */
const breakpointOf = (kind: Kind, text: string): Breakpoint | undefined => {
  const value = text.trim();
  if (kind !== 'cost' && kind !== 'tokens') return value === '' ? undefined : { kind, value };
  return Number(value) > 0 ? { kind, value: Number(value) } : undefined;
};

const valueOf = ({ kind, value }: Breakpoint): string => {
  if (typeof value === 'string') return oneLine(value, 80);
  return kind === 'cost' ? moneyOf(value) : countOf(value);
};

/** The breakpoints of the run. */
export const BreakpointsView = () => {
  if (storedRun.value !== undefined) return <PlaybackStops />;
  if (!isControlled())
    return <p class="empty">Breakpoints work on live runs, if the inspector was opened with control.</p>;
  // The server is authoritative: it lists breakpoints set by any page.
  const own = currentRun.value?.breakpoints ?? [];
  const ofAll = session.value?.breakpoints ?? [];
  return (
    <div class="breakpoints scroll" tabIndex={0}>
      <NewBreakpoint
        onAdd={(breakpoint) => {
          void command({ do: 'break-add', breakpoint });
        }}
      />
      {own.length === 0 && ofAll.length === 0 ? (
        <p class="empty">No breakpoints.</p>
      ) : (
        <ul>
          {own.map((each) => (
            <BreakpointLine
              key={keyOf(each)}
              breakpoint={each}
              onRemove={() => {
                void command({ do: 'break-remove', breakpoint: each });
              }}
            />
          ))}
          {ofAll.map((each) => (
            <BreakpointLine
              key={`all ${keyOf(each)}`}
              breakpoint={each}
              isOfAll
              onRemove={() => {
                void holdNoRunAt(each);
              }}
            />
          ))}
        </ul>
      )}
    </div>
  );
};

/** Breakpoints of a run that is over, at which playback stops. */
const PlaybackStops = () => (
  <div class="breakpoints scroll" tabIndex={0}>
    <NewBreakpoint
      onAdd={(breakpoint) => {
        stops.value = [...stops.value, breakpoint];
      }}
    />
    {stops.value.length === 0 ? (
      <p class="empty">No breakpoints: playback stops at the end.</p>
    ) : (
      <ul>
        {stops.value.map((each) => (
          <BreakpointLine
            key={keyOf(each)}
            breakpoint={each}
            onRemove={() => {
              stops.value = stops.value.filter((other) => other !== each);
            }}
          />
        ))}
      </ul>
    )}
  </div>
);

const keyOf = (breakpoint: Breakpoint): string =>
  `${breakpoint.kind} ${breakpoint.value} ${'actor' in breakpoint ? (breakpoint.actor ?? '') : ''}`;

interface LineProps {
  readonly breakpoint: Breakpoint;
  readonly isOfAll?: boolean;
  readonly onRemove: () => void;
}

const BreakpointLine = ({ breakpoint, isOfAll = false, onRemove }: LineProps) => (
  <li>
    <span class="kind">{kinds[breakpoint.kind].name}</span>
    <bdi class="value">
      {valueOf(breakpoint)}
      {'actor' in breakpoint && breakpoint.actor !== undefined && ` of ${oneLine(breakpoint.actor, 60)}`}
      {isOfAll && ' · all runs'}
    </bdi>
    <button type="button" class="plain" aria-label="Take away" onClick={onRemove}>
      <Icon name="close" size={12} />
    </button>
  </li>
);

const NewBreakpoint = ({ onAdd }: { readonly onAdd: (added: Breakpoint) => void }) => {
  const [kind, setKind] = useState<Kind>('state');
  const [value, setValue] = useState('');
  const chart = shown.value.tableau.charts.get(selectedView.value?.chart ?? '');
  const known = chart === undefined ? [] : choices(chart, kind);
  const added = breakpointOf(kind, value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (added === undefined) return;
        onAdd(added);
        setValue('');
      }}
    >
      <p class="hint">Pause the run {kinds[kind].says}.</p>
      <div class="row">
        <select
          aria-label="Kind"
          value={kind}
          onChange={({ currentTarget }) => {
            setKind(order.find((each) => each === currentTarget.value) ?? 'state');
          }}
        >
          {order.map((each) => (
            <option key={each} value={each}>
              {kinds[each].name}
            </option>
          ))}
        </select>
        <input
          aria-label={kinds[kind].name}
          list="known"
          autocomplete="off"
          placeholder={kinds[kind].hint}
          value={value}
          onInput={({ currentTarget }) => {
            setValue(currentTarget.value);
          }}
        />
        <button type="submit" class="primary" disabled={added === undefined}>
          Add
        </button>
      </div>
      <datalist id="known">
        {known.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </form>
  );
};

/** Returns the places in a chart at which a run can be paused. */
const choices = (chart: StateShape, kind: Kind): readonly string[] => {
  const found = new Set<string>();
  const look = (state: StateShape): void => {
    if (kind === 'state') found.add(state.id);
    for (const { id, event, guard } of state.arrows) {
      if (kind === 'arrow') found.add(id);
      if (kind === 'event' && event !== '') found.add(event);
      if (kind === 'guard' && guard !== undefined) found.add(guard);
    }
    state.states.forEach(look);
  };
  look(chart);
  return [...found];
};
