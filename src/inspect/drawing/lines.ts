import type { Point, Rectangle } from './flow-layout.ts';

/** Checks whether a straight line comes into a box. */
export const crosses = (from: Point, to: Point, box: Rectangle): boolean => {
  let [enter, leave] = [0, 1];
  for (const [start, way, low, high] of [
    [from.x, to.x - from.x, box.x, box.x + box.width],
    [from.y, to.y - from.y, box.y, box.y + box.height],
  ] as const) {
    if (way === 0) {
      if (start <= low || start >= high) return false;
      continue;
    }
    const [one, other] = [(low - start) / way, (high - start) / way];
    enter = Math.max(enter, Math.min(one, other));
    leave = Math.min(leave, Math.max(one, other));
  }
  return enter < leave;
};

/** A line as the path of an SVG, round where it bends. */
export const roundedPath = (points: readonly Point[], radius = 14): string => {
  const [start] = points;
  const end = points.at(-1);
  if (start === undefined || end === undefined) return '';
  let path = `M${at(start)}`;
  points.slice(1, -1).forEach((corner, index) => {
    const [before, after] = [points[index], points[index + 2]];
    if (before === undefined || after === undefined) return;
    path += `L${at(towards(corner, before, radius))}Q${at(corner)} ${at(towards(corner, after, radius))}`;
  });
  return `${path}L${at(end)}`;
};

const at = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** The point on the way from one point to another, at most half of it away. */
const towards = (from: Point, to: Point, distance: number): Point => {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(distance / length, 0.5);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
};

/** The head of an arrow that ends with a line. */
export const arrowHead = (points: readonly Point[], size = 7): string => {
  const tip = points.at(-1);
  const before = points.findLast(
    (each) => tip !== undefined && Math.hypot(tip.x - each.x, tip.y - each.y) > 1,
  );
  if (tip === undefined || before === undefined) return '';
  const turn = Math.atan2(tip.y - before.y, tip.x - before.x);
  const side = (angle: number): string =>
    at({ x: tip.x - size * Math.cos(turn + angle), y: tip.y - size * Math.sin(turn + angle) });
  return `M${at(tip)}L${side(0.42)}L${side(-0.42)}Z`;
};
