import type { Composition } from '../../machines/diagrams/composition.ts';
import type { PartBox, WorkLine } from './composition-drawing.ts';
import { compositionDrawing, isEndPart, PART_LINE_HEIGHT } from './composition-drawing.ts';
import { arrowHead, roundedPath } from './lines.ts';
import { escapeMarkup, standalone, text } from './svg-text.ts';

/**
 * A composition as an SVG that stands alone: a box for each member and tool, a team around what is in it, arrows as work flows, from
 * above to below.
 */
export const compositionSvg = (composition: Composition): string => {
  const drawing = compositionDrawing(composition);
  return standalone(composition.name, drawing, [
    ...drawing.boxes.map(partSvg),
    ...drawing.lines.map(lineSvg),
  ]);
};

const partSvg = ({ part, x, y, width, height }: PartBox): string => {
  const { kind, title, description, lines } = part;
  const isEnd = isEndPart(part);
  const radius = isEnd || kind === 'tool' ? 17 : kind === 'step' ? 3 : 9;
  return [
    `<g class="box ${kind}"><title>${escapeMarkup([title, description].filter(Boolean).join(': '))}</title>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`,
    title === '' ? '' : text(isEnd ? 'note' : 'title', x + width / 2, y + 21.5, title, 'middle'),
    ...lines.map((line, index) =>
      text('note', x + width / 2, y + 38 + index * PART_LINE_HEIGHT, line, 'middle'),
    ),
    '</g>',
  ].join('');
};

const lineSvg = ({ arrow: { text: words, isTwoWay }, points, label }: WorkLine): string =>
  [
    `<g class="arrow"><path class="way" d="${roundedPath(points)}"/>`,
    `<path class="head" d="${arrowHead(points)}"/>`,
    isTwoWay ? `<path class="head" d="${arrowHead(points.toReversed())}"/>` : '',
    words === '' ? '' : text('', label.x + label.width / 2, label.y + 11, words, 'middle'),
    '</g>',
  ].join('');
