import { createActor } from 'xstate';
import type { ActorLogic, AnyStateMachine, EventObject, Snapshot } from 'xstate';

/** What an interpreter of XState hands to a logic beside snapshot and event. */
export type Scope = Parameters<AnyStateMachine['transition']>[2];

const execute: Scope['actionExecutor'] = ({ exec, info, params }) => exec?.(info, params);

/**
 * A scope whose way of executing actions stays the same.
 *
 * In every microstep XState writes a new function to its scope, which sees the actions of that step with their
 * contexts. V8 takes a function that is written to a property for long-lived, and so kept whole runs alive past each
 * minor collection: garbage collection was a third of a step's cost. Here the write is dropped. The price is that
 * inspectors do not hear of single actions; so a run that is inspected gets the scope as it is.
 */
class QuietScope {
  constructor(scope: Scope) {
    // Its own executor is dropped by the setter below.
    Object.assign(this, scope);
  }

  get actionExecutor(): Scope['actionExecutor'] {
    return execute;
  }

  set actionExecutor(_dropped: Scope['actionExecutor']) {
    // See above.
  }
}

/** `scope` with an executor that runs actions at once, and that nobody replaces. */
export const quietScope = (scope: Scope): Scope => new QuietScope(scope) as Scope;

let inert: Scope | undefined;

/** The scope of no actor, in which machines move by the pure turn: one for all, as nothing is kept in it. */
export const inertScope = (): Scope => {
  if (inert !== undefined) return inert;
  let given: Scope | undefined;
  const logic: ActorLogic<Snapshot<undefined>, EventObject> = {
    getInitialSnapshot: (scope) => {
      given = scope as Scope;
      return { status: 'active', output: undefined, error: undefined };
    },
    transition: (snapshot) => snapshot,
    getPersistedSnapshot: (snapshot) => snapshot,
  };
  createActor(logic);
  if (given === undefined) throw new Error('XState made an actor without asking its logic for a snapshot');
  inert = quietScope(given);
  return inert;
};
