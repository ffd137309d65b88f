import { describe, expect, test } from 'vitest';
import type { ChartDrawing, StateBox } from '../../../src/inspect/drawing/chart-drawing.ts';
import type { Rectangle } from '../../../src/inspect/drawing/flow-layout.ts';
import { chartDrawing } from '../../../src/inspect/drawing/chart-drawing.ts';
import { effectCharts } from '../../../src/inspect/recording/effect-charts.ts';
import { chartShape } from '../../../src/inspect/recording/chart-shape.ts';
import type { StateShape } from '../../../src/inspect/recording/entry.ts';
import { agentMachine } from '../../../src/machines/agent/agent-machine.ts';
import { modelCallMachine } from '../../../src/machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../../../src/machines/tool-call/tool-call-machine.ts';
import { pipeline } from '../../../src/patterns/pipeline.ts';
import { supervisorWorker } from '../../../src/patterns/supervisor-worker.ts';

const charts: readonly (readonly [string, StateShape])[] = [
  ['agent', chartShape(agentMachine)],
  ['model call', chartShape(modelCallMachine)],
  ['tool call', chartShape(toolCallMachine)],
  ['pipeline', chartShape(pipeline.machine())],
  ['supervisor', chartShape(supervisorWorker.machine())],
  ...Object.entries(effectCharts),
];

const statesIn = (shape: StateShape): readonly StateShape[] => [shape, ...shape.states.flatMap(statesIn)];

const holds = (outer: Rectangle, inner: Rectangle): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

const overlap = (one: Rectangle, other: Rectangle): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** How wide a text is, at least. */
const wide = (text: string): number => text.length * 5;

const boxOf = ({ boxes }: ChartDrawing, id: string): StateBox => {
  const box = boxes.find((each) => each.id === id);
  if (box === undefined) throw new Error(`${id} has no box`);
  return box;
};

describe.each(charts)('the drawing of the chart: %s', (_, shape) => {
  const drawing = chartDrawing(shape);
  const states = statesIn(shape);

  test('has a box for each state but the whole, within that of the state around it', () => {
    const whole = { x: 0, y: 0, width: drawing.width, height: drawing.height };
    const check = (parent: StateShape, around: Rectangle): void => {
      for (const child of parent.states) {
        const box = boxOf(drawing, child.id);
        expect(holds(around, box), child.id).toBe(true);
        check(child, box);
      }
    };
    check(shape, whole);
    expect(drawing.boxes.map(({ id }) => id)).not.toContain(shape.id);
  });

  test('lets no two states lie on each other, and no text on a state', () => {
    const leaves = drawing.boxes.filter(({ type }) => type !== 'compound' && type !== 'parallel');
    for (const [index, box] of leaves.entries()) {
      for (const other of leaves.slice(index + 1))
        expect(overlap(box, other), `${box.id} ${other.id}`).toBe(false);
      for (const { label, ids } of drawing.arrows)
        expect(overlap(box, label), `${box.id} ${ids.join()}`).toBe(false);
    }
  });

  test('has room for all that is written: names, reactions, titles, and the texts of arrows beside each other', () => {
    for (const { id, name, reactions, width, height } of drawing.boxes) {
      expect(width, id).toBeGreaterThan(Math.max(...[name, ...reactions.map(({ text }) => text)].map(wide)));
      expect(height, id).toBeGreaterThan(20 + reactions.length * 14);
      const within = drawing.boxes.filter((each) => each.id.startsWith(`${id}.`));
      const top = drawing.boxes.find((each) => each.id === id)?.y ?? 0;
      for (const child of within) expect(child.y - top, child.id).toBeGreaterThan(24);
    }
    for (const [index, { lines, label, ids }] of drawing.arrows.entries()) {
      expect(label.width, ids.join()).toBeGreaterThan(Math.max(0, ...lines.map(({ text }) => wide(text))));
      expect(label.height, ids.join()).toBeGreaterThanOrEqual(lines.length * 14);
      for (const other of drawing.arrows.slice(index + 1))
        expect(overlap(label, other.label), `${ids.join()} ${other.ids.join()}`).toBe(false);
    }
  });

  test('shows each arrow once: as one that leads somewhere, or as a reaction of its state', () => {
    const all = states.flatMap(({ arrows }) => arrows);
    const drawn = drawing.arrows.flatMap(({ ids }) => ids);
    const leading = all.filter(({ targets }) => targets.length > 0).map(({ id }) => id);
    expect(drawn.toSorted()).toEqual(leading.toSorted());
    const reacting = new Set(
      states.filter(({ arrows }) => arrows.some(({ targets }) => targets.length === 0)).map(({ id }) => id),
    );
    const shown = drawing.boxes
      .filter(({ reactions }) => reactions.length > 0)
      .map(({ id }) => id.replace('::anywhere', ''));
    expect(shown.toSorted()).toEqual([...reacting].toSorted());
  });

  test('marks where each state with others in it begins', () => {
    const first = new Set(states.flatMap(({ initial }) => initial));
    const marked = drawing.boxes.filter(({ isInitial }) => isInitial).map(({ id }) => id);
    expect(marked.toSorted()).toEqual([...first].toSorted());
  });
});
