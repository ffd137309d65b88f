import type { AnyStateMachine } from 'xstate';
import type { DiagramOverlay } from '../../machines/diagrams/diagram.ts';
import type { ArrowPath, StateBox } from './chart-drawing.ts';
import { chartDrawing, LINE_HEIGHT } from './chart-drawing.ts';
import type { ArrowLine } from './chart-reader.ts';
import { arrowHead, roundedPath } from './lines.ts';
import { chartShape } from '../recording/chart-shape.ts';
import { escapeMarkup, standalone, text } from './svg-text.ts';
import type { StateShape } from '../recording/entry.ts';

/**
 * Renders the chart of a machine, or one of a recording, as a self-contained SVG: laid out as on the inspector's page, light or dark by the reader's
 * preference. With an overlay, arrows show how often they were taken, those never taken are faint, and states show how
 * long they lasted.
 *
 * @example
 * writeFileSync('clerk.svg', chartSvg(agentMachine, chartCoverage([record.recording])));
 */
export const chartSvg = (chart: AnyStateMachine | StateShape, overlay?: DiagramOverlay): string => {
  const shape = isShape(chart) ? chart : chartShape(chart);
  const drawing = chartDrawing(shape);
  return standalone(shape.key, drawing, [
    ...drawing.boxes.map((box) => boxSvg(box, overlay)),
    ...drawing.arrows.map((arrow) => arrowSvg(arrow, overlay)),
  ]);
};

const isShape = (chart: AnyStateMachine | StateShape): chart is StateShape => 'arrows' in chart;

const boxSvg = (box: StateBox, overlay: DiagramOverlay | undefined): string => {
  const { id, x, y, width, height, name, type, description, isInitial, reactions } = box;
  const isOuter = type === 'compound' || type === 'parallel';
  const radius = type === 'final' || type === 'anywhere' ? 17 : 9;
  const isLone = reactions.length === 0 && !isOuter && type !== 'anywhere';
  const lasted = overlay?.dwellMs.get(id);
  const [left, baseline] = [isOuter ? x + 20 : x + width / 2, isLone ? y + height / 2 + 4.5 : y + 20];
  return [
    `<g class="box ${type}"><title>${escapeMarkup([name, description].filter(Boolean).join(': '))}</title>`,
    isInitial ? `<circle class="initial" cx="${x - 9}" cy="${y - 8}" r="3.5"/>` : '',
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`,
    type === 'final'
      ? `<rect x="${x + 3}" y="${y + 3}" width="${width - 6}" height="${height - 6}" rx="${radius - 3}"/>`
      : '',
    text('title', left, baseline, name, isOuter ? 'start' : 'middle'),
    lasted === undefined ? '' : text('note', x + width - 6, y - 4, `${lasted} ms`, 'end'),
    ...reactions.map((line, index) =>
      text('note', x + width / 2, y + 38 + index * LINE_HEIGHT, lineText(line, overlay), 'middle'),
    ),
    '</g>',
  ].join('');
};

const arrowSvg = ({ points, lines, ids, label }: ArrowPath, overlay: DiagramOverlay | undefined): string => {
  const times = overlay === undefined ? 0 : timesOf(ids, overlay);
  const center = label.x + label.width / 2;
  const shown = lines.map((line, index) =>
    text('', center, label.y + 12 + index * LINE_HEIGHT, lineText(line, overlay), 'middle'),
  );
  const count =
    overlay !== undefined && lines.length === 0
      ? [text('times', center, label.y + 12, `×${times}`, 'middle')]
      : [];
  return [
    `<g class="arrow ${overlay !== undefined && times === 0 ? 'never' : ''}"><title>${escapeMarkup(ids.join('\n'))}</title>`,
    `<path class="way" d="${roundedPath(points)}"/><path class="head" d="${arrowHead(points)}"/>`,
    ...shown,
    ...count,
    '</g>',
  ].join('');
};

const lineText = ({ ids, text: words }: ArrowLine, overlay: DiagramOverlay | undefined): string =>
  overlay === undefined ? words : `${words} ×${timesOf(ids, overlay)}`;

const timesOf = (ids: readonly string[], { taken }: DiagramOverlay): number =>
  ids.reduce((sum, id) => sum + (taken.get(id) ?? 0), 0);
