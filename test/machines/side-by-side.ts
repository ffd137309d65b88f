import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { AnyStateMachine, EventFromLogic, EventObject, InputFrom } from 'xstate';
import type { Output } from '../../src/machines/outputs.ts';
import type { Rules } from '../../src/machines/rules.ts';
import { compile, CompiledMachine } from '../../src/machines/table/compiled-machine.ts';
import type { Configuration } from '../../src/machines/table/configuration.ts';
import { TableSnapshot } from '../../src/machines/table/table-snapshot.ts';
import { inertScope } from '../../src/runtime/turn/quiet-scope.ts';
import type { MachineOutput, Position } from '../../src/testing/moves.ts';
import { begin, move } from '../../src/testing/moves.ts';
import { statesIn } from '../../src/testing/table-moves.ts';
import { moveUnder } from '../../src/machines/in-force.ts';

type XSnapshot = ReturnType<AnyStateMachine['transition']>;

/** One machine at one point of its life, by XState and by its table. */
export interface Twins {
  readonly machine: AnyStateMachine;
  readonly rules: Rules;
  readonly byXState: XSnapshot;
  readonly byTable: TableSnapshot;
}

/** The table of a machine; it is an error if there is none. */
export const tableOf = (machine: AnyStateMachine): CompiledMachine => {
  const made = compile(machine);
  if (made instanceof CompiledMachine) return made;
  throw new Error(`${machine.id} has no table: ${made.reason}`);
};

/** Begins a machine both ways; what both of them throw is given as their message. */
export const beginTwins = <M extends AnyStateMachine>(
  machine: M,
  input: InputFrom<M>,
  rules: Rules = { stop: [] },
): Twins | string => {
  const table = tableOf(machine);
  const scope = inertScope();
  const byXState = observe(rules, () => begunByXState(machine, input));
  const byTable = observe(rules, () => table.initial(input, scope));
  return compared(machine, rules, byXState, byTable, { type: 'xstate.init' });
};

/** Moves both; what both of them throw is given as their message. */
export const moveTwins = (
  { machine, rules, byXState, byTable }: Twins,
  event: EventObject,
): Twins | string => {
  const table = tableOf(machine);
  const scope = inertScope();
  const one = observe(rules, () => machine.transition(byXState, event, scope));
  const other = observe(rules, () => table.next(byTable, event, scope));
  if (!('thrown' in one) && !('thrown' in other)) {
    const isTheSame = other.snapshot === byTable;
    if (isTheSame !== (one.snapshot === byXState))
      expect.fail(
        `whether the snapshot stays the same object at '${event.type}' in ${name(machine, byXState)}`,
      );
  }
  return compared(machine, rules, one, other, event);
};

const begunByXState = (machine: AnyStateMachine, input: unknown): XSnapshot => {
  const snapshot = machine.getInitialSnapshot(inertScope(), input);
  if (snapshot.status === 'error') throw snapshot.error;
  return snapshot;
};

type Observed<Snapshot> =
  | { readonly snapshot: Snapshot; readonly outputs: readonly Output[] }
  | { readonly thrown: string };

const observe = <Snapshot>(rules: Rules, work: () => Snapshot): Observed<Snapshot> => {
  const outputs: Output[] = [];
  try {
    return { snapshot: moveUnder(rules, outputs, work), outputs };
  } catch (thrown) {
    return { thrown: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown) };
  }
};

const compared = (
  machine: AnyStateMachine,
  rules: Rules,
  one: Observed<XSnapshot>,
  other: Observed<TableSnapshot>,
  event: EventObject,
): Twins | string => {
  if ('thrown' in one || 'thrown' in other) {
    expect('thrown' in other ? other.thrown : 'nothing thrown').toBe(
      'thrown' in one ? one.thrown : 'nothing thrown',
    );
    return 'thrown' in one ? one.thrown : 'nothing thrown';
  }
  const difference = differenceBetween(one.snapshot, other.snapshot, one.outputs, other.outputs);
  expectNone(difference, () => `'${event.type}' led to ${name(machine, one.snapshot)}`);
  return { machine, rules, byXState: one.snapshot, byTable: withContextOf(one.snapshot, other.snapshot) };
};

/** The table goes on from the very context that XState goes on from: what stays the same need not be compared again. */
const withContextOf = (one: XSnapshot, { machine, configuration, status, output }: TableSnapshot) =>
  new TableSnapshot(machine, configuration, one.context as object, status, output);

const name = ({ id }: AnyStateMachine, { value }: XSnapshot): string => `${id} ${JSON.stringify(value)}`;

/** What two snapshots and what was put out on the way differ in; undefined if in nothing, the order of keys included. */
export const differenceBetween = (
  one: XSnapshot,
  other: TableSnapshot,
  outputs: readonly object[],
  otherOutputs: readonly object[],
): { readonly in: string; readonly byXState: unknown; readonly byTable: unknown } | undefined => {
  const context = one.context as Readonly<Record<string, unknown>>;
  const otherContext = other.context as Readonly<Record<string, unknown>>;
  const parts: readonly (readonly [string, unknown, unknown])[] = [
    ['value', one.value, other.value],
    ['keys of the context', Object.keys(context), Object.keys(otherContext)],
    ...Object.keys(context).map((key) => [`context.${key}`, context[key], otherContext[key]] as const),
    ['status', one.status, other.status],
    ['output', one.output, other.output],
    ['outputs', outputs, otherOutputs],
  ];
  for (const [part, byXState, byTable] of parts) {
    if (byXState === byTable) continue;
    if (!isSame(byXState, byTable)) return { in: part, byXState, byTable };
  }
  return undefined;
};

/** Equal, the order of keys included: plain JSON by a plain comparison, all else by Node.js's. */
const isSame = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) && Array.isArray(other))
    return (
      one.length === other.length && Array.from(one.keys()).every((index) => isSame(one[index], other[index]))
    );
  if (!isPlain(one) || !isPlain(other))
    return isDeepStrictEqual(one, other) && JSON.stringify(one) === JSON.stringify(other);
  const keys = Object.keys(one);
  const otherKeys = Object.keys(other);
  return (
    keys.length === otherKeys.length &&
    keys.every((key, index) => key === otherKeys[index] && isSame(one[key], other[key]))
  );
};

const isPlain = (value: object): value is Readonly<Record<string, unknown>> =>
  Object.getPrototypeOf(value) === Object.prototype;

/** Fails at a difference; cheaper than an expectation, as there are tens of thousands. */
const expectNone = (difference: unknown, place: () => string): void => {
  if (difference !== undefined) expect(difference, place()).toBeUndefined();
};

/** A walk of XState's, and the table beside it. */
export interface Beside<M extends AnyStateMachine> {
  readonly position: Position<M>;
  readonly byTable: TableSnapshot;
}

/** Begins a walk with the table beside it. */
export const beginBeside = <M extends AnyStateMachine>(
  machine: M,
  input: InputFrom<M>,
  rules?: Rules,
): Beside<M> => {
  const position = begin(machine, input, rules);
  const table = tableOf(machine);
  return beside(position, (visit) => table.initial(input, inertScope(), visit), 'xstate.init');
};

/** Goes on with a walk, and the table beside it. */
export const moveBeside = <M extends AnyStateMachine>(
  { position, byTable }: Beside<M>,
  event: EventFromLogic<M>,
): Beside<M> => {
  const table = tableOf(position.machine);
  return beside(
    move(position, event),
    (visit) => table.next(byTable, event, inertScope(), visit),
    event.type,
  );
};

const beside = <M extends AnyStateMachine>(
  position: Position<M>,
  byTable: (visit: (configuration: Configuration) => void) => TableSnapshot,
  event: string,
): Beside<M> => {
  const states: string[] = [];
  const observed = observe(position.rules, () =>
    byTable((configuration) => states.push(...statesIn(position.machine, configuration))),
  );
  if ('thrown' in observed) throw new Error(`the table threw at '${event}': ${observed.thrown}`);
  const outputs = observed.outputs.flatMap(single);
  const difference =
    differenceBetween(position.snapshot, observed.snapshot, position.outputs, outputs) ??
    (isSame(position.states, states)
      ? undefined
      : { in: 'states', byXState: position.states, byTable: states });
  expectNone(difference, () => `'${event}' led to ${name(position.machine, position.snapshot)}`);
  return { position, byTable: withContextOf(position.snapshot, observed.snapshot) };
};

/** Walks note each ask and each engagement by itself. */
const single = (output: Output): readonly MachineOutput[] => {
  if (output.type === 'ask') return output.asks.map((ask) => ({ type: 'ask', ask }));
  return output.type === 'engage'
    ? output.engagements.map((engagement) => ({ type: 'engage', engagement }))
    : [output];
};
