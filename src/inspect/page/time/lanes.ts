import type { Span, WorkSpans } from '../folds/work-spans.ts';

/** A call, question or wait in the lane of its agent. */
export interface Bar {
  readonly span: Span;
  /** From the top: those at the same time stand below each other. */
  readonly row: number;
}

/** An agent or a team, with its work. */
export interface Lane {
  readonly own: Span;
  readonly depth: number;
  /** The number of lanes that are folded into this one. */
  readonly folded: number;
  readonly bars: readonly Bar[];
  readonly rows: number;
}

/** A part of the time, in ms since 1970. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

/** The most rows of a lane; what does not fit stands in the last one. */
const MOST_ROWS = 4;

/** The lanes of the agents of a run, or of all, each before those that it engaged; those below a closed one are folded. */
export const lanesOf = (
  { all }: WorkSpans,
  run: string | undefined,
  closed: ReadonlySet<string>,
): readonly Lane[] => {
  const below = new Map<Span | undefined, Span[]>();
  const work = new Map<Span | undefined, Span[]>();
  for (const span of all) {
    if (run !== undefined && span.run !== run) continue;
    const into = span.kind === 'agent' || span.kind === 'team' ? below : work;
    const known = into.get(span.parent);
    if (known === undefined) into.set(span.parent, [span]);
    else known.push(span);
  }
  const lanes: Lane[] = [];
  const count = (own: Span): number => (below.get(own) ?? []).reduce((sum, each) => sum + 1 + count(each), 0);
  const add = (own: Span, depth: number): void => {
    const bars = barsOf(work.get(own) ?? []);
    const isClosed = closed.has(own.actor);
    const rows = bars.reduce((most, { row }) => Math.max(most, row + 1), 1);
    lanes.push({ own, depth, folded: isClosed ? count(own) : 0, bars, rows });
    if (!isClosed) for (const each of below.get(own) ?? []) add(each, depth + 1);
  };
  for (const root of below.get(undefined) ?? []) add(root, 0);
  return lanes;
};

const barsOf = (spans: readonly Span[]): readonly Bar[] => {
  const ends: number[] = [];
  return spans
    .toSorted((one, other) => one.from - other.from || one.n - other.n)
    .map((span) => {
      const free = ends.findIndex((end) => end <= span.from);
      const row = free >= 0 ? free : Math.min(ends.length, MOST_ROWS - 1);
      ends[row] = Math.max(ends[row] ?? 0, span.to ?? Infinity);
      return { span, row };
    });
};

/** All of the time of some lanes; of work that goes on up to `now`. */
export const wholeTime = (lanes: readonly Lane[], now: number): Extent => {
  let [from, to] = [Infinity, -Infinity];
  for (const { own } of lanes) {
    from = Math.min(from, own.from);
    to = Math.max(to, own.to ?? now);
  }
  if (from > to) return { from: now, to: now + 1 };
  // Where no time passed, one ms is enough to see that.
  return { from, to: Math.max(to, from + 1) };
};

/** The shortest part of the time that can be zoomed to, in ms. */
const SHORTEST = 0.5;

/** A part of the time that is shorter or longer by a factor, around a moment, and within the whole. */
export const zoomTime = ({ from, to }: Extent, factor: number, around: number, whole: Extent): Extent => {
  const length = Math.min(whole.to - whole.from, Math.max(SHORTEST, (to - from) * factor));
  const part = (around - from) / (to - from);
  return fitTime({ from: around - part * length, to: around + (1 - part) * length }, whole);
};

/** Moves a part of the time by some ms, within the whole. */
export const shiftTime = ({ from, to }: Extent, by: number, whole: Extent): Extent =>
  fitTime({ from: from + by, to: to + by }, whole);

const fitTime = ({ from, to }: Extent, whole: Extent): Extent => {
  const length = to - from;
  const start = Math.max(whole.from, Math.min(from, whole.to - length));
  return { from: start, to: start + length };
};

const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
/** In seconds: of a minute and an hour there are other parts than of a number. */
const LONG_TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

/** The moments to be marked on an axis: at most `most`, at round distances from the beginning of the whole. */
export const ticksOf = ({ from, to }: Extent, start: number, most: number): readonly number[] => {
  const least = (to - from) / Math.max(1, most);
  const step =
    [...TICKS, ...LONG_TICKS.map((each) => each * 1_000)].find((each) => each >= least) ??
    Math.ceil(least / 86_400_000) * 86_400_000;
  const ticks: number[] = [];
  for (let at = start + Math.ceil((from - start) / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
};
