import { describe, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import { modelCallMachine } from '../../src/machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../../src/machines/tool-call/tool-call-machine.ts';
import type { Graph, GraphMove } from '../../src/testing/graph.ts';
import { explore } from '../../src/testing/explore.ts';
import { sampled } from '../support/thorough.ts';
import { agentExplorations, modelExploration, toolExploration } from './explorations.ts';

const size = ({ places, moves }: Graph): string => `${places.length} places, ${moves.length} moves`;

/** A move that nobody has to make from outside; a sleeper without an alarm waits for a message by its own choice. */
const counts = ({ isFromOutside, from }: GraphMove): boolean =>
  !isFromOutside || from.name.startsWith('"waiting"');

const agents = sampled(agentExplorations, 4).map(({ kind, bounded, endless }) => {
  const graphs = { bounded: explore(agentMachine, bounded), endless: explore(agentMachine, endless) };
  return { kind, ...graphs, sizes: `${size(graphs.bounded)}; unbounded: ${size(graphs.endless)}` };
});

describe.each(agents)('[M1] an agent $kind', ({ bounded, endless, sizes }) => {
  test(`of ${sizes} has no dead end but its final states, unless it sleeps without an alarm`, () => {
    expect(bounded.deadEnds(counts)).toEqual([]);
    expect(endless.deadEnds(counts)).toEqual([]);
    const sleepers = bounded.deadEnds(({ isFromOutside }) => !isFromOutside);
    expect(sleepers.length).toBeGreaterThan(0);
  });

  test('[I3] ends in each of its four ways', () => {
    const ends = bounded.places.filter(({ isFinal }) => isFinal).map(({ name }) => name.split(' ')[0]);
    expect(new Set(ends)).toEqual(new Set(['"aborted"', '"completed"', '"failed"', '"stopped"']));
  });

  test('[I4, D31] goes round only through CHECK_STOP, where the step limit holds', () => {
    expect(endless.loops(({ states }) => !states.includes('agent.running.CHECK_STOP'))).toEqual([]);
    expect(endless.loops().length).toBeGreaterThan(0);
  });

  test('[D31] with a limit of steps does not go round at all, whatever messages come', () => {
    expect(bounded.loops()).toEqual([]);
  });
});

const model = explore(modelCallMachine, modelExploration);
const tool = explore(toolCallMachine, toolExploration);

describe.each([
  { name: 'a model call', graph: model, sizes: size(model), ends: 4 },
  { name: 'a tool call', graph: tool, sizes: size(tool), ends: 6 },
])('[M3] $name', ({ graph, ends, sizes }) => {
  test(`of ${sizes} has no dead end but its final states`, () => {
    expect(graph.deadEnds(counts)).toEqual([]);
    const names = graph.places.filter(({ isFinal }) => isFinal).map((place) => place.name.split(' ')[0]);
    expect(new Set(names).size).toBe(ends);
  });

  test('never comes back to where it was: with every round it is another attempt, model or approval', () => {
    expect(graph.loops()).toEqual([]);
  });
});

describe('explore', () => {
  const pit = createMachine({
    id: 'pit',
    initial: 'a',
    states: {
      a: { on: { go: 'b', end: 'c' } },
      b: { on: { back: 'a', fall: 'd' } },
      c: { type: 'final' },
      d: {},
    },
  });
  const graph = explore(pit, {
    input: undefined,
    events: () => ['go', 'back', 'end', 'fall'].map((type) => ({ name: type, event: { type } })),
    tell: () => null,
  });

  test('finds the dead end', () => {
    expect(graph.deadEnds()).toEqual(['"d" null']);
  });

  test('finds what cannot end without a certain move', () => {
    expect(graph.deadEnds(({ event }) => event !== 'end')).toEqual(['"a" null', '"b" null', '"d" null']);
  });

  test('finds the loops, those of a place with itself included', () => {
    expect(graph.loops(({ from, to }) => from !== to)).toEqual([['"a" null', '"b" null', '"a" null']]);
    expect(graph.loops()).toContainEqual(['"d" null', '"d" null']);
  });

  test('says when there is too much', () => {
    expect(() =>
      explore(pit, {
        input: undefined,
        events: () => [{ name: 'go', event: { type: 'go' } }],
        tell: () => null,
        limit: 1,
      }),
    ).toThrow("Cannot explore 'pit' as it has too many places: 1");
  });
});
