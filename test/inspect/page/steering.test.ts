import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chartDrawing } from '../../../src/inspect/drawing/chart-drawing.ts';
import {
  isAtPlace,
  markOfArrow,
  placesAt,
  placesIn,
  placeText,
} from '../../../src/inspect/page/chart/chart-places.ts';
import { editableJson, readJson } from '../../../src/inspect/page/editable-json.ts';
import { untilText } from '../../../src/inspect/page/until.ts';
import { chartShape } from '../../../src/inspect/recording/chart-shape.ts';
import { agentMachine } from '../../../src/machines/agent/agent-machine.ts';
import { supervisorWorker } from '../../../src/patterns/supervisor-worker.ts';

const charts = [
  ['an agent', chartShape(agentMachine)],
  ['a supervisor', chartShape(supervisorWorker.machine())],
] as const;

describe.each(charts)('in the chart of %s', (_, shape) => {
  const drawing = chartDrawing(shape);

  test('a click on a state is one on it, with its reactions', () => {
    for (const box of drawing.boxes) {
      if (box.type === 'compound' || box.type === 'parallel') continue;
      const found = placesAt(drawing, { x: box.x + box.width / 2, y: box.y + 12 }, 5).map(({ id }) => id);
      const reactions = box.reactions.flatMap(({ ids }) => ids);
      expect(found).toEqual(box.type === 'anywhere' ? reactions : [box.id, ...reactions]);
    }
  });

  test('a click on the text of an arrow, or on its mark, is one on all that it stands for', () => {
    const arrows = drawing.arrows.filter(({ lines }) => lines.length > 0);
    expect(arrows.length).toBeGreaterThan(3);
    for (const arrow of arrows) {
      const { x, y, width, height } = arrow.label;
      const middle = { x: x + width / 2, y: y + height / 2 };
      for (const point of [middle, markOfArrow(arrow)])
        expect(placesAt(drawing, point, 5).map(({ id }) => id)).toEqual(arrow.ids);
    }
  });

  test('a click just within a state is one on it, although arrows end there', () => {
    const ends = drawing.arrows.flatMap(({ points, to }) => {
      const [end, box] = [points.at(-1), drawing.boxes.find(({ id }) => id === to)];
      const isPlain = box !== undefined && ['atomic', 'final'].includes(box.type);
      return isPlain && end?.y === box.y ? [{ id: to, at: { x: end.x, y: end.y + 2 } }] : [];
    });
    expect(ends.length).toBeGreaterThan(1);
    for (const { id, at } of ends) expect(placesAt(drawing, at, 5)[0]).toEqual({ kind: 'state', id });
  });

  test('a click beside everything is one on the state around, or on nothing', () => {
    expect(placesAt(drawing, { x: -50, y: -50 }, 5)).toEqual([]);
  });

  test('each place has its own breakpoint, and a name that says where it leads from', () => {
    const states = placesIn(shape, 'state').map((id) => ({ kind: 'state' as const, id }));
    const arrows = placesIn(shape, 'arrow').map((id) => ({ kind: 'arrow' as const, id }));
    const places = [...states, ...arrows];
    for (const place of places) {
      const at = places.filter((each) => isAtPlace({ kind: place.kind, value: place.id }, each));
      expect(at).toEqual([place]);
      expect(place.id.endsWith(placeText(place))).toBe(true);
    }
  });
});

test('a breakpoint at a state by the last part of its name, and at a guard, is marked where it holds', () => {
  const acts = { kind: 'state', id: 'agent.running.ACT' } as const;
  expect(isAtPlace({ kind: 'state', value: 'ACT' }, acts)).toBe(true);
  expect(isAtPlace({ kind: 'state', value: 'CT' }, acts)).toBe(false);
  const arrow = { kind: 'arrow', id: 'agent.running.ACT: answered.act #1 [isTroubled]' } as const;
  expect(isAtPlace({ kind: 'guard', value: 'isTroubled' }, arrow)).toBe(true);
  expect(isAtPlace({ kind: 'event', value: 'answered.act' }, arrow)).toBe(false);
  expect(placeText(arrow)).toBe('ACT: answered.act #1 [isTroubled]');
});

describe('arguments that a person edits', () => {
  test('are shown without anything invisible, and read back as they were', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = editableJson(value);
        expect(text).not.toMatch(/[^\n\P{C}]|[\u2028\u2029]/u);
        const read = readJson(text);
        // What is no exact number is not read at all.
        fc.pre(read.ok);
        expect(read).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) as unknown });
      }),
    );
    const hidden = `pay \u202eeve\u202c ${String.fromCodePoint(0xe0049)}\u200b\nnow`;
    expect(editableJson({ hidden })).toContain('pay \\u202eeve\\u202c \\udb40\\udc49\\u200b\\nnow');
    expect(readJson(editableJson({ hidden }))).toEqual({ ok: true, value: { hidden } });
  });

  test.each(['', '{', '{"a": 1,}', "{'a': 1}", '[1, 12345678901234567890]', '{"a": {"b": 1e999}}'])(
    'are not sent where they are %j',
    (text) => {
      expect(readJson(text).ok).toBe(false);
    },
  );
});

test('until when a request waits is said with the day where it is another one, and what is left', () => {
  const at = new Date(2026, 10, 26, 14, 5, 10).getTime();
  expect(untilText(at, at - 90_000)).toBe('waits until 14:05:10, 1 min 30 s more');
  expect(untilText(at, at - 9_400)).toBe('waits until 14:05:10, 10 s more');
  expect(untilText(at, at - 3 * 86_400_000)).toBe('waits until 26 Nov, 14:05:10, 72 h 0 min more');
  expect(untilText(at, at)).toBe('waited until 14:05:10');
});
