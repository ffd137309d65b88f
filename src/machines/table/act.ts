import type { EventObject } from 'xstate';

/** What stands behind the actions of a machine while it moves. */
export interface TableScope {
  readonly self: object;
  readonly system: object;
}

/** A function of a machine's own, as XState calls it. */
export type OwnFunction = (given: object, params: unknown) => unknown;

/** One thing that a machine does on its way from one configuration to the next. */
export type Act = OwnAct | EndAct;

/** An action that the machine names. */
export type OwnAct =
  | { readonly kind: 'run'; readonly run: OwnFunction; readonly params: unknown }
  | { readonly kind: 'assign'; readonly assign: OwnFunction; readonly params: unknown }
  /** One value, or a function that gives it, for each key of the context. */
  | {
      readonly kind: 'assignKeys';
      readonly keys: Readonly<Record<string, unknown>>;
      readonly params: unknown;
    };

/** What follows from the entry of a final state. */
export type EndAct =
  /** A state has come to its end: the machine is told by an event of XState's. */
  | { readonly kind: 'done'; readonly of: string; readonly output: unknown }
  /** The machine has come to its end, by the state `of`. */
  | { readonly kind: 'end'; readonly of: string; readonly output: unknown };

/** The act that stands behind an action of a machine; a string says why the table knows none. */
export const actFor = (action: unknown, actions: Readonly<Record<string, unknown>>): OwnAct | string => {
  const reference = resolveReference(action, actions);
  if (typeof reference === 'string') return reference;
  const { name, found, params } = reference;
  if (!isOwnFunction(found)) return `the action '${name}' is not implemented by a function`;
  if (!('resolve' in found)) return { kind: 'run', run: found, params };
  const type = 'type' in found ? String(found.type) : 'unknown';
  if (type !== 'xstate.assign' || !('assignment' in found)) return `the action '${name}' is '${type}'`;
  const { assignment } = found;
  if (isOwnFunction(assignment)) return { kind: 'assign', assign: assignment, params };
  return { kind: 'assignKeys', keys: { ...(assignment as object) }, params };
};

/** A condition that the machine names. */
export interface Guard {
  /** Absent where the function stands in the chart itself. */
  readonly name: string | undefined;
  readonly holds: OwnFunction;
  readonly params: unknown;
}

/** The function that stands behind a guard of a machine; a string says why the table knows none. */
export const guardFor = (guard: unknown, guards: Readonly<Record<string, unknown>>): Guard | string => {
  const reference = resolveReference(guard, guards);
  if (typeof reference === 'string') return reference;
  const { name, found, params } = reference;
  if (!isOwnFunction(found)) return `the guard '${name}' is not implemented by a function`;
  if ('check' in found) return `the guard '${name}' is one of XState's own`;
  // XState calls a function that stands in the chart by no name, but for a property of that name.
  return { name: typeof guard === 'function' ? undefined : name, holds: found, params };
};

interface Reference {
  readonly name: string;
  readonly found: unknown;
  readonly params: unknown;
}

const resolveReference = (
  reference: unknown,
  known: Readonly<Record<string, unknown>>,
): Reference | string => {
  if (typeof reference === 'function') {
    return { name: reference.name, found: reference, params: undefined };
  }
  if (typeof reference === 'string') return { name: reference, found: known[reference], params: undefined };
  const isNamed = typeof reference === 'object' && reference !== null && 'type' in reference;
  if (!isNamed || typeof reference.type !== 'string') return 'something in it has no name';
  const params = 'params' in reference ? reference.params : undefined;
  if (typeof params === 'function') return `the params of '${reference.type}' are computed`;
  return { name: reference.type, found: known[reference.type], params };
};

export const isOwnFunction = (value: unknown): value is OwnFunction => typeof value === 'function';

/** What a final state, or the machine, leaves behind. */
export const resolveOutput = (
  output: unknown,
  context: object,
  event: EventObject,
  { self }: TableScope,
): unknown => (isOwnFunction(output) ? output({ context, event, self }, undefined) : output);
