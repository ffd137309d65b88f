import * as xstate from 'xstate';
import type { AnyMachineSnapshot, AnyStateMachine, EventObject, ExecutableActionObject } from 'xstate';
import type { Scope } from '../runtime/turn/quiet-scope.ts';
import { inertScope } from '../runtime/turn/quiet-scope.ts';

/** The snapshots that a macrostep leads through, each with the actions that are to be carried out. */
export type Microsteps = readonly (readonly [AnyMachineSnapshot, readonly ExecutableActionObject[]])[];

/** Returns the initial microsteps of a machine: the first one enters its initial states. */
export const initialMicrosteps = (machine: AnyStateMachine, input: unknown): Microsteps =>
  'getInitialMicrosteps' in xstate
    ? xstate.getInitialMicrosteps(machine, input)
    : collectActions((scope) => {
        const event = { type: 'xstate.init', input };
        const first = firstSnapshot(machine, input, scope);
        return [first, ...machine.microstep(first, event, scope)];
      });

/** The microsteps that an event leads to. */
export const microstepsAfter = (
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): Microsteps =>
  'getMicrosteps' in xstate
    ? xstate.getMicrosteps(machine, snapshot, event)
    : collectActions((scope) => machine.microstep(snapshot, event, scope));

/** Runs microsteps as XState did before 5.28, when no function returned their actions. */
const collectActions = (microsteps: (scope: Scope) => readonly AnyMachineSnapshot[]): Microsteps => {
  const actions: ExecutableActionObject[] = [];
  const scope: Scope = { ...inertScope(), actionExecutor: (action) => void actions.push(action) };
  const snapshots = microsteps(scope);
  return snapshots.map((snapshot, index) => [snapshot, index === snapshots.length - 1 ? actions : []]);
};

/** Returns the state before any eventless transition: the initial state of the machine without them. */
const firstSnapshot = (machine: AnyStateMachine, input: unknown, scope: Scope): AnyMachineSnapshot => {
  const waiting = xstate.createMachine(withoutAlways(machine.config), machine.implementations as object);
  const { value, context, status, output, error } = waiting.getInitialSnapshot(scope, input);
  if (status === 'error') throw error;
  return machine.resolveState({ value, context, status: status === 'done' ? 'done' : 'active', output });
};

const withoutAlways = <Config extends object>(config: Config): Config => {
  const {
    always: _,
    states,
    ...rest
  } = config as Config & { readonly always?: unknown; readonly states?: object };
  const within = Object.entries(states ?? {}).map(([key, state]) => [key, withoutAlways(state as object)]);
  return { ...rest, ...(states === undefined ? {} : { states: Object.fromEntries(within) }) } as Config;
};
