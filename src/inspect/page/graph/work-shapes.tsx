import type { PartBox, WorkLine } from '../../drawing/composition-drawing.ts';
import { isEndPart, PART_LINE_HEIGHT } from '../../drawing/composition-drawing.ts';
import { arrowHead, roundedPath } from '../../drawing/lines.ts';
import { oneLine } from '../../drawing/plain-text.ts';
import type { WorkStatus } from '../../recording/work-of.ts';

interface PartProps {
  readonly box: PartBox;
  readonly status: WorkStatus;
  /** Words on its work; `''` before it begins. */
  readonly words: string;
  readonly label: string;
  readonly isOpen: boolean;
  /** Absent where there is nothing to go to. */
  readonly onEnter: (() => void) | undefined;
}

/** A part of a composition, lit by how it stands with it. */
export const PartDrawing = ({ box, status, words, label, isOpen, onEnter }: PartProps) => {
  const { part, place, x, y, width, height } = box;
  const { kind, title, description, lines } = part;
  const isEnd = isEndPart(part);
  const radius = isEnd || kind === 'tool' ? 17 : kind === 'step' ? 3 : 9;
  const center = x + width / 2;
  return (
    <g
      class={`part ${kind} ${status} ${part.inside === undefined ? '' : 'outer'}`}
      data-place={place}
      role={onEnter === undefined ? 'img' : 'button'}
      aria-expanded={kind === 'group' ? isOpen : undefined}
      // As it is written in an SVG.
      tabindex={onEnter === undefined ? undefined : 0}
      onClick={onEnter}
      onKeyDown={(event) => {
        if (onEnter === undefined || (event.key !== 'Enter' && event.key !== ' ')) return;
        event.preventDefault();
        event.stopPropagation();
        onEnter();
      }}
    >
      {/* Its name, too: one that is written on the element would have to repeat all that is drawn in it. */}
      <title>{oneLine([label, description].filter(Boolean).join('. '), 400)}</title>
      <rect x={x} y={y} width={width} height={height} rx={radius} />
      <text class={isEnd ? 'note' : 'title'} x={center} y={y + 21.5} text-anchor="middle">
        {oneLine(title, 60)}
      </text>
      {lines.map((line, index) => (
        <text key={index} class="note" x={center} y={y + 38 + index * PART_LINE_HEIGHT} text-anchor="middle">
          {oneLine(line, 80)}
        </text>
      ))}
      {words !== '' && !isEnd && (
        <text
          class={`words ${status}`}
          x={center}
          y={y + 39 + lines.length * PART_LINE_HEIGHT}
          text-anchor="middle"
        >
          {words}
        </text>
      )}
    </g>
  );
};

/** A line along which work is handed over. */
export const LineDrawing = ({ line: { arrow, points, label } }: { readonly line: WorkLine }) => (
  <g class="arrow">
    <path class="way" d={roundedPath(points)} />
    <path class="head" d={arrowHead(points)} />
    {arrow.isTwoWay && <path class="head" d={arrowHead(points.toReversed())} />}
    {arrow.text !== '' && (
      <text x={label.x + label.width / 2} y={label.y + 12} text-anchor="middle">
        {oneLine(arrow.text, 60)}
      </text>
    )}
  </g>
);
