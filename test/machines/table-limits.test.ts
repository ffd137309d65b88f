import { describe, expect, test } from 'vitest';
import { and, assign, createMachine, emit, raise, setup } from 'xstate';
import type { AnyStateMachine } from 'xstate';
import * as house from '../../src/patterns/house.ts';
import { agentMachine } from '../../src/machines/agent/agent-machine.ts';
import { modelCallMachine } from '../../src/machines/model-call/model-call-machine.ts';
import { compile, CompiledMachine } from '../../src/machines/table/compiled-machine.ts';
import { toolCallMachine } from '../../src/machines/tool-call/tool-call-machine.ts';
import { inertScope } from '../../src/runtime/turn/quiet-scope.ts';
import { agentInput } from './agent-walks.ts';
import { isBounded } from './random-machines.ts';
import { beginTwins, moveTwins, tableOf } from './side-by-side.ts';

const scope = inertScope();

const shipped = { agentMachine, modelCallMachine, toolCallMachine };
const all: readonly (readonly [string, AnyStateMachine])[] = [
  ...Object.entries(shipped),
  ...Object.entries(house).map(([name, { machine }]) => [name, machine()] as const),
];

test.each(all)('%s has a table', (_name, machine) => {
  expect(compile(machine)).toBeInstanceOf(CompiledMachine);
});

test('a table is made once for each machine, and one with other functions is another machine', () => {
  expect(compile(agentMachine)).toBe(compile(agentMachine));
  const seen: string[] = [];
  const machine = setup({ actions: { tell: () => void seen.push('first') } }).createMachine({
    on: { go: { actions: 'tell' } },
  });
  const provided = machine.provide({ actions: { tell: () => void seen.push('second') } });
  for (const each of [machine, provided]) {
    const table = tableOf(each);
    table.next(table.initial(undefined, scope), { type: 'go' }, scope);
  }
  expect(seen).toEqual(['first', 'second']);
});

const unknown: Readonly<Record<string, readonly [reason: string, machine: () => AnyStateMachine]>> = {
  'a history': [
    "the state 'm.past' is a history",
    () => createMachine({ id: 'm', initial: 'a', states: { a: {}, past: { type: 'history' } } }),
  ],
  'an invoked actor': [
    "the state 'm' invokes an actor",
    () => createMachine({ id: 'm', invoke: { src: createMachine({}) } }),
  ],
  'a timer': ["the state 'm' uses after", () => createMachine({ id: 'm', after: { 10: {} } })],
  'an event raised': [
    "in the state 'm', the action 'again' is 'xstate.raise'",
    () => setup({ actions: { again: raise({ type: 'x' }) } }).createMachine({ id: 'm', entry: 'again' }),
  ],
  'an event emitted': [
    "in the state 'm', the action 'emit' is 'xstate.emit'",
    () => createMachine({ id: 'm', exit: emit({ type: 'x' }) }),
  ],
  'an action that nobody defines': [
    "in the state 'm', the action 'nothing' is not implemented by a function",
    () => createMachine({ id: 'm', on: { x: { actions: 'nothing' } } }),
  ],
  'a guard that nobody defines': [
    "in the state 'm', the guard 'nothing' is not implemented by a function",
    () => createMachine({ id: 'm', on: { x: { guard: 'nothing' } } }),
  ],
  "a guard of XState's own": [
    "in the state 'm', the guard 'and' is one of XState's own",
    () => createMachine({ id: 'm', on: { x: { guard: and([() => true]) } } }),
  ],
  'computed params': [
    "in the state 'm', the params of 'tell' are computed",
    () =>
      setup({ actions: { tell: (_given, _params: number) => undefined } }).createMachine({
        id: 'm',
        entry: { type: 'tell', params: () => 1 },
      }),
  ],
  'several targets': [
    "in the state 'm', an arrow has several targets",
    () =>
      createMachine({
        id: 'm',
        type: 'parallel',
        on: { x: { target: ['.a', '.b'] } },
        states: { a: {}, b: {} },
      }),
  ],
  'one id twice': [
    "several states have the id 'x'",
    () => createMachine({ id: 'm', initial: 'a', states: { a: { id: 'x' }, b: { id: 'x' } } }),
  ],
};

test.each(Object.entries(unknown))(
  'a machine that uses %s has none, and it says why',
  (_what, [reason, make]) => {
    expect(compile(make())).toEqual({ reason });
  },
);

test('a child that a context spawns is refused with what to do instead', () => {
  const machine = createMachine({
    context: {},
    on: { go: { actions: assign({ child: ({ spawn }) => spawn(createMachine({})) }) } },
  });
  const table = tableOf(machine);
  expect(() => table.next(table.initial(undefined, scope), { type: 'go' }, scope)).toThrow(
    'Cannot spawn an actor in a context: engage it as an output instead',
  );
});

test('an event that is called like the wildcard is refused as XState refuses it', () => {
  const table = tableOf(agentMachine);
  const first = table.initial(agentInput(), scope);
  expect(() => table.next(first, { type: '*' }, scope)).toThrow(
    "An event cannot have the wildcard type ('*')",
  );
});

describe('a genuine snapshot', () => {
  const machine = agentMachine.provide({});
  let made = 0;
  const resolveState = machine.resolveState.bind(machine);
  machine.resolveState = (...given) => {
    made += 1;
    return resolveState(...given);
  };
  const table = tableOf(machine);

  test('is made when somebody asks for it, once, and is what XState makes', () => {
    const first = table.initial(agentInput(), scope);
    const next = table.next(first, { type: 'abort', at: 1, reason: 'enough' } as { type: 'abort' }, scope);
    expect(next.value).toBe('aborted');
    expect(made).toBe(0);
    expect(first.genuine.matches('preparing')).toBe(true);
    expect(first.genuine.can({ type: 'abort', at: 1, reason: 'enough' })).toBe(true);
    expect(first.genuine).toBe(first.genuine);
    expect(made).toBe(1);
    const byXState = agentMachine.getInitialSnapshot(scope, agentInput());
    expect(JSON.stringify(first.genuine)).toBe(JSON.stringify(byXState));
    expect(machine.getPersistedSnapshot(first.genuine)).toEqual(agentMachine.getPersistedSnapshot(byXState));
    expect(next.genuine.status).toBe('done');
    expect(next.genuine.output).toEqual(next.output);
  });
});

test('an action that keeps what it was handed does not see it change', () => {
  const kept: { readonly context: { readonly count: number } }[] = [];
  const machine = setup({
    types: { context: {} as { readonly count: number } },
    actions: {
      keep: (given) => void kept.push(given),
      add: assign(({ context }) => ({ count: context.count + 1 })),
    },
  }).createMachine({ context: { count: 0 }, on: { go: { actions: ['keep', 'add', 'keep'] } } });
  const table = tableOf(machine);
  table.next(table.initial(undefined, scope), { type: 'go' }, scope);
  expect(kept.map(({ context }) => context.count)).toEqual([0, 1]);
});

test('what functions are handed is made again only where the context changed', () => {
  const kept: object[] = [];
  const machine = setup({
    types: { context: {} as { readonly count: number } },
    actions: {
      keep: (given) => void kept.push(given),
      add: assign(({ context }) => ({ count: context.count + 1 })),
    },
  }).createMachine({ context: { count: 0 }, on: { go: { actions: ['keep', 'keep', 'add', 'keep'] } } });
  const table = tableOf(machine);
  table.next(table.initial(undefined, scope), { type: 'go' }, scope);
  const [first, second, third] = kept;
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test.runIf(isBounded).each([4, 5, 6, 7])(
  'a chain of five steps ends, or is endless, as XState has it: limit %i',
  (limit) => {
    const chain = ['a', 'b', 'c', 'd', 'e'].map(
      (key, index) => [key, { always: 'bcdef'.charAt(index) }] as const,
    );
    const machine = createMachine({
      id: 'chain',
      options: { maxIterations: limit },
      initial: 'a',
      states: { ...Object.fromEntries(chain), f: {} },
    });
    const found = beginTwins(machine, undefined);
    expect(typeof found === 'string' ? 'endless' : found.byTable.value).toBe(limit < 6 ? 'endless' : 'f');
  },
);

test.each([
  ['an error', new Error('bad')],
  ['null', null],
  ['a word', 'bad'],
])('a guard without a name that throws %s is reported as XState reports it', (_what, thrown) => {
  const machine = createMachine({
    id: 'm',
    on: {
      x: {
        guard: () => {
          // eslint-disable-next-line typescript/only-throw-error -- an app may throw anything
          throw thrown;
        },
      },
    },
  });
  const twins = beginTwins(machine, undefined);
  if (typeof twins === 'string') throw new Error(twins);
  expect(moveTwins(twins, { type: 'x' })).toEqual(expect.stringMatching(/^(TypeError|Error): /));
});
