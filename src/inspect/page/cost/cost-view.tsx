import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { oneLine, plain } from '../../drawing/plain-text.ts';
import { countOf, moneyOf, spanOf } from '../figures.ts';
import { spendingAt } from '../folds/spending.ts';
import type { Part } from '../folds/spending.ts';
import { totalsOf } from '../folds/run-sums.ts';
import { changes, filter, goTo, measure, recorded, select, shown } from '../page-state.ts';
import { hold } from '../playback.ts';
import type { Block, Measure } from './flame.ts';
import { blocksOf, byMost, openingBlock, wayTo } from './flame.ts';

const ROW = 24;
/** The most rows of the table. */
const MOST = 60;

/** The part that is shown as the whole, and the chosen one, by id; undefined: none was chosen yet. */
const root = signal('');
const chosen = signal<string | undefined>(undefined);

const measures: readonly (readonly [measure: Measure, name: string])[] = [
  ['ms', 'Time'],
  ['tokens', 'Tokens'],
  ['costUsd', 'Cost'],
];

const textOf = (part: Part, by: Measure): string => {
  const value = part.spent[by];
  if (by === 'ms') return spanOf(value);
  return by === 'tokens' ? `${countOf(value)} tokens` : moneyOf(value);
};

const shareOf = (part: Part, whole: Part, by: Measure): string =>
  whole.spent[by] === 0 ? '' : `${((100 * part.spent[by]) / whole.spent[by]).toFixed(1)} %`;

/** The time, tokens and money that the run has spent at the place shown, as a flame graph and in a table. */
export const CostView = () => {
  const { timeline, folds } = recorded.value;
  const { length } = shown.value;
  const { run } = filter.value;
  void changes.value;
  const now = timeline.entry(length - 1)?.at ?? 0;
  const all = useMemo(
    () => spendingAt(folds.work, { length, now, run }),
    [folds, folds.work.changes, length, now, run],
  );
  const by = measure.value;
  const way = wayTo(all, root.value);
  const whole = way.at(-1) ?? all;
  const blocks = useMemo(() => blocksOf(whole, by), [whole, by]);
  const focus = blocks.find(({ part }) => part.id === chosen.value) ?? openingBlock(blocks);
  const { unpriced = [] } = totalsOf(folds.sumsAt(length, run));
  const enter = (part: Part): void => {
    root.value = part.id;
    chosen.value = part.id;
  };
  return (
    <div class="spent">
      <div class="strip">
        <div class="segments" role="group" aria-label="Measure">
          {measures.map(([each, name]) => (
            <button
              key={each}
              type="button"
              aria-pressed={by === each}
              onClick={() => {
                measure.value = each;
              }}
            >
              {name}
            </button>
          ))}
        </div>
        <b class="total">{textOf(whole, by)}</b>
      </div>
      {by === 'costUsd' && unpriced.length > 0 && (
        <p class="damaged">
          No price is known for {oneLine(unpriced.join(', '), 200)}: its calls cost nothing here.
        </p>
      )}
      {way.length > 1 && (
        <nav class="way" aria-label="Around it">
          {way.slice(0, -1).map((part) => (
            <button
              key={part.id}
              type="button"
              class="link"
              onClick={() => {
                enter(part);
              }}
            >
              <bdi>{oneLine(part.name, 30)}</bdi> ›
            </button>
          ))}
          <bdi>{oneLine(whole.name, 30)}</bdi>
        </nav>
      )}
      <div class="scroll below" tabIndex={-1}>
        {whole.spent[by] === 0 ? (
          <p class="empty">{by === 'ms' ? 'No time has passed.' : 'Nothing is spent.'}</p>
        ) : (
          <Flame blocks={blocks} whole={whole} by={by} focus={focus} onEnter={enter} />
        )}
        {focus !== undefined && <PartTable part={focus.part} whole={whole} onEnter={enter} />}
      </div>
    </div>
  );
};

interface FlameProps {
  readonly blocks: readonly Block[];
  readonly whole: Part;
  readonly by: Measure;
  readonly focus: Block | undefined;
  readonly onEnter: (part: Part) => void;
}

const Flame = ({ blocks, whole, by, focus, onEnter }: FlameProps) => {
  const depth = blocks.reduce((most, block) => Math.max(most, block.depth + 1), 1);
  const at = focus === undefined ? 0 : blocks.indexOf(focus);
  const choose = (block: Block | undefined): void => {
    if (block === undefined) return;
    chosen.value = block.part.id;
    if (block.part.actor !== undefined) select(block.part.actor);
  };
  return (
    <div
      class="flame"
      role="tree"
      aria-label="Spent, by agent, step, model and tool"
      aria-activedescendant={`block-${at}`}
      tabIndex={0}
      style={{ height: `${depth * ROW}px` }}
      onKeyDown={(event) => {
        const moves: Readonly<Record<string, () => void>> = {
          ArrowDown: () => {
            choose(blocks[at + 1]);
          },
          ArrowUp: () => {
            choose(blocks[at - 1]);
          },
          ArrowRight: () => {
            choose(blocks.find(({ outer }) => outer === focus?.part.id));
          },
          ArrowLeft: () => {
            choose(blocks.find(({ part }) => part.id === focus?.outer));
          },
          Home: () => {
            choose(blocks[0]);
          },
          End: () => {
            choose(blocks.at(-1));
          },
          Enter: () => {
            if (focus !== undefined) onEnter(focus.part);
          },
          Backspace: () => {
            const outer = whole.id.slice(0, Math.max(0, whole.id.lastIndexOf('\n')));
            root.value = outer;
          },
        };
        const move = moves[event.key];
        if (move === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        move();
      }}
    >
      {blocks.map((block, index) => {
        const { part, left, width } = block;
        return (
          <div
            key={part.id}
            id={`block-${index}`}
            class={`block ${part.kind} ${block === focus ? 'chosen' : ''}`}
            role="treeitem"
            aria-level={block.depth + 1}
            aria-selected={block === focus}
            aria-label={`${plain(part.name)}: ${textOf(part, by)}, ${shareOf(part, whole, by)}`}
            title={`${plain(part.name)}: ${textOf(part, by)}, ${shareOf(part, whole, by)}`}
            style={{
              left: `${(100 * left).toFixed(3)}%`,
              width: `${(100 * width).toFixed(3)}%`,
              top: `${block.depth * ROW}px`,
              height: `${ROW - 1}px`,
            }}
            onClick={() => {
              choose(block);
            }}
            onDblClick={() => {
              onEnter(part);
            }}
          >
            {width > 0.03 && <bdi>{oneLine(part.name, 60)}</bdi>}
          </div>
        );
      })}
    </div>
  );
};

interface TableProps {
  readonly part: Part;
  readonly whole: Part;
  readonly onEnter: (part: Part) => void;
}

/** The chosen part and what is in it, as a table. */
const PartTable = ({ part, whole, onEnter }: TableProps) => {
  const by = measure.value;
  const inner = byMost(part, by);
  const { n } = part;
  return (
    <>
      <table class="parts">
        <caption class="unseen">{plain(part.name)}, and what is in it</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Count</th>
            <th scope="col">Time</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {[part, ...inner.slice(0, MOST)].map((each) => (
            <tr key={each.id} class={each === part ? 'sum' : ''}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    onEnter(each);
                  }}
                >
                  <bdi>{oneLine(each.name, 40)}</bdi>
                </button>
              </th>
              <td>{countOf(each.count)}</td>
              <td>{spanOf(each.spent.ms)}</td>
              <td>{countOf(each.spent.tokens)}</td>
              <td>{moneyOf(each.spent.costUsd)}</td>
              <td>{shareOf(each, whole, by)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft under">
        Work at the same time counts separately.{' '}
        {inner.length > MOST && `and ${countOf(inner.length - MOST)} more. `}
        {n !== undefined && (
          <button
            type="button"
            class="link"
            onClick={() => {
              hold();
              goTo(n + 1);
            }}
          >
            Go to its first place
          </button>
        )}
      </p>
    </>
  );
};
