import type { ActorView } from '../../recording/tableau.ts';
import type { ArrowPath, StateBox } from '../../drawing/chart-drawing.ts';
import { LINE_HEIGHT } from '../../drawing/chart-drawing.ts';
import { arrowHead, roundedPath } from '../../drawing/lines.ts';
import { oneLine } from '../../drawing/plain-text.ts';

/** Checks whether an actor is in a state, or in one within it. */
export const isActive = ({ id, type }: StateBox, { states }: ActorView): boolean =>
  type !== 'anywhere' && states.some((state) => state === id || state.startsWith(`${id}.`));

interface BoxProps {
  readonly box: StateBox;
  readonly isActive: boolean;
  readonly taken: ReadonlyMap<string, number>;
}

/** A state. */
export const BoxDrawing = ({ box, isActive: active, taken }: BoxProps) => {
  const { x, y, width, height, name, type, description, isInitial, reactions } = box;
  const isOuter = type === 'compound' || type === 'parallel';
  const radius = type === 'final' || type === 'anywhere' ? 17 : 9;
  const middle = type === 'final' || type === 'atomic' || type === 'history';
  const isLone = reactions.length === 0 && middle;
  return (
    <g class={`box ${type} ${active ? 'active' : ''}`} data-state={box.id}>
      <title>{`${oneLine(name, 200)}${description === '' ? '' : `: ${oneLine(description, 400)}`}`}</title>
      {isInitial && (
        <>
          <path class="initial-way" d={`M${x - 9} ${y - 7}Q${x - 9} ${y + 13} ${x - 2} ${y + 13}`} />
          <circle class="initial" cx={x - 9} cy={y - 8} r={3.5} />
        </>
      )}
      <rect x={x} y={y} width={width} height={height} rx={radius} />
      {type === 'final' && (
        <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx={radius - 3} />
      )}
      <text
        class="title"
        x={isOuter ? x + 20 : x + width / 2}
        y={isLone ? y + height / 2 + 4.5 : y + 20}
        text-anchor={isOuter ? 'start' : 'middle'}
      >
        {oneLine(name, 40)}
      </text>
      {reactions.map(({ ids, text }, index) => (
        <text
          key={index}
          class={`reaction ${timesOf(ids, taken) > 0 ? 'taken' : ''}`}
          x={x + width / 2}
          y={y + 38 + index * LINE_HEIGHT}
          text-anchor="middle"
        >
          <title>{ids.join('\n')}</title>
          {oneLine(text, 60)}
          {count(timesOf(ids, taken))}
        </text>
      ))}
    </g>
  );
};

const timesOf = (ids: readonly string[], taken: ReadonlyMap<string, number>): number =>
  ids.reduce((sum, id) => sum + (taken.get(id) ?? 0), 0);

const count = (times: number) => (times === 0 ? undefined : <tspan class="times">{` ×${times}`}</tspan>);

interface ArrowProps {
  readonly arrow: ArrowPath;
  readonly taken: ReadonlyMap<string, number>;
  /** Arrows taken in the last move. */
  readonly just: readonly string[];
  readonly moved: number;
}

/** All that leads from one state to another. */
export const ArrowDrawing = ({ arrow, taken, just, moved }: ArrowProps) => {
  const { points, lines, ids, label } = arrow;
  const isJust = ids.some((id) => just.includes(id));
  const times = timesOf(ids, taken);
  const path = roundedPath(points);
  const center = label.x + label.width / 2;
  return (
    <g class={`arrow ${isJust ? 'just' : ''} ${times > 0 ? 'taken' : ''}`} data-arrow={ids.join(' | ')}>
      <title>{ids.join('\n')}</title>
      {isJust && <path key={moved} class="glow" d={path} />}
      <path class="way" d={path} />
      <path class="head" d={arrowHead(points)} />
      {lines.length === 0 && times > 0 && (
        <text x={center} y={label.y + 12} text-anchor="middle">
          {count(times)}
        </text>
      )}
      {lines.map(({ ids: said, text }, index) => (
        <text
          key={index}
          class={said.some((id) => just.includes(id)) ? 'just' : ''}
          x={center}
          y={label.y + 12 + index * LINE_HEIGHT}
          text-anchor="middle"
        >
          {oneLine(text, 60)}
          {count(timesOf(said, taken))}
        </text>
      ))}
    </g>
  );
};
