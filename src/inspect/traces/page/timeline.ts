import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { Markup } from './markup.ts';
import { grouped, markup, lasting } from './markup.ts';

/** Something that took time: a step, a model call or a tool call of one agent. */
interface Span {
  readonly path: string;
  readonly kind: 'step' | 'model' | 'tool';
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly isBad: boolean;
  /** Where it begins among the events. */
  readonly index: number;
}

/** So many agents have a row. */
const ROWS = 100;
const ROW = 26;
const LABEL = 240;
const WIDTH = 960;

/** Who did what when: a row for each agent, in the order in which they came. */
export const timeline = (events: readonly RuntimeEvent[]): Markup => {
  const [start, end] = [events[0]?.at ?? 0, events.at(-1)?.at ?? 0];
  const length = Math.max(1, end - start);
  const spans = spansIn(events, end);
  const busy = new Set(spans.map(({ path }) => path));
  const paths = [...new Set(events.map(({ path }) => path))].filter((path) => busy.has(path));
  const rows = new Map(paths.slice(0, ROWS).map((path, index) => [path, index]));
  const x = (at: number): number => LABEL + ((at - start) / length) * WIDTH;
  const height = (rows.size + 1) * ROW + 8;
  const bars = spans.map(({ path, kind, what, from, to, isBad, index }) => {
    const row = rows.get(path);
    if (row === undefined) return undefined;
    const inset = kind === 'step' ? 2 : kind === 'model' ? 6 : 13;
    const thick = kind === 'step' ? ROW - 4 : 6;
    const place = markup`x="${x(from).toFixed(1)}" y="${(row + 1) * ROW + inset}"`;
    const size = markup`width="${Math.max(1.5, x(to) - x(from)).toFixed(1)}" height="${thick}"`;
    const words = `${what} · ${lasting(to - from)}, ${lasting(from - start)} after the start`;
    return markup`<rect class="${kind}${isBad ? ' bad' : ''}" data-at="${index}" ${place} ${size} rx="2">
      <title>${words}</title>
    </rect>
    `;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const at = LABEL + part * WIDTH;
    return markup`<line x1="${at}" x2="${at}" y1="${ROW - 4}" y2="${height}" />
      <text class="tick" x="${at}" y="14">${lasting(Math.round(part * length))}</text>`;
  });
  const labels = [...rows].map(
    ([path, row]) =>
      markup`<text x="4" y="${(row + 1) * ROW + 17}">${shortened(path)}<title>${path}</title></text>`,
  );
  const rest = paths.length - rows.size;
  return markup`<svg viewBox="0 0 ${LABEL + WIDTH + 50} ${height}" role="img" aria-label="Timeline">
      ${ticks}${labels}${bars}
    </svg>
    <p class="note">
      <i class="key step"></i> step <i class="key model"></i> model <i class="key tool"></i> tool
      <i class="key bad"></i> failed${rest > 0 ? ` · ${grouped(rest)} more agents are not shown` : ''}
    </p>`;
};

/** The end of a path says more than its beginning. */
const shortened = (path: string): string => (path.length > 34 ? `…${path.slice(-33)}` : path);

const spansIn = (events: readonly RuntimeEvent[], end: number): readonly Span[] => {
  const open = new Map<string, Omit<Span, 'to' | 'isBad'>>();
  const spans: Span[] = [];
  const begin = (key: string, span: Omit<Span, 'to' | 'isBad'>): void => {
    open.set(key, span);
  };
  const close = (key: string, to: number, isBad: boolean): void => {
    const span = open.get(key);
    open.delete(key);
    if (span !== undefined) spans.push({ ...span, to, isBad });
  };
  events.forEach((event, index) => {
    const { path, at } = event;
    switch (event.type) {
      case 'step.ended': {
        const { startedAt, step, results } = event.record;
        spans.push({
          path: event.record.path,
          kind: 'step',
          what: `step ${step}`,
          from: startedAt,
          to: at,
          isBad: results.some(({ ok }) => !ok),
          index,
        });
        break;
      }
      case 'model.asked':
        begin(`m ${event.key}`, { path, kind: 'model', what: event.model, from: at, index });
        break;
      case 'model.answered':
        close(`m ${event.key}`, at, false);
        break;
      case 'model.failed':
      case 'model.discarded':
      case 'model.interrupted':
        close(`m ${event.key}`, at, true);
        break;
      case 'tool.started':
        begin(`t ${path} ${event.callId}`, { path, kind: 'tool', what: event.tool, from: at, index });
        break;
      case 'tool.finished':
        close(`t ${path} ${event.callId}`, at, !event.ok);
        break;
      default:
    }
  });
  for (const key of open.keys()) close(key, end, true);
  // Steps lie below what is done in them.
  return spans.toSorted((a, b) => Number(b.kind === 'step') - Number(a.kind === 'step'));
};
