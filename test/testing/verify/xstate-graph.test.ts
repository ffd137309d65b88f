import { getShortestPaths } from 'xstate/graph';
import { describe, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { explore } from '../../../src/testing/explore.ts';

/** Machines of several kinds, each with all of its events. */
const machines = [
  {
    name: 'a light',
    machine: createMachine({
      id: 'light',
      initial: 'red',
      states: {
        red: { on: { next: 'green' } },
        green: { on: { next: 'amber', off: 'dark' } },
        amber: { on: { next: 'red' } },
        dark: { type: 'final' },
      },
    }),
    events: ['next', 'off'],
  },
  {
    name: 'a parallel machine',
    machine: createMachine({
      id: 'both',
      type: 'parallel',
      states: {
        ann: {
          initial: 'idle',
          states: { idle: { on: { a: 'busy' } }, busy: { on: { a: 'idle', stop: 'gone' } }, gone: {} },
        },
        bob: { initial: 'idle', states: { idle: { on: { b: 'busy' } }, busy: { on: { b: 'idle' } } } },
      },
    }),
    events: ['a', 'b', 'stop'],
  },
  {
    name: 'a nested machine with transient states',
    machine: createMachine({
      id: 'deep',
      initial: 'outer',
      states: {
        outer: {
          initial: 'one',
          on: { leave: 'end' },
          states: { one: { on: { go: 'between' } }, between: { always: 'two' }, two: { on: { go: 'one' } } },
        },
        end: { on: { back: 'outer' } },
      },
    }),
    events: ['go', 'leave', 'back'],
  },
];

describe('the states that are reached are those that XState finds by its own search', () => {
  test.each(machines)('of $name', ({ machine, events }) => {
    const types = events.map((type) => ({ type }));
    const theirs = getShortestPaths(machine, { events: types }).map(({ state }) =>
      JSON.stringify(state.value),
    );
    const { places } = explore(machine, {
      input: undefined as never,
      events: () => types.map((event) => ({ name: event.type, event: event as never })),
      tell: () => null,
    });
    const ours = places.map(({ name }) => name.replace(/ null$/, ''));
    expect(new Set(ours)).toEqual(new Set(theirs));
    expect(ours).toHaveLength(new Set(theirs).size);
    expect(ours.length).toBeGreaterThan(2);
  });
});
