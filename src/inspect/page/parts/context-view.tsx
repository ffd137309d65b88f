import { useMemo, useState } from 'preact/hooks';
import { budgetsOf, mailboxOf } from '../actor-tree.ts';
import { clockOf, countOf, several } from '../figures.ts';
import type { JsonRow } from '../json-changes.ts';
import { jsonRows } from '../json-changes.ts';
import { recorded, selectedView, shown } from '../page-state.ts';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import { valueText } from '../transcript.ts';
import { StateBar } from '../change/state-bar.tsx';
import { GaugeBar } from './actor-list.tsx';
import { Icon } from './icon.tsx';
import { Text } from './text.tsx';
import { VirtualList } from '../list/virtual-list.tsx';

const ROW = 24;

/** The context of the selected actor, with recent changes highlighted. */
export const ContextView = () => {
  const view = selectedView.value;
  const { length } = shown.value;
  const { timeline } = recorded.value;
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const change = view === undefined ? undefined : timeline.lastChange(view.actor, length);
  const changed = Object.keys(change?.patch ?? {});
  const rows = useMemo(() => {
    if (view === undefined) return [];
    const whole = view.output === undefined ? view.context : { ...view.context, output: view.output };
    return jsonRows(
      whole,
      // What changed is open by itself; a click turns that round.
      (path, _, isChanged) => isChanged !== turned.has(path),
      new Set(changed),
      change === undefined ? new Map() : timeline.contextBefore(view.actor, change.n + 1),
    );
  }, [timeline, view?.actor, view?.movedAt, view?.goneAt, length, turned]);
  if (view === undefined) return <p class="empty">Select an actor to see its context.</p>;
  const row = rows.find(({ path }) => path === chosen);
  const choose = ({ path, size }: JsonRow): void => {
    setChosen(path);
    if (size === undefined || size === 0) return;
    const next = new Set(turned);
    if (!next.delete(path)) next.add(path);
    setTurned(next);
  };
  return (
    <div class="context">
      <StateBar />
      <Gauges changed={changed} at={change?.at} />
      {rows.length === 0 ? (
        <p class="empty">It has no context.</p>
      ) : (
        <VirtualList
          count={rows.length}
          rowHeight={ROW}
          role="tree"
          label="Context"
          render={(index) => {
            const each = rows[index];
            return (
              each && <Line key={each.path} row={each} isChosen={each.path === chosen} onChoose={choose} />
            );
          }}
        />
      )}
      {row !== undefined && (
        <div class="whole">
          <header>
            <span class="path">
              <bdi>{brief(row.path, 80)}</bdi>
            </span>
            <button
              type="button"
              class="plain"
              aria-label="Close"
              onClick={() => {
                setChosen(undefined);
              }}
            >
              <Icon name="close" size={12} />
            </button>
          </header>
          <pre class="scroll" tabIndex={0}>
            <Text value={valueText(row.value)} most={1_500} />
          </pre>
        </div>
      )}
    </div>
  );
};

interface GaugesProps {
  /** The parts of the context that changed last. */
  readonly changed: readonly string[];
  readonly at: number | undefined;
}

const Gauges = ({ changed, at }: GaugesProps) => {
  const view = selectedView.value;
  if (view === undefined) return null;
  const gauges = budgetsOf(view);
  const mail = mailboxOf(view);
  if (gauges.length === 0 && mail === undefined && at === undefined) return null;
  return (
    <dl class="limits">
      {gauges.map((gauge) => (
        <div key={gauge.name}>
          <dt>{gauge.name}</dt>
          <dd>
            <GaugeBar gauge={gauge} />
            <span>
              {countOf(gauge.used)} of {countOf(gauge.limit)}
            </span>
          </dd>
        </div>
      ))}
      {mail !== undefined && (
        <div>
          <dt>mailbox</dt>
          <dd>{mail === 0 ? 'empty' : several(mail, 'message')}</dd>
        </div>
      )}
      {at !== undefined && (
        <div>
          <dt>changed last</dt>
          <dd>
            <bdi>{oneLine(changed.join(', '), 80)}</bdi> <span class="when">{clockOf(at)}</span>
          </dd>
        </div>
      )}
    </dl>
  );
};

interface LineProps {
  readonly row: JsonRow;
  readonly isChosen: boolean;
  readonly onChoose: (row: JsonRow) => void;
}

const Line = ({ row, isChosen, onChoose }: LineProps) => {
  const { depth, key, value, size, isOpen, isChanged } = row;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  return (
    <div
      class={`line ${isChanged ? 'changed' : ''} ${isChosen ? 'chosen' : ''}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={size === undefined || size === 0 ? undefined : isOpen}
      style={{ paddingLeft: `${10 + Math.min(depth, 12) * 14}px`, height: `${ROW}px` }}
      onClick={() => {
        onChoose(row);
      }}
    >
      <span class={`twist ${isOpen ? 'open' : ''} ${size === undefined || size === 0 ? 'none' : ''}`}>
        <Icon name="chevron" size={10} />
      </span>
      <bdi class="key">{brief(key, 60)}</bdi>
      <bdi class={`value ${kind}`}>
        {isOpen
          ? `${kind === 'list' ? '[' : '{'}${size ?? 0}${kind === 'list' ? ']' : '}'}`
          : shownValue(value)}
      </bdi>
    </div>
  );
};

const shownValue = (value: unknown): string =>
  typeof value === 'string' ? `“${brief(value, 140)}”` : brief(value, 140);
