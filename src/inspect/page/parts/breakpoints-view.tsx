import { useState } from 'preact/hooks';
import type { Breakpoint } from '../../recording/breakpoint.ts';
import { isEffect } from '../actor-tree.ts';
import { placesIn } from '../chart/chart-places.ts';
import { countOf, moneyOf } from '../figures.ts';
import type { SetBreakpoint } from '../held-places.ts';
import { actorOf, addBreakpoint, canHold, keyOf, removeBreakpoint, setBreakpoints } from '../held-places.ts';
import { currentRun, selectedView, shown, storedRun } from '../page-state.ts';
import { oneLine } from '../../drawing/plain-text.ts';
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

/** Those that can be of one actor only. */
const isOfActors = (kind: Kind): kind is 'state' | 'event' | 'guard' | 'arrow' =>
  ['state', 'event', 'guard', 'arrow'].includes(kind);

/** Parses the form of a new breakpoint; undefined if it is invalid. */
const breakpointOf = (kind: Kind, text: string, only: string): Breakpoint | undefined => {
  const value = text.trim();
  if (kind === 'cost' || kind === 'tokens')
    return Number(value) > 0 ? { kind, value: Number(value) } : undefined;
  if (value === '') return undefined;
  const actor = isOfActors(kind) ? only.trim() : '';
  return { kind, value, ...(actor === '' ? {} : { actor }) };
};

const valueOf = ({ kind, value }: Breakpoint): string => {
  if (typeof value === 'string') return oneLine(value, 80);
  return kind === 'cost' ? moneyOf(value) : countOf(value);
};

/** The breakpoints of the run; of one that is over, those at which playback stops. */
export const BreakpointsView = () => {
  if (!canHold())
    return <p class="empty">Breakpoints work on live runs, if the inspector was opened with control.</p>;
  const set = setBreakpoints.value;
  return (
    <div class="breakpoints scroll" tabIndex={0}>
      <NewBreakpoint onAdd={addBreakpoint} />
      {set.length === 0 ? (
        <p class="empty">
          {storedRun.value === undefined ? 'No breakpoints.' : 'No breakpoints: playback stops at the end.'}
          <br />A click on a state or an arrow of the chart sets one, too.
        </p>
      ) : (
        <ul>
          {set.map((each) => (
            <BreakpointLine
              key={keyOf(each)}
              {...each}
              onRemove={() => {
                removeBreakpoint(each);
              }}
            />
          ))}
        </ul>
      )}
    </div>
  );
};

interface LineProps extends SetBreakpoint {
  readonly onRemove: () => void;
}

const BreakpointLine = ({ breakpoint, isOfAll, onRemove }: LineProps) => (
  <li>
    <span class="kind">{kinds[breakpoint.kind].name}</span>
    <bdi class="value">
      {valueOf(breakpoint)}
      {actorOf(breakpoint) !== undefined && ` of ${oneLine(actorOf(breakpoint) ?? '', 60)}`}
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
  const [only, setOnly] = useState('');
  const chart = shown.value.tableau.charts.get(selectedView.value?.chart ?? '');
  const known = chart === undefined || !isOfActors(kind) ? [] : placesIn(chart, kind);
  const added = breakpointOf(kind, value, only);
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
      {isOfActors(kind) && (
        <label class="row only">
          <span>Only of</span>
          <input
            aria-label="Only of"
            list="actors"
            autocomplete="off"
            placeholder="any actor"
            value={only}
            onInput={({ currentTarget }) => {
              setOnly(currentTarget.value);
            }}
          />
        </label>
      )}
      <datalist id="actors">
        {actorsToHold().map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <datalist id="known">
        {known.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </form>
  );
};

const MOST_ACTORS = 200;

/** The addresses of agents and teams in the run. */
const actorsToHold = (): readonly string[] => {
  const run = currentRun.value?.run;
  return [...shown.value.tableau.actors.values()]
    .filter((each) => !isEffect(each) && (run === undefined || each.run === run))
    .slice(0, MOST_ACTORS)
    .map(({ actor, run: of }) => actor.slice(of.length + 1));
};
