import { createActor } from 'xstate';
import type { ActorLogic, AnyStateMachine, EventObject, InspectionEvent, Snapshot } from 'xstate';

/** The third parameter of an XState logic's `transition`, beside snapshot and event. */
export type Scope = Parameters<AnyStateMachine['transition']>[2];

const execute: Scope['actionExecutor'] = ({ exec, info, params }) => exec?.(info, params);

/**
 * A scope with a fixed action executor.
 *
 * In every microstep XState assigns a new function to its scope, which closes over the actions of that step and their contexts. V8 treats a
 * function assigned to a property as long-lived, which kept whole runs alive past each minor collection: garbage collection was a third of
 * a step's cost. Here the assignment is dropped. The price is that inspectors do not see single actions, so an inspected run gets the scope
 * unchanged.
 */
class QuietScope {
  constructor(scope: Scope) {
    // The setter below drops the scope's own executor.
    Object.assign(this, scope);
  }

  get actionExecutor(): Scope['actionExecutor'] {
    return execute;
  }

  set actionExecutor(_dropped: Scope['actionExecutor']) {
    // See above.
  }
}

/** `scope` with an executor that runs actions at once and cannot be replaced. */
const quietScope = (scope: Scope): Scope => new QuietScope(scope) as Scope;

let inert: Scope | undefined;

/** The scope of the pure turn, which belongs to no actor. Shared, as nothing is stored in it. */
export const inertScope = (): Scope => (inert ??= makeScope());

/** A scope whose inspection events `look` receives. */
export const inspectedScope = (look: (event: InspectionEvent) => void): Scope => makeScope(look);

const makeScope = (inspect?: (event: InspectionEvent) => void): Scope => {
  let given: Scope | undefined;
  const logic: ActorLogic<Snapshot<undefined>, EventObject> = {
    getInitialSnapshot: (scope) => {
      given = scope as Scope;
      return { status: 'active', output: undefined, error: undefined };
    },
    transition: (snapshot) => snapshot,
    getPersistedSnapshot: (snapshot) => snapshot,
  };
  createActor(logic, inspect === undefined ? {} : { inspect });
  if (given === undefined) throw new Error('XState made an actor without asking its logic for a snapshot');
  return quietScope(given);
};
