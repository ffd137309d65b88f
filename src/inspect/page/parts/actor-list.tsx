import { useMemo } from 'preact/hooks';
import type { ActorView } from '../../recording/tableau.ts';
import type { ActorRow, Gauge } from '../actor-tree.ts';
import {
  actorRows,
  budgetsOf,
  isEffect,
  mailboxOf,
  nameOf,
  openBelow,
  stateNames,
  taskOf,
  waitWords,
} from '../actor-tree.ts';
import { countOf, several } from '../figures.ts';
import { filter, select, selected, shown } from '../page-state.ts';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import { Icon } from './icon.tsx';
import { VirtualList } from '../list/virtual-list.tsx';

const ROW = 40;

/** The tree of actors. */
export const ActorList = () => {
  const current = shown.value;
  const wanted = filter.value;
  const rows = useMemo(() => actorRows(current.tableau, wanted), [current, wanted]);
  const open = useMemo(() => openBelow(current.tableau), [current]);
  const chosen = rows.findIndex(({ view }) => view.actor === selected.value);
  const choose = (index: number): void => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (row !== undefined) select(row.view.actor);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[chosen];
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => {
        choose(chosen + 1);
      },
      ArrowUp: () => {
        choose(chosen - 1);
      },
      Home: () => {
        choose(0);
      },
      End: () => {
        choose(rows.length - 1);
      },
      ArrowRight: () => {
        if (row !== undefined && row.below > 0 && !row.isOpen) toggle(row.view.actor);
        else choose(chosen + 1);
      },
      ArrowLeft: () => {
        if (row?.isOpen) toggle(row.view.actor);
        else if (row?.view.parent !== undefined) select(row.view.parent);
      },
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  return (
    <section class="pane actors" aria-label="Actors">
      <Filters shownCount={rows.length} />
      {rows.length === 0 ? (
        <p class="empty">{current.tableau.actors.size === 0 ? 'No actors yet.' : 'Nobody fits.'}</p>
      ) : (
        <VirtualList
          count={rows.length}
          rowHeight={ROW}
          role="tree"
          label="Actors"
          inSight={chosen}
          activeId={chosen < 0 ? undefined : `actor-${chosen}`}
          onKeyDown={onKeyDown}
          render={(index) => {
            const row = rows[index];
            return (
              row && (
                <ActorLine
                  key={row.view.actor}
                  row={row}
                  index={index}
                  waits={waitWords(row.view, open.get(row.view.actor))}
                />
              )
            );
          }}
        />
      )}
    </section>
  );
};

const toggle = (actor: string): void => {
  const collapsed = new Set(filter.value.collapsed);
  if (!collapsed.delete(actor)) collapsed.add(actor);
  filter.value = { ...filter.value, collapsed };
};

interface LineProps {
  readonly row: ActorRow;
  readonly index: number;
  /** For whom it waits, in words. */
  readonly waits: string | undefined;
}

const ActorLine = ({ row, index, waits }: LineProps) => {
  const { view, depth, below, isOpen } = row;
  const isSelected = selected.value === view.actor;
  const [tightest] = budgetsOf(view);
  const mail = mailboxOf(view) ?? 0;
  const task = taskOf(view);
  return (
    <div
      id={`actor-${index}`}
      class={`actor ${view.status} ${isEffect(view) ? 'effect' : ''} ${isSelected ? 'selected' : ''}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={below > 0 ? isOpen : undefined}
      data-actor={view.actor}
      style={{ paddingLeft: `${8 + Math.min(depth, 8) * 14}px`, height: `${ROW}px` }}
      onClick={() => {
        select(view.actor);
      }}
    >
      <button
        type="button"
        tabIndex={-1}
        class={`twist ${isOpen ? 'open' : ''} ${below > 0 ? '' : 'none'}`}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          toggle(view.actor);
        }}
      >
        <Icon name="chevron" size={12} />
      </button>
      <span class={`role ${view.role}`} title={view.role}>
        <Icon name={view.role} />
        <span class="unseen">{`${view.role} `}</span>
      </span>
      <span class="who">
        <bdi class="name" title={plain(view.actor)}>
          {oneLine(nameOf(view), 60)}
        </bdi>
        <span class="state">
          {waits === undefined ? stateOf(view) : <bdi class="waits">{waits}</bdi>}
          {task !== undefined && (
            <bdi class="task" title={task}>
              {task}
            </bdi>
          )}
        </span>
      </span>
      <span class="gauges">
        {mail > 0 && (
          <span class="mail" title={several(mail, 'message waits', 'messages wait')}>
            <Icon name="mail" size={12} /> {countOf(mail)}
          </span>
        )}
        {tightest !== undefined && <GaugeBar gauge={tightest} />}
      </span>
      <span class={`dot ${view.status}`} title={view.status}>
        <span class="unseen">{` ${view.status}`}</span>
      </span>
    </div>
  );
};

/** Returns an actor's state, with its status unless that is a normal end. */
const stateOf = (view: ActorView): string => {
  const states = stateNames(view);
  if (view.status === 'active') return states;
  return view.status === 'done' && states !== ''
    ? states
    : [...new Set([states, view.status])].filter((each) => each !== '').join(' · ');
};

export const GaugeBar = ({ gauge }: { readonly gauge: Gauge }) => {
  const part = Math.min(1, gauge.fraction);
  const tone = part >= 1 ? 'full' : part >= 0.8 ? 'near' : '';
  const said = `${gauge.name}: ${countOf(gauge.used)} of ${countOf(gauge.limit)}`;
  return (
    <span
      class={`gauge ${tone}`}
      role="meter"
      aria-label={gauge.name}
      aria-valuemin={0}
      aria-valuemax={gauge.limit}
      aria-valuenow={gauge.used}
      title={said}
    >
      <span style={{ width: `${part * 100}%` }} />
    </span>
  );
};

const effectChoices = [
  ['open', 'Calls in progress'],
  ['all', 'All calls'],
  ['none', 'No calls'],
] as const;

const Filters = ({ shownCount }: { readonly shownCount: number }) => {
  const { text, withEffects, onlyActive } = filter.value;
  return (
    <div class="filters">
      <label class="search">
        <Icon name="search" size={14} />
        <input
          id="search"
          type="search"
          placeholder="Find an actor or a state"
          aria-label="Find an actor or a state"
          value={text}
          onInput={({ currentTarget }) => {
            filter.value = { ...filter.value, text: currentTarget.value };
          }}
        />
      </label>
      <div class="chips">
        <label class="chip">
          <input
            type="checkbox"
            checked={onlyActive}
            onChange={({ currentTarget }) => {
              filter.value = { ...filter.value, onlyActive: currentTarget.checked };
            }}
          />
          Active
        </label>
        <select
          class="chip"
          aria-label="Which calls are shown"
          value={withEffects}
          onChange={({ currentTarget }) => {
            const choice = effectChoices.find(([value]) => value === currentTarget.value);
            if (choice !== undefined) filter.value = { ...filter.value, withEffects: choice[0] };
          }}
        >
          {effectChoices.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <span class="count">{countOf(shownCount)}</span>
      </div>
    </div>
  );
};
