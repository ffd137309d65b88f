import type { DiagramOverlay } from '../../machines/diagram.ts';
import type { ArrowPath, StateBox } from './chart-drawing.ts';
import { chartDrawing, LINE_HEIGHT } from './chart-drawing.ts';
import type { ArrowLine } from './chart-reader.ts';
import { arrowHead, roundedPath } from './lines.ts';
import { plain } from './plain-text.ts';
import type { StateShape } from '../recording/entry.ts';

/**
 * A chart as an SVG that stands alone: laid out as the inspector's page has it, light or dark as its reader is. With an overlay,
 * arrows say how often they were taken, those that never were are faint, and states say how long they lasted.
 *
 * @example
 * writeFileSync('clerk.svg', chartSvg(chartShape(clerk.logic), chartCoverage([record.recording])));
 */
export const chartSvg = (shape: StateShape, overlay?: DiagramOverlay): string => {
  const { width, height, boxes, arrows } = chartDrawing(shape);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(shape.key)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...boxes.map((box) => boxSvg(box, overlay)),
    ...arrows.map((arrow) => arrowSvg(arrow, overlay)),
    '</svg>',
    '',
  ].join('\n');
};

const STYLE = `
svg{font:12px system-ui,sans-serif}
.paper{fill:#fff}.box rect{fill:#f7f8fa;stroke:#8a94a3}.box.compound>rect,.box.parallel>rect{fill:none}
.box.anywhere>rect{stroke-dasharray:3 3;fill:none}.title{fill:#1c2430;font-weight:600}.note{fill:#5b6675;font-size:11px}
.initial{fill:#1c2430}.way{fill:none;stroke:#5b6675}.head{fill:#5b6675}.arrow text{fill:#3c4654;font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:5px}
.never{opacity:.35}.times{font-weight:600;fill:#0b63c5}
@media(prefers-color-scheme:dark){.paper{fill:#14181f}.box rect{fill:#1d232d;stroke:#6c7889}.title{fill:#e6eaf0}.note{fill:#9aa5b4}
.initial{fill:#e6eaf0}.way{stroke:#9aa5b4}.head{fill:#9aa5b4}.arrow text{fill:#c3cbd6;stroke:#14181f}.times{fill:#6cb2ff}}
`
  .trim()
  .replaceAll('\n', '');

const boxSvg = (box: StateBox, overlay: DiagramOverlay | undefined): string => {
  const { id, x, y, width, height, name, type, description, isInitial, reactions } = box;
  const isOuter = type === 'compound' || type === 'parallel';
  const radius = type === 'final' || type === 'anywhere' ? 17 : 9;
  const isLone = reactions.length === 0 && !isOuter && type !== 'anywhere';
  const lasted = overlay?.dwellMs.get(id);
  const [left, baseline] = [isOuter ? x + 13 : x + width / 2, isLone ? y + height / 2 + 4.5 : y + 21];
  return [
    `<g class="box ${type}"><title>${escaped([name, description].filter(Boolean).join(': '))}</title>`,
    isInitial ? `<circle class="initial" cx="${x - 9}" cy="${y - 8}" r="3.5"/>` : '',
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`,
    type === 'final'
      ? `<rect x="${x + 3}" y="${y + 3}" width="${width - 6}" height="${height - 6}" rx="${radius - 3}"/>`
      : '',
    text('title', left, baseline, name, isOuter ? 'start' : 'middle'),
    lasted === undefined ? '' : text('note', x + width - 6, y - 4, `${lasted} ms`, 'end'),
    ...reactions.map((line, index) =>
      text('note', x + width / 2, y + 39 + index * LINE_HEIGHT, said(line, overlay), 'middle'),
    ),
    '</g>',
  ].join('');
};

const arrowSvg = ({ points, lines, ids, label }: ArrowPath, overlay: DiagramOverlay | undefined): string => {
  const times = ids.reduce((sum, id) => sum + (overlay?.taken.get(id) ?? 0), 0);
  const center = label.x + label.width / 2;
  const shown = lines.map((line, index) =>
    text('', center, label.y + 11 + index * LINE_HEIGHT, said(line, overlay), 'middle'),
  );
  const count =
    overlay !== undefined && lines.length === 0
      ? [text('times', center, label.y + 11, `×${times}`, 'middle')]
      : [];
  return [
    `<g class="arrow ${overlay !== undefined && times === 0 ? 'never' : ''}"><title>${escaped(ids.join('\n'))}</title>`,
    `<path class="way" d="${roundedPath(points)}"/><path class="head" d="${arrowHead(points)}"/>`,
    ...shown,
    ...count,
    '</g>',
  ].join('');
};

const said = ({ id, text: words }: ArrowLine, overlay: DiagramOverlay | undefined): string =>
  overlay === undefined || id === '' ? words : `${words} ×${overlay.taken.get(id) ?? 0}`;

const text = (
  kind: string,
  x: number,
  y: number,
  words: string,
  anchor: 'start' | 'middle' | 'end',
): string => `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(words)}</text>`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (words: string): string =>
  plain(words).replaceAll(/[&<>"]/g, (each) => entities[each] ?? each);
