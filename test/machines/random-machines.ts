import fc from 'fast-check';
import type { AnyStateMachine } from 'xstate';
import { assign, setup } from 'xstate';
import { put } from '../../src/machines/in-force.ts';

/** A machine that nobody would write, within what the table knows, and events for it. */
export interface RandomMachine {
  readonly machine: AnyStateMachine;
  readonly [fc.toStringMethod]: () => string;
  readonly events: readonly { readonly type: string; readonly by: number }[];
}

interface Context {
  readonly count: number;
  readonly seen: readonly string[];
}

type Own = { type: string; by?: number; output?: unknown };

const says = (self: object, text: string, context: Context, event: Own): void => {
  put({
    type: 'enter',
    phase: `${text} on ${event.type} ${JSON.stringify(event.output ?? null)}`,
    step: context.count,
  });
};

const random = setup({
  types: { context: {} as Context, events: {} as Own, input: {} as number },
  actions: {
    says: ({ self, context, event }, { text }: { text: string }) => {
      says(self, text, context, event);
    },
    adds: assign(({ context, event }, { by }: { by: number }) => ({
      count: context.count + by + (event.by ?? 0),
      seen: [...context.seen, event.type].slice(-4),
    })),
    addsByKey: assign({ count: ({ context }) => context.count + 1, seen: () => ['again'] }),
    addsNothing: assign(() => ({})),
    throwsAt: assign(({ context }, { at }: { at: number }) => {
      if (context.count % 11 === at) throw new Error(`an action threw at ${context.count}`);
      return {};
    }),
    shouts: ({ context }, { at }: { at: number }) => {
      if (context.count % 13 === at) throw new TypeError(`a plain action threw at ${context.count}`);
    },
  },
  guards: {
    divides: ({ context, event }, { by, rest }: { by: number; rest: number }) =>
      (context.count + (event.by ?? 0)) % by === rest,
    isBelow: ({ context }, { limit }: { limit: number }) => context.count < limit,
    throwsAt: ({ context }, { at }: { at: number }) => {
      if (context.count % 4 === at) throw new Error(`a guard threw at ${context.count}`);
      return true;
    },
    never: () => false,
  },
});

const EVENTS = ['a', 'b', 'x', 'x.y', 'x.y.z', 'x.w', 'q'];
const DESCRIPTORS = ['a', 'b', 'x', 'x.y', 'x.*', 'x.y.*', 'x.y.z', '*'];

const small = fc.integer({ min: 0, max: 6 });

const action = (isRisky: boolean): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('adds'), params: fc.record({ by: small }) }) },
    { weight: 2, arbitrary: fc.constant('addsByKey') },
    { weight: 1, arbitrary: fc.constant('addsNothing') },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('says'),
        params: fc.record({ text: fc.constantFrom('one', 'two', 'three') }),
      }),
    },
    {
      weight: isRisky ? 1 : 0,
      arbitrary: fc.record({
        type: fc.constantFrom('throwsAt', 'shouts'),
        params: fc.record({ at: small }),
      }),
    },
  );

const guard = (isRisky: boolean): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('divides'),
        params: fc.record({ by: fc.constantFrom(2, 3), rest: fc.constantFrom(0, 1) }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('isBelow'),
        params: fc.record({ limit: fc.integer({ max: 60, min: 1 }) }),
      }),
    },
    { weight: 1, arbitrary: fc.constant('never') },
    {
      weight: isRisky ? 3 : 0,
      arbitrary: fc.record({ type: fc.constant('throwsAt'), params: fc.record({ at: small }) }),
    },
  );

/** A chart's states as a tree, before anything is said of arrows. */
interface Shape {
  readonly type: 'atomic' | 'final' | 'compound' | 'parallel';
  readonly children: readonly Shape[];
}

const shape: fc.Arbitrary<Shape> = fc.letrec<{ state: Shape; leaf: Shape; whole: Shape }>((tie) => ({
  leaf: fc.record({
    type: fc.constantFrom('atomic' as const, 'atomic' as const, 'final' as const),
    children: fc.constant([]),
  }),
  whole: fc.record({
    type: fc.constantFrom('compound' as const, 'compound' as const, 'parallel' as const),
    children: fc.array(tie('state'), { minLength: 1, maxLength: 4 }),
  }),
  state: fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie('leaf'), tie('whole')),
})).whole;

/** The ids of all states, each with those of its own children. */
const idsWithin = (id: string, { children }: Shape): readonly string[] => [
  id,
  ...children.flatMap((child, index) => idsWithin(`${id}-${index}`, child)),
];

/** Is undefined once in `freq` times. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq });

interface Choices {
  readonly ids: readonly string[];
  readonly isRisky: boolean;
  /** Arrows that are taken at once may go round for ever. */
  readonly isEndless: boolean;
}

const arrow = (source: string, { ids, isRisky }: Choices, needsGuard = false): fc.Arbitrary<object> => {
  const target = fc.constantFrom(...ids.map((id) => `#${id}`));
  const inner = ids.filter((id) => id.startsWith(`${source}-`)).map((id) => `#${id}`);
  const targets = fc.oneof(
    { weight: 5, arbitrary: target.map((each) => [each]) },
    ...(inner.length === 0
      ? []
      : [{ weight: 2, arbitrary: fc.constantFrom(...inner).map((each) => [each]) }]),
  );
  return fc
    .record({
      target: needsGuard ? targets : maybe(targets, 4),
      guard: needsGuard ? guard(isRisky) : maybe(guard(isRisky), 3),
      actions: fc.array(action(isRisky), { maxLength: 3 }),
      reenter: fc.constantFrom(false, false, false, true),
    })
    .map(dense);
};

const dense = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

const stateOf = (id: string, { type, children }: Shape, choices: Choices): fc.Arbitrary<object> => {
  const { isRisky, isEndless } = choices;
  const inner = children.map((child, index) => stateOf(`${id}-${index}`, child, choices));
  const keys = children.map((_, index) => `${id}-${index}`.replaceAll('-', '_'));
  const actions = fc.array(action(isRisky), { maxLength: 2 });
  const isFinal = type === 'final';
  const arrows = fc.array(arrow(id, choices), { minLength: 1, maxLength: 3 });
  return fc
    .record({
      id: fc.constant(id),
      type: fc.constant(type),
      entry: actions,
      exit: actions,
      on: isFinal
        ? fc.constant(undefined)
        : fc.dictionary(fc.constantFrom(...DESCRIPTORS), arrows, { maxKeys: 4 }),
      always: isFinal
        ? fc.constant(undefined)
        : maybe(fc.array(arrow(id, choices, !isEndless), { minLength: 1, maxLength: 2 }), 2),
      onDone: type === 'compound' || type === 'parallel' ? maybe(arrow(id, choices)) : fc.constant(undefined),
      output: isFinal
        ? maybe(
            fc.oneof(
              fc.constant({ fixed: 1 }),
              fc.constant(({ context, event }: { context: Context; event: Own }) => ({
                count: context.count,
                by: event.type,
              })),
            ),
          )
        : fc.constant(undefined),
      initial:
        type === 'compound'
          ? fc
              .tuple(fc.constantFrom(...keys), maybe(actions, 3))
              .map(([target, acts]) => (acts === undefined ? target : { target, actions: acts }))
          : fc.constant(undefined),
      states:
        children.length === 0
          ? fc.constant(undefined)
          : fc
              .tuple(...inner)
              .map((states) => Object.fromEntries(states.map((each, index) => [keys[index], each]))),
    })
    .map(dense);
};

/** Machines with states within states and side by side, and with all else that the table knows. */
export const randomMachines: fc.Arbitrary<RandomMachine> = fc
  .tuple(shape, fc.boolean(), fc.integer({ min: 0, max: 3 }))
  .chain(([whole, isRisky, endless]) => {
    const ids = idsWithin('s', whole);
    const choices: Choices = { ids, isRisky, isEndless: endless === 0 };
    return fc.record({
      chart: stateOf('s', whole, choices),
      events: fc.array(fc.record({ type: fc.constantFrom(...EVENTS), by: small }), {
        minLength: 4,
        maxLength: 14,
      }),
      leaves: fc.boolean(),
    });
  })
  .map(({ chart, events, leaves }) => {
    const output = ({ context, event }: { context: Context; event: Own }) => ({
      count: context.count,
      by: event.type,
      of: event.output ?? null,
    });
    const machine: AnyStateMachine = random.createMachine({
      ...chart,
      context: ({ input }: { input: number }) => ({ count: input, seen: [] }),
      options: { maxIterations: 30 },
      ...(leaves ? { output } : {}),
    } as Parameters<typeof random.createMachine>[0]);
    return {
      machine,
      events,
      [fc.toStringMethod]: () => JSON.stringify({ chart, events, leaves }),
    };
  });

/** XState gives up endless loops by itself: since 5.31. Before, the table alone does. */
export const isBounded: boolean = 'options' in setup({}).createMachine({});
