import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { StateShape } from '../../recording/entry.ts';
import type { Breakpoint } from '../control.ts';
import { command } from '../control.ts';
import { moneyOf } from '../figures.ts';
import { selectedView, shown } from '../page-state.ts';
import { oneLine } from '../plain-text.ts';
import { isControlled } from './controls.tsx';
import { Icon } from './icon.tsx';

const breakpoints = signal<readonly Breakpoint[]>([]);

const kinds = {
  state: { name: 'State', hint: 'agent.running.ACT', says: 'is entered' },
  event: { name: 'Event', hint: 'tool.finished', says: 'happens' },
  guard: { name: 'Guard', hint: 'isTroubled', says: 'lets an arrow be taken' },
  cost: { name: 'Cost', hint: '0.25', says: 'is spent' },
} as const;

/** Where the run is to be held. */
export const BreakpointsView = () => {
  if (!isControlled())
    return (
      <p class="empty">
        A run is held at breakpoints only while it is live, and where its inspector was opened with control.
      </p>
    );
  const set = (next: readonly Breakpoint[]): void => {
    void command({ do: 'break', breakpoints: next }).then((isSet) => {
      if (isSet) breakpoints.value = next;
    });
  };
  return (
    <div class="breakpoints scroll" tabIndex={0}>
      <NewBreakpoint
        onAdd={(added) => {
          set([...breakpoints.value, added]);
        }}
      />
      {breakpoints.value.length === 0 ? (
        <p class="empty">The run is held nowhere.</p>
      ) : (
        <ul>
          {breakpoints.value.map((each, index) => (
            <li key={`${each.kind} ${each.value}`}>
              <span class="kind">{kinds[each.kind].name}</span>
              <bdi class="value">
                {typeof each.value === 'number' ? moneyOf(each.value) : oneLine(each.value, 80)}
              </bdi>
              <button
                type="button"
                class="plain"
                aria-label="Take away"
                onClick={() => {
                  set(breakpoints.value.filter((_, place) => place !== index));
                }}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const NewBreakpoint = ({ onAdd }: { readonly onAdd: (added: Breakpoint) => void }) => {
  const [kind, setKind] = useState<Breakpoint['kind']>('state');
  const [value, setValue] = useState('');
  const chart = shown.value.tableau.charts.get(selectedView.value?.chart ?? '');
  const known = chart === undefined ? [] : choices(chart, kind);
  const isFit = kind === 'cost' ? Number(value) > 0 : value.trim() !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isFit) return;
        onAdd({ kind, value: kind === 'cost' ? Number(value) : value.trim() });
        setValue('');
      }}
    >
      <div class="segments" role="group" aria-label="Kind">
        {(['state', 'event', 'guard', 'cost'] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={kind === each}
            onClick={() => {
              setKind(each);
            }}
          >
            {kinds[each].name}
          </button>
        ))}
      </div>
      <p class="hint">
        Hold the run when this {kinds[kind].name.toLowerCase()} {kinds[kind].says}
        {kind === 'cost' ? ', in US dollars' : ''}.
      </p>
      <div class="row">
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
        <button type="submit" class="primary" disabled={!isFit}>
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

/** What of a chart a run can be held at. */
const choices = (chart: StateShape, kind: Breakpoint['kind']): readonly string[] => {
  const found = new Set<string>();
  const look = (state: StateShape): void => {
    if (kind === 'state') found.add(state.id);
    for (const { event, guard } of state.arrows) {
      if (kind === 'event' && event !== '') found.add(event);
      if (kind === 'guard' && guard !== undefined) found.add(guard);
    }
    state.states.forEach(look);
  };
  look(chart);
  return [...found];
};
