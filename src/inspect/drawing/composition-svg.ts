import type { Composition, CompositionArrow, CompositionPart } from '../../machines/diagrams/composition.ts';
import { rowPairs } from '../../machines/diagrams/composition.ts';
import type { FlowLayout, Point, Rectangle } from './flow-layout.ts';
import { flowLayout } from './flow-layout.ts';
import { arrowHead, roundedPath } from './lines.ts';
import { escapeMarkup, standalone, text } from './svg-text.ts';

const LINE_HEIGHT = 15;
const TITLE_CHARACTER = 7.6;
const CHARACTER = 6;
const NONE = { width: 0, height: 0 };

/**
 * A composition as an SVG that stands alone: a box for each member and tool, a team around what is in it, arrows as work flows, from
 * above to below.
 */
export const compositionSvg = (composition: Composition): string => {
  const { size, draw } = laidOut(composition);
  return standalone(composition.name, size, draw({ x: 0, y: 0 }));
};

/** The size of something, and its markup from a corner on. */
interface Drawn {
  readonly size: { readonly width: number; readonly height: number };
  readonly draw: (corner: Point) => readonly string[];
}

const laidOut = (composition: Composition): Drawn => {
  const { parts, arrows } = composition;
  const drawn = new Map(parts.map((part) => [part.id, drawnPart(part)] as const));
  const flow = flowLayout(new Map([...drawn].map(([id, { size }]) => [id, size])), [
    ...arrows.map((arrow) => ({ name: nameOf(arrow), from: arrow.from, to: arrow.to, ...roomFor(arrow) })),
    ...rowPairs(composition).map(([from, to]) => ({ name: `${from} ${to} fold`, from, to, ...NONE })),
  ]);
  return {
    size: { width: flow.width, height: flow.height },
    draw: (corner) => [
      ...[...drawn].flatMap(([id, { draw }]) => draw(moveBy(partAt(flow, id), corner))),
      ...arrows.map((arrow) => arrowSvg(arrow, flow, corner)),
    ],
  };
};

const drawnPart = (part: CompositionPart): Drawn => {
  const { kind, title, description, lines, inside } = part;
  const within = inside === undefined ? undefined : laidOut(inside);
  const isEnd = kind === 'input' || kind === 'output';
  const head = title === '' ? 0 : 34 + (lines.length > 0 ? lines.length * LINE_HEIGHT + 4 : 0);
  const width = Math.max(
    isEnd ? 60 : 84,
    title.length * TITLE_CHARACTER + 30,
    ...lines.map((line) => line.length * CHARACTER + 26),
    within?.size.width ?? 0,
  );
  const height = head + (within?.size.height ?? 0);
  const radius = isEnd || kind === 'tool' ? 17 : kind === 'step' ? 3 : 9;
  return {
    size: { width, height },
    draw: ({ x, y }) => [
      [
        `<g class="box ${kind}"><title>${escapeMarkup([title, description].filter(Boolean).join(': '))}</title>`,
        `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`,
        title === '' ? '' : text(isEnd ? 'note' : 'title', x + width / 2, y + 21.5, title, 'middle'),
        ...lines.map((line, index) =>
          text('note', x + width / 2, y + 38 + index * LINE_HEIGHT, line, 'middle'),
        ),
        '</g>',
      ].join(''),
      ...(within?.draw({ x: x + (width - within.size.width) / 2, y: y + head }) ?? []),
    ],
  };
};

const arrowSvg = (arrow: CompositionArrow, flow: FlowLayout, corner: Point): string => {
  const { text: words, isTwoWay } = arrow;
  const line = flow.lines.get(nameOf(arrow));
  if (line === undefined) return '';
  const points = line.points.map((point) => moveBy(point, corner));
  const label = moveBy(line.label, corner);
  return [
    `<g class="arrow"><path class="way" d="${roundedPath(points)}"/>`,
    `<path class="head" d="${arrowHead(points)}"/>`,
    isTwoWay ? `<path class="head" d="${arrowHead(points.toReversed())}"/>` : '',
    words === '' ? '' : text('', label.x + label.width / 2, label.y + 11, words, 'middle'),
    '</g>',
  ].join('');
};

const nameOf = ({ from, to }: CompositionArrow): string => `${from} ${to}`;

const roomFor = ({ text: words }: CompositionArrow) =>
  words === '' ? NONE : { width: words.length * CHARACTER + 12, height: LINE_HEIGHT };

const partAt = ({ parts }: FlowLayout, id: string): Rectangle => parts.get(id) ?? { x: 0, y: 0, ...NONE };

const moveBy = <Place extends Point>(place: Place, { x, y }: Point): Place => ({
  ...place,
  x: place.x + x,
  y: place.y + y,
});
