import type { StateShape } from '../recording/entry.ts';
import type { ArrowLine, ChartReader, Way } from './chart-reader.ts';

/** A transition as seen within one state: the parts that it connects; `to` is undefined if it leaves the state. */
export interface Leg {
  readonly way: Way;
  readonly from: string;
  readonly to: string | undefined;
  readonly lines: readonly ArrowLine[];
}

/** Returns the transitions that start in a state. Those between the same two parts, at any depth, are merged. */
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

/** Labels an arrow; one that ends at the border around its target also names the target. */
const namedLines = (way: Way, to: string): readonly ArrowLine[] => {
  if (to === way.to) return way.lines;
  const target = way.to.split('.').at(-1) ?? way.to;
  return way.lines.map((line) => ({ ...line, text: `${line.text} ▸ ${target}`.trim() }));
};
