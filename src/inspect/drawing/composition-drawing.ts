import type { Composition, CompositionArrow, CompositionPart } from '../../machines/diagrams/composition.ts';
import { rowPairs } from '../../machines/diagrams/composition.ts';
import type { FlowLayout, FlowLine, Point, Rectangle } from './flow-layout.ts';
import { flowLayout, MARGIN } from './flow-layout.ts';

/** A part of a composition as drawn. */
export interface PartBox extends Rectangle {
  readonly part: CompositionPart;
  /** Its id after those of the parts around it: unique in the drawing. */
  readonly place: string;
}

/** A line along which work is handed over, as drawn. */
export interface WorkLine {
  readonly arrow: CompositionArrow;
  readonly points: readonly Point[];
  /** Position of its text. */
  readonly label: Rectangle;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A composition as drawn. */
export interface CompositionDrawing extends Size {
  /** Outer ones first. */
  readonly boxes: readonly PartBox[];
  readonly lines: readonly WorkLine[];
}

export const PART_LINE_HEIGHT = 15;
const TITLE_CHARACTER = 7.6;
const CHARACTER = 6;
const NONE: Size = { width: 0, height: 0 };

/** Checks whether a part is the input or the output of the whole. */
export const isEndPart = ({ kind }: CompositionPart): boolean => kind === 'input' || kind === 'output';

/** The place of a part in the drawing, of its id and the place around it. */
export const placeOfPart = (around: string, { id }: CompositionPart): string =>
  around === '' ? id : `${around}\n${id}`;

/**
 * Lays out a composition: a box for each member and tool, a team around what is in it, lines as work flows, from above to below. Each
 * member's box has `room` for more text below its title. Rows that are wider than `most` are folded.
 */
export const compositionDrawing = (
  composition: Composition,
  room: Size = NONE,
  most = Infinity,
): CompositionDrawing => laidOut(composition, '', room, most);

const laidOut = (composition: Composition, around: string, room: Size, most: number): CompositionDrawing => {
  const { parts, arrows } = composition;
  const sized = parts.map((part) => sizedPart(part, placeOfPart(around, part), room, most));
  const sizes = new Map(sized.map(({ part, size }) => [part.id, size]));
  const flow = foldedFlow(most, sizes, [
    ...arrows.map((arrow) => ({ name: nameOf(arrow), from: arrow.from, to: arrow.to, ...roomFor(arrow) })),
    ...rowPairs(composition).map(foldLine),
  ]);
  const boxes: PartBox[] = [];
  const lines: WorkLine[] = [];
  for (const { part, place, inside, head } of sized) {
    const at = flow.parts.get(part.id) ?? { x: 0, y: 0, ...NONE };
    boxes.push({ ...at, part, place });
    if (inside === undefined) continue;
    const corner = { x: at.x + (at.width - inside.width) / 2, y: at.y + head };
    boxes.push(...inside.boxes.map((box) => shift(box, corner)));
    lines.push(...inside.lines.map((line) => shiftLine(line, corner)));
  }
  lines.push(...arrows.flatMap((arrow) => lineOf(arrow, flow)));
  return { width: flow.width, height: flow.height, boxes, lines };
};

/** The layout with the longest rows that fit, else the narrowest. */
const foldedFlow = (
  most: number,
  sizes: ReadonlyMap<string, Size>,
  lines: readonly FlowLine[],
): FlowLayout => {
  const flow = flowLayout(sizes, lines);
  const rows = rowsOf(flow);
  // No longer row has room.
  const fitting = Math.floor(most / Math.min(...[...sizes.values()].map(({ width }) => width)));
  let narrowest = flow;
  for (let length = Math.min(fitting, longest(rows) - 1); length > 0 && narrowest.width > most; length -= 1) {
    const folded = flowLayout(sizes, [...lines, ...rows.flatMap((row) => foldsOf(row, length))]);
    if (folded.width < narrowest.width) narrowest = folded;
  }
  return narrowest;
};

/** A line that is not drawn: its second part stands below its first. */
const foldLine = ([from, to]: readonly [string, string]): FlowLine => ({
  name: `${from} ${to} fold`,
  from,
  to,
  ...NONE,
});

/** Folds a row into rows of a length. */
const foldsOf = (row: readonly string[], length: number): readonly FlowLine[] =>
  row.slice(length).map((id, index) => foldLine([row[index] ?? id, id]));

const longest = (rows: readonly (readonly string[])[]): number =>
  Math.max(0, ...rows.map(({ length }) => length));

/** The parts beside each other, from the left. */
const rowsOf = ({ parts }: FlowLayout): readonly (readonly string[])[] => {
  const rows = new Map<number, string[]>();
  for (const [id, { y, height }] of [...parts].toSorted(([, one], [, other]) => one.x - other.x)) {
    const middle = Math.round(y + height / 2);
    rows.set(middle, [...(rows.get(middle) ?? []), id]);
  }
  return [...rows.values()];
};

interface SizedPart {
  readonly part: CompositionPart;
  readonly place: string;
  readonly size: Size;
  /** The height of what is above its inside. */
  readonly head: number;
  readonly inside: CompositionDrawing | undefined;
}

const sizedPart = (part: CompositionPart, place: string, room: Size, most: number): SizedPart => {
  const { title, lines } = part;
  const inside = part.inside === undefined ? undefined : laidOut(part.inside, place, room, most - 2 * MARGIN);
  const isEnd = isEndPart(part);
  const spare = isEnd || title === '' ? NONE : room;
  const below = lines.length > 0 ? lines.length * PART_LINE_HEIGHT + 4 : 0;
  const head = title === '' ? 0 : 34 + below + spare.height;
  const width = Math.max(
    isEnd ? 60 : 84,
    title.length * TITLE_CHARACTER + 30,
    ...lines.map((line) => line.length * CHARACTER + 26),
    inside?.width ?? 0,
    spare.width,
  );
  return { part, place, head, inside, size: { width, height: head + (inside?.height ?? 0) } };
};

const lineOf = (arrow: CompositionArrow, { lines }: FlowLayout): readonly WorkLine[] => {
  const line = lines.get(nameOf(arrow));
  return line === undefined ? [] : [{ arrow, ...line }];
};

const nameOf = ({ from, to }: CompositionArrow): string => `${from} ${to}`;

const roomFor = ({ text }: CompositionArrow): Size =>
  text === '' ? NONE : { width: text.length * CHARACTER + 12, height: PART_LINE_HEIGHT };

const shift = <Place extends Point>(place: Place, { x, y }: Point): Place => ({
  ...place,
  x: place.x + x,
  y: place.y + y,
});

const shiftLine = (line: WorkLine, corner: Point): WorkLine => ({
  ...line,
  points: line.points.map((point) => shift(point, corner)),
  label: shift(line.label, corner),
});
