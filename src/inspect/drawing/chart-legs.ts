import type { StateShape } from '../recording/entry.ts';
import type { ArrowLine, ChartReader, Way } from './chart-reader.ts';

/** A way as it is seen from within one state: between which of its parts; `to` is undefined where it leads out. */
export interface Leg {
  readonly way: Way;
  readonly from: string;
  readonly to: string | undefined;
  readonly lines: readonly ArrowLine[];
}

/** The ways that begin in a state. Those that lead from one of its parts into another, wherever in it, are one. */
export const legsOf = (state: StateShape, reader: ChartReader): readonly Leg[] => {
  const legs = new Map<string, Leg>();
  for (const way of reader.ways.values()) {
    const from = reader.childTowards(state.id, way.from);
    const to = reader.childTowards(state.id, way.to);
    if (from === undefined || from === to) continue;
    const lines = to === undefined ? way.lines : namedLines(way, to);
    const name = from === way.from && to !== undefined ? `${from} → ${to}` : way.name;
    const known = legs.get(name)?.lines ?? [];
    legs.set(name, { way: { ...way, name }, from, to, lines: [...known, ...lines] });
  }
  return [...legs.values()];
};

/** What an arrow says; where it ends at the border of a state around its target, that, too. */
const namedLines = (way: Way, to: string): readonly ArrowLine[] => {
  if (to === way.to) return way.lines;
  const target = way.to.split('.').at(-1) ?? way.to;
  return way.lines.map(({ id, text }) => ({ id, text: `${text} ▸ ${target}`.trim() }));
};
