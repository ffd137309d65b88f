import type { StateShape } from '../recording/entry.ts';
import type { ArrowLine, Way } from './chart-reader.ts';
import type { Leg } from './chart-legs.ts';
import { legsOf } from './chart-legs.ts';
import { ChartReader, fewOf, isBox } from './chart-reader.ts';
import type { FlowLayout, Point, Rectangle } from './flow-layout.ts';
import { flowLayout, MARGIN } from './flow-layout.ts';
import { crosses } from './lines.ts';

/** A state as drawn. One of type `anywhere` stands for all states of the one around it. */
export interface StateBox extends Rectangle {
  readonly id: string;
  readonly name: string;
  readonly type: StateShape['type'] | 'anywhere';
  readonly description: string;
  readonly isInitial: boolean;
  /** Reactions that do not leave the state. */
  readonly reactions: readonly ArrowLine[];
}

/** An arrow as drawn: all transitions from one state to another, as one. */
export interface ArrowPath {
  readonly from: string;
  readonly to: string;
  /** The chart's arrows that it represents. */
  readonly ids: readonly string[];
  readonly points: readonly Point[];
  readonly lines: readonly ArrowLine[];
  /** Position of its text, or of the count of how often it was taken. */
  readonly label: Rectangle;
}

/** A chart as drawn. */
export interface ChartDrawing {
  readonly width: number;
  readonly height: number;
  /** Outer ones first. */
  readonly boxes: readonly StateBox[];
  readonly arrows: readonly ArrowPath[];
}

export const LINE_HEIGHT = 16;
const TITLE_HEIGHT = 28;
/** Room below the lowest part that is not needed. */
const SPARE_BELOW = 8;
const CHARACTER = 6;
const NAME_CHARACTER = 7.6;
const COUNT_WIDTH = 24;

const widthOf = (lines: readonly ArrowLine[]): number =>
  Math.max(0, ...lines.map(({ text }) => text.length * CHARACTER + 22));

/** The content of a state, laid out from its own corner. */
interface Inside {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly StateBox[];
  readonly arrows: readonly ArrowPath[];
  /** The beginnings of arrows that lead out of it, down to its border. */
  readonly exits: ReadonlyMap<string, Beginning>;
}

/**
 * Lays out a chart: each compound state by itself, from the inside out, so that only arrows cross its border. An arrow
 * that leaves a state leaves it at the bottom; one into a nested state ends at the border, labelled with its target.
 */
export const chartDrawing = (root: StateShape): ChartDrawing => {
  const reader = new ChartReader(root);
  if (!isBox(root)) {
    const box = boxOf(root.id, { x: 20, y: 20, ...sizeOf(root.id, reader) }, reader);
    return { width: box.width + 40, height: box.height + 40, boxes: [box], arrows: [] };
  }
  const { width, height, boxes, arrows } = insideOf(root, reader);
  return { width, height, boxes, arrows };
};

const insideOf = (state: StateShape, reader: ChartReader): Inside => {
  const within = reader.within(state);
  const insides = new Map<string, Inside>();
  for (const child of state.states) if (isBox(child)) insides.set(child.id, insideOf(child, reader));
  const legs = legsOf(state, reader);
  const isRoot = reader.parentOf(state.id) === undefined;
  const flow = movedFlow(
    flowOf(within, legs, insides, reader),
    isRoot ? { x: 4, y: -3 } : { x: 0, y: TITLE_HEIGHT - MARGIN },
  );
  const boxes: StateBox[] = [];
  const arrows: ArrowPath[] = [];
  for (const id of within) {
    const at = partOf(flow, id);
    boxes.push(boxOf(id, at, reader));
    const inside = insides.get(id);
    boxes.push(...(inside?.boxes ?? []).map((each) => moveBy(each, at)));
    arrows.push(...(inside?.arrows ?? []).map((each) => movedArrow(each, at)));
  }
  const exits = new Map<string, Beginning>();
  const straight = new Map<string, ArrowPath[]>();
  for (const leg of legs) {
    const { way, from, to } = leg;
    const begun = beginningOf(insides.get(from)?.exits.get(way.name), partOf(flow, from));
    if (to === undefined) exits.set(way.name, exitOf(leg, flow, begun));
    else {
      const arrow = arrowOf(leg, flow, begun);
      if (begun !== undefined && isWayFree(leg, begun, flow, within, legs))
        straight.set(to, [...(straight.get(to) ?? []), { ...arrow, points: begun.points }]);
      else arrows.push(arrow);
    }
  }
  const { height } = flow;
  const width = Math.max(flow.width, isRoot ? 0 : state.key.length * NAME_CHARACTER + 26);
  return { width, height, boxes, arrows: [...arrows, ...sideBySide(straight, flow)], exits };
};

const partOf = ({ parts }: FlowLayout, id: string): Rectangle =>
  parts.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };

const lineOf = ({ lines }: FlowLayout, { name }: Way) =>
  lines.get(name) ?? { points: [], label: { x: 0, y: 0, width: 0, height: 0 } };

/** Extends an arrow that leaves a state to the state's border. */
const exitOf = ({ way, lines }: Leg, flow: FlowLayout, begun: Beginning | undefined): Beginning => {
  const { points } = lineOf(flow, way);
  const port = partOf(flow, portOf(way));
  const below = { x: port.x + port.width / 2, y: port.y + port.height };
  return {
    points: [
      ...(begun?.points ?? points.slice(0, 1)),
      ...points.slice(1),
      below,
      { ...below, y: flow.height },
    ],
    label: begun?.label ?? port,
    lines: begun?.lines ?? fewOf(lines),
  };
};

const arrowOf = ({ way, lines }: Leg, flow: FlowLayout, begun: Beginning | undefined): ArrowPath => {
  const { points, label } = lineOf(flow, way);
  return {
    from: way.from,
    to: way.to,
    ids: lines.flatMap(({ ids }) => ids),
    points: [...(begun?.points ?? points.slice(0, 1)), ...points.slice(1)],
    lines: begun?.lines ?? fewOf(lines),
    label: begun?.label ?? label,
  };
};

/** Checks whether an arrow that leaves a state may go straight to its target: nothing is in between. */
const isWayFree = (
  { way, from, to }: Leg,
  begun: Beginning,
  flow: FlowLayout,
  within: readonly string[],
  legs: readonly Leg[],
): boolean => {
  const last = begun.points.at(-1);
  const end = lineOf(flow, way).points.at(-1);
  if (last === undefined || end === undefined || last.y >= partOf(flow, to ?? '').y) return false;
  const states = within.filter((id) => id !== to && id !== from).map((id) => partOf(flow, id));
  const texts = legs
    .filter((each) => each.to !== undefined && each.way.name !== way.name)
    .map((each) => lineOf(flow, each.way).label)
    .filter(({ width }) => width > 0);
  return ![...states, ...texts].some((each) => crosses(last, end, each));
};

/** Spreads the ends of arrows that come straight down to a state, in their order. */
const sideBySide = (
  straight: ReadonlyMap<string, readonly ArrowPath[]>,
  flow: FlowLayout,
): readonly ArrowPath[] => {
  const from = ({ points }: ArrowPath): number => points.at(-1)?.x ?? 0;
  return [...straight].flatMap(([id, group]) => {
    const target = partOf(flow, id);
    return group
      .toSorted((one, other) => from(one) - from(other))
      .map((arrow, index) => {
        const x = target.x + (target.width * (index + 1)) / (group.length + 1);
        return { ...arrow, points: [...arrow.points, { x, y: target.y }] };
      });
  });
};

/** The start of an arrow that leaves a state. */
type Beginning = Pick<ArrowPath, 'points' | 'label' | 'lines'>;

const beginningOf = (begun: Beginning | undefined, corner: Point): Beginning | undefined =>
  begun === undefined
    ? undefined
    : {
        points: begun.points.map((point) => moveBy(point, corner)),
        label: moveBy(begun.label, corner),
        lines: begun.lines,
      };

const portOf = ({ name }: Way): string => `exit ${name}`;

/** The width up to which parts that nothing connects stand in a row. */
const ROW_WIDTH = 600;

/** Pairs of parts, where nothing connects them, of which the second is below the first. */
const rowPairs = (
  sizes: ReadonlyMap<string, { readonly width: number }>,
): readonly (readonly [string, string])[] => {
  const ids = [...sizes.keys()];
  const widest = Math.max(...[...sizes.values()].map(({ width }) => width));
  const rows = Math.ceil((ids.length * (widest + MARGIN)) / ROW_WIDTH);
  const length = Math.max(1, Math.ceil(ids.length / rows));
  return ids.slice(length).map((id, index) => [ids[index] ?? id, id] as const);
};

const flowOf = (
  within: readonly string[],
  legs: readonly Leg[],
  insides: ReadonlyMap<string, Inside>,
  reader: ChartReader,
): FlowLayout => {
  const parts = new Map(within.map((id) => [id, insides.get(id) ?? sizeOf(id, reader)] as const));
  const roomFor = ({ from, lines }: Leg) => {
    // An arrow out of a part is labelled inside it.
    if (insides.has(from)) return { width: 0, height: 0 };
    const few = fewOf(lines);
    // Without a text, reserve room for a count.
    if (few.length === 0) return { width: COUNT_WIDTH, height: LINE_HEIGHT };
    return { width: widthOf(few), height: few.length * LINE_HEIGHT };
  };
  const leaving = legs.filter(({ to }) => to === undefined);
  const sizes = new Map([...parts, ...leaving.map((leg) => [portOf(leg.way), roomFor(leg)] as const)]);
  const make = (rowsBelow: (id: string) => number): FlowLayout =>
    flowLayout(
      sizes,
      legs.map((leg) => {
        const { way, from, to } = leg;
        if (to !== undefined) return { name: way.name, from, to, ...roomFor(leg) };
        return { name: way.name, from, to: portOf(way), width: 0, height: 0, rows: rowsBelow(from) + 1 };
      }),
    );
  if (legs.length === 0)
    return flowLayout(
      sizes,
      rowPairs(sizes).map(([from, to]) => ({ name: `${from} ${to}`, from, to, width: 0, height: 0 })),
    );
  const flow = make(() => 0);
  if (leaving.length === 0) return flow;
  // What leads out of it goes below all that is in it.
  const middles = new Map(within.map((id) => [id, partOf(flow, id).y + partOf(flow, id).height / 2]));
  const rows = [...new Set(middles.values())].toSorted((one, other) => one - other);
  return make((id) => rows.length - 1 - rows.indexOf(middles.get(id) ?? 0));
};

const sizeOf = (id: string, reader: ChartReader): { readonly width: number; readonly height: number } => {
  const few = fewOf(reader.reactions.get(id) ?? []);
  const name = reader.states.get(id)?.key ?? 'anywhere';
  return {
    width: Math.max(72, name.length * NAME_CHARACTER + 30, widthOf(few) + 20),
    height: 30 + (few.length > 0 ? few.length * LINE_HEIGHT + 4 : 0),
  };
};

const boxOf = (id: string, rectangle: Rectangle, reader: ChartReader): StateBox => {
  const state = reader.states.get(id);
  const around = reader.states.get(reader.parentOf(id) ?? '');
  return {
    ...rectangle,
    id,
    name: state?.key ?? 'anywhere',
    type: state?.type ?? 'anywhere',
    description: state === undefined ? `In any state of ${around?.key ?? 'it'}.` : (state.description ?? ''),
    isInitial: reader.first.has(id),
    reactions: fewOf(reader.reactions.get(id) ?? []),
  };
};

const moveBy = <Place extends Point>(place: Place, { x, y }: Point): Place => ({
  ...place,
  x: place.x + x,
  y: place.y + y,
});

const movedArrow = (arrow: ArrowPath, by: Point): ArrowPath => ({
  ...arrow,
  points: arrow.points.map((point) => moveBy(point, by)),
  label: moveBy(arrow.label, by),
});

const movedFlow = ({ width, height, parts, lines }: FlowLayout, by: Point): FlowLayout => ({
  width: width + 2 * by.x,
  height: height + by.y - SPARE_BELOW,
  parts: new Map([...parts].map(([id, part]) => [id, moveBy(part, by)])),
  lines: new Map(
    [...lines].map(([name, { points, label }]) => [
      name,
      { points: points.map((point) => moveBy(point, by)), label: moveBy(label, by) },
    ]),
  ),
});
