import { describe, expect, test } from 'vitest';
import { chartDrawing } from '../../../src/inspect/drawing/chart-drawing.ts';
import type { ChartPart, ChartPosition } from '../../../src/inspect/drawing/chart-fold.ts';
import { foldChart } from '../../../src/inspect/drawing/chart-fold.ts';
import { chartInWords, eventWords } from '../../../src/inspect/drawing/event-words.ts';
import { chartShape } from '../../../src/inspect/recording/chart-shape.ts';
import type { StateShape } from '../../../src/inspect/recording/entry.ts';
import { agentMachine } from '../../../src/machines/agent/agent-machine.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { definitionOf } from '../../../src/runtime/define/definition.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { workflow } from '../../../src/patterns/index.ts';
import * as house from '../../../src/patterns/house.ts';

const worker = agent({ name: 'worker', model: scriptedModel(['done']) });
const flow = workflow({ name: 'flow' })
  .node('plan', worker)
  .node('search', worker, { after: 'plan' })
  .node('read', worker, { after: 'plan' })
  .node('check', worker, { after: 'plan' })
  .node('write', worker, { after: 'plan' })
  .node('translate', worker, { after: 'plan' })
  .node('illustrate', worker, { after: 'plan' })
  .node('publish', worker, { after: 'plan' })
  .output('publish')
  .build();

const teams: readonly (readonly [string, StateShape])[] = [
  ...Object.values(house).map(({ name, machine }) => [name, chartShape(machine())] as const),
  ['a workflow of 8 nodes', chartShape(definitionOf(flow)?.machine ?? agentMachine)],
];
const whole = chartShape(agentMachine);
const charts = [['agent', whole] as const, ...teams];

const both: ReadonlySet<ChartPart> = new Set(['lifeCycle', 'recovery']);
const none: ReadonlySet<ChartPart> = new Set();

const statesIn = (shape: StateShape): readonly StateShape[] => [shape, ...shape.states.flatMap(statesIn)];
const eventsIn = (shape: StateShape): ReadonlySet<string> =>
  new Set(statesIn(shape).flatMap(({ arrows }) => arrows.map(({ event }) => event)));
const keysIn = (shape: StateShape): readonly string[] => statesIn(shape).map(({ key }) => key);

const at = (states: readonly string[], taken: readonly string[] = [], arrows = taken): ChartPosition => ({
  states,
  arrows,
  taken: new Set(taken),
});

const arrowId = (shape: StateShape, from: string, event: string): string => {
  const found = statesIn(shape)
    .find(({ id }) => id === from)
    ?.arrows.find((arrow) => arrow.event === event);
  if (found === undefined) throw new Error(`${from} has no arrow for ${event}`);
  return found.id;
};

/** The room of a chart in a window of 1280 by 800, with bars around it. */
const room = { width: 664, height: 588 };
const LEAST_SCALE = 11 / 12;

describe.each(charts)('the folded chart: %s', (_, shape) => {
  test('fits a window of 1280 by 800 at a scale at which its texts have 11 px', () => {
    const { width, height } = chartDrawing(chartInWords(foldChart(shape, none).shape));
    expect(width * LEAST_SCALE).toBeLessThanOrEqual(room.width);
    expect(height * LEAST_SCALE).toBeLessThanOrEqual(room.height);
  });

  test('is without ends, aborts, expired time and failures, and begins somewhere', () => {
    const folded = foldChart(shape, none);
    expect([...folded.parts].toSorted()).toEqual(['lifeCycle', 'recovery']);
    expect(folded.opened.size).toBe(0);
    expect(folded.shape.states.filter(({ type }) => type === 'final')).toEqual([]);
    const events = [...eventsIn(folded.shape)];
    expect(events.filter((event) => /^(?:abort|expired\.|failed)/.test(event))).toEqual([]);
    const ids = new Set(statesIn(folded.shape).map(({ id }) => id));
    expect(folded.shape.initial.length).toBe(1);
    for (const { initial, arrows } of statesIn(folded.shape))
      for (const id of [...initial, ...arrows.flatMap(({ targets }) => targets)])
        expect(ids.has(id), id).toBe(true);
  });

  test('is the whole chart where both parts are wanted', () => {
    expect(foldChart(shape, both).shape).toEqual(shape);
  });

  test('has the state that its actor is in, whichever that is', () => {
    for (const { id } of statesIn(shape).filter(({ states }) => states.length === 0))
      expect(statesIn(foldChart(shape, none, at([id])).shape).map((each) => each.id)).toContain(id);
  });
});

describe('a folded chart opens', () => {
  test('the end at which its actor is, and no other', () => {
    const { shape, opened } = foldChart(whole, none, at(['agent.completed']));
    expect(keysIn(shape)).toContain('completed');
    expect(keysIn(shape)).not.toContain('stopped');
    expect([...opened]).toEqual(['lifeCycle']);
  });

  test('its preparation while that is left, and no longer', () => {
    const prepared = whole.states.find(({ key }) => key === 'preparing')?.arrows.at(-1)?.id as string;
    expect(keysIn(foldChart(whole, none, at(['agent.running.DECIDE'], [prepared])).shape)).toContain(
      'preparing',
    );
    const later = at(['agent.running.DECIDE'], [prepared], []);
    expect(keysIn(foldChart(whole, none, later).shape)).not.toContain('preparing');
  });

  test('a recovery that was needed, for good', () => {
    const recovered = arrowId(whole, 'agent.running.DECIDE', 'failed.decide');
    const { shape, opened } = foldChart(whole, none, at(['agent.running.DECIDE'], [recovered], []));
    expect(eventsIn(shape)).toContain('failed.decide');
    expect(eventsIn(shape)).not.toContain('failed.act');
    expect([...opened]).toEqual(['recovery']);
  });

  test('nothing that is wanted anyway', () => {
    expect(foldChart(whole, both, at(['agent.completed'])).opened.size).toBe(0);
  });
});

test('a chart that is nothing but ends is shown whole', () => {
  const end: StateShape = { id: 'm.end', key: 'end', type: 'final', initial: [], states: [], arrows: [] };
  const shape: StateShape = {
    id: 'm',
    key: 'm',
    type: 'compound',
    initial: ['m.end'],
    states: [end],
    arrows: [],
  };
  expect(foldChart(shape, none).shape).toBe(shape);
});

test('events are said in words, and others as they are', () => {
  expect(['answered.decide', 'answered.pay', 'failed.*', 'message', 'answered.*'].map(eventWords)).toEqual([
    'decided',
    'pay answered',
    'failed',
    'message',
    'answered',
  ]);
});
