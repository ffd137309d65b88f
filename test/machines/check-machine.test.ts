import type { AnyStateMachine } from 'xstate';
import {
  assign,
  createActor,
  createMachine,
  enqueueActions,
  fromPromise,
  raise,
  sendParent,
  sendTo,
  setup,
} from 'xstate';
import { spawnChild, stopChild, cancel } from 'xstate';
import { describe, expect, test } from 'vitest';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import { assertMachine, checkMachine } from '../../src/machines/check-machine.ts';
import { modelCallMachine } from '../../src/machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../../src/machines/tool-call/tool-call-machine.ts';
import { isBounded } from './random-machines.ts';

const options = { maxIterations: 100 };
const work = fromPromise(async () => 1);

/** A machine that keeps every rule, to break one at a time. */
const base = setup({
  actions: { note: () => undefined, count: assign({}) },
  guards: { isTrue: () => true },
});
const start = { description: 'Where it begins.', on: { go: 'end' } } as const;
const end = { description: 'Where it ends.', type: 'final' } as const;
const good = base.createMachine({
  id: 'good',
  description: 'A good machine.',
  options,
  initial: 'start',
  states: {
    start: {
      description: 'Where it begins.',
      entry: ['note', { type: 'count' }],
      on: { go: { guard: 'isTrue', target: 'end', actions: 'note' }, 'failed.*': 'end' },
    },
    end,
  },
});

const frame = { id: 'bad', description: 'A bad machine.', options, initial: 'start' } as const;
const withAction = (bad: Parameters<AnyStateMachine['provide']>[0]): AnyStateMachine =>
  createMachine({ ...frame, states: { start, end } }).provide(bad);

const bad: readonly { rule: string; machine: () => AnyStateMachine; says: RegExp }[] = [
  {
    rule: 'an id',
    machine: () => createMachine({ ...frame, id: undefined, states: { start, end } }),
    says: /has no id/,
  },
  {
    rule: 'a limit of iterations',
    machine: () => createMachine({ ...frame, options: {}, states: { start, end } }),
    says: /maxIterations/,
  },
  {
    rule: 'a limit of iterations that is one',
    machine: () => createMachine({ ...frame, options: { maxIterations: Infinity }, states: { start, end } }),
    says: /maxIterations/,
  },
  {
    rule: 'unique ids',
    machine: () =>
      createMachine({ ...frame, states: { start: { ...start, id: 'same' }, end: { ...end, id: 'same' } } }),
    says: /several states have the id 'same'/,
  },
  {
    rule: 'a description of every state',
    machine: () => createMachine({ ...frame, states: { start: { on: { go: 'end' } }, end } }),
    says: /'bad\.start' has no description/,
  },
  {
    rule: 'a description of the chart',
    machine: () => createMachine({ ...frame, description: ' ', states: { start, end } }),
    says: /'bad' has no description/,
  },
  {
    rule: 'no invoke',
    machine: () => createMachine({ ...frame, states: { start: { ...start, invoke: { src: work } }, end } }),
    says: /'bad\.start' invokes/,
  },
  {
    rule: 'no after',
    machine: () => createMachine({ ...frame, states: { start: { ...start, after: { 100: 'end' } }, end } }),
    says: /'bad\.start' uses after/,
  },
  {
    rule: 'no inline action on entry',
    machine: () => createMachine({ ...frame, states: { start: { ...start, entry: () => undefined }, end } }),
    says: /state 'bad\.start' has an inline action/,
  },
  {
    rule: 'no inline action on exit',
    machine: () => createMachine({ ...frame, states: { start: { ...start, exit: assign({}) }, end } }),
    says: /state 'bad\.start' has an inline action/,
  },
  {
    rule: 'no inline action on an arrow',
    machine: () =>
      createMachine({
        ...frame,
        states: { start: { ...start, on: { go: { target: 'end', actions: () => undefined } } }, end },
      }),
    says: /arrow 'bad\.start: go #0' has an inline action/,
  },
  {
    rule: 'no inline action on an initial arrow',
    machine: () =>
      createMachine({
        ...frame,
        initial: { target: 'start', actions: () => undefined },
        states: { start, end },
      }),
    says: /state 'bad' has an inline action/,
  },
  {
    rule: 'no inline guard',
    machine: () =>
      createMachine({
        ...frame,
        states: { start: { ...start, on: { go: { target: 'end', guard: () => true } } }, end },
      }),
    says: /has an inline guard/,
  },
  {
    rule: 'no inline guard of an always arrow',
    machine: () =>
      createMachine({
        ...frame,
        states: { start: { ...start, always: { target: 'end', guard: () => true } }, end },
      }),
    says: /always #0 \[inline\]' has an inline guard/,
  },
  {
    rule: 'no inline params',
    machine: () =>
      base.createMachine({
        ...frame,
        states: { start: { ...start, entry: { type: 'note', params: () => undefined } }, end },
      }),
    says: /computes the params of action 'note'/,
  },
  {
    rule: 'actions that somebody defines',
    machine: () => createMachine({ ...frame, states: { start: { ...start, entry: 'nobody' }, end } }),
    says: /the action 'nobody', which nobody defines/,
  },
  {
    rule: 'guards that somebody defines',
    machine: () =>
      createMachine({
        ...frame,
        states: { start: { ...start, on: { go: { target: 'end', guard: 'toString' } } }, end },
      }),
    says: /the guard 'toString', which nobody defines/,
  },
  {
    rule: 'no answer to every event',
    machine: () => createMachine({ ...frame, states: { start: { ...start, on: { '*': 'end' } }, end } }),
    says: /start: \* #0' answers to every event/,
  },
  {
    rule: 'no state that re-enters itself',
    machine: () =>
      createMachine({
        ...frame,
        states: { start: { ...start, on: { go: 'end', again: { target: 'start', reenter: true } } }, end },
      }),
    says: /start: again #0' re-enters/,
  },
  {
    rule: 'no spawnChild',
    machine: () => withAction({ actions: { act: spawnChild(work) } }),
    says: /action 'act' spawns a child/,
  },
  {
    rule: 'no stopChild',
    machine: () => withAction({ actions: { act: stopChild('x') } }),
    says: /action 'act' stops a child/,
  },
  {
    rule: 'no sendTo',
    machine: () => withAction({ actions: { act: sendTo('x', { type: 'go' }) } }),
    says: /action 'act' sends to another actor/,
  },
  {
    rule: 'no sendParent',
    machine: () => withAction({ actions: { act: sendParent({ type: 'go' }) } }),
    says: /action 'act' sends to another actor/,
  },
  {
    rule: 'no raise with a delay',
    machine: () => withAction({ actions: { act: raise({ type: 'go' }, { delay: 10 }) } }),
    says: /action 'act' raises with a delay/,
  },
  {
    rule: 'no cancel',
    machine: () => withAction({ actions: { act: cancel('x') } }),
    says: /action 'act' cancels/,
  },
  {
    rule: 'no enqueueActions',
    machine: () => withAction({ actions: { act: enqueueActions(() => undefined) } }),
    says: /action 'act' enqueues/,
  },
  { rule: 'no actors', machine: () => withAction({ actors: { work } }), says: /declares 'work' in actors/ },
  {
    rule: 'no delays',
    machine: () => withAction({ delays: { soon: 10 } }),
    says: /declares 'soon' in delays/,
  },
  {
    rule: 'states that can be reached',
    machine: () =>
      createMachine({ ...frame, states: { start, end, island: { ...start, description: 'Nowhere.' } } }),
    says: /'bad\.island' cannot be reached/,
  },
  {
    rule: 'final states that can be reached',
    machine: () =>
      createMachine({ ...frame, states: { start, end, never: { ...end, description: 'Not at all.' } } }),
    says: /'bad\.never' cannot be reached/,
  },
  {
    rule: 'an end',
    machine: () => createMachine({ ...frame, states: { start: { description: 'For ever.' } } }),
    says: /no final state can be reached/,
  },
  {
    rule: 'a way to an end from everywhere',
    machine: () =>
      createMachine({
        ...frame,
        states: { start: { ...start, on: { go: 'end', stray: 'pit' } }, end, pit: { description: 'A pit.' } },
      }),
    says: /'bad\.pit' has no way to an end/,
  },
];

describe('checkMachine', () => {
  test.each([agentMachine, modelCallMachine, toolCallMachine, good])('finds nothing in $id', (machine) => {
    expect(checkMachine(machine)).toEqual([]);
    expect(() => {
      assertMachine(machine);
    }).not.toThrow();
  });

  test.each(bad)('asks for $rule', ({ machine, says }) => {
    const problems = checkMachine(machine());
    expect(problems.filter((problem) => says.test(problem))).toHaveLength(1);
    // What a bad sample breaks besides, it breaks by the same construct: after is an arrow and an action, too.
    expect(problems.length).toBeLessThanOrEqual(4);
  });

  test('a raise without a delay is allowed', () => {
    expect(checkMachine(withAction({ actions: { act: raise({ type: 'go' }) } }))).toEqual([]);
  });

  test('assertMachine names all problems at once', () => {
    const machine = createMachine({ initial: 'start', states: { start, end } });
    const thrown = (() => {
      try {
        assertMachine(machine);
        return undefined;
      } catch (error) {
        return error;
      }
    })();
    expect(isTroupeError(thrown, 'machine.invalid')).toBe(true);
    expect(String(thrown)).toMatch(
      /Cannot run machine '.*' as it breaks the rules of the house: .*has no id; .*maxIterations; .*no description/,
    );
  });
});

// Older versions of XState loop for ever (decision 0030).
test.runIf(isBounded)('[law 7] an always loop ends in an error instead of hanging', () => {
  const loop = createMachine({
    ...frame,
    states: {
      start: { description: 'Round', always: 'back' },
      back: { description: 'and round.', always: 'start' },
      end,
    },
  });
  const actor = createActor(loop);
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  expect(actor.getSnapshot().status).toBe('error');
  expect(String(errors[0])).toMatch(/more than 100 microsteps/);
});
