import type { EventObject } from 'xstate';

/** The actor and system passed to actions. */
export interface TableScope {
  readonly self: object;
  readonly system: object;
}

/** The argument of a machine's own functions. */
export interface Given extends TableScope {
  readonly context: object;
  readonly event: EventObject;
  readonly spawn: () => never;
}

/** A machine's own function, in XState's calling convention. */
export type OwnFunction = (given: object, params: unknown) => unknown;

/** One action of a step. */
export type Act = OwnAct | EndAct;

/** A named action of the machine. */
export type OwnAct =
  | { readonly kind: 'run'; readonly run: OwnFunction; readonly params: unknown }
  | { readonly kind: 'assign'; readonly assign: OwnFunction; readonly params: unknown }
  /** A value, or a function that returns it, for each key of the context. */
  | {
      readonly kind: 'assignKeys';
      readonly keys: Readonly<Record<string, unknown>>;
      readonly params: unknown;
    };

/** Consequences of entering a final state. */
export type EndAct =
  /** A state is done: raises XState's done event. */
  | { readonly kind: 'done'; readonly of: string; readonly output: unknown }
  /** The machine is done, by the state `of`. */
  | { readonly kind: 'end'; readonly of: string; readonly output: unknown };

/** Resolves an action; a string is the reason why the table does not support it. */
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

/** A named guard. */
export interface Guard {
  /** Absent for an inline function. */
  readonly name: string | undefined;
  readonly holds: OwnFunction;
  readonly params: unknown;
}

/** Resolves a guard; a string is the reason why the table does not support it. */
export const guardFor = (guard: unknown, guards: Readonly<Record<string, unknown>>): Guard | string => {
  const reference = resolveReference(guard, guards);
  if (typeof reference === 'string') return reference;
  const { name, found, params } = reference;
  if (!isOwnFunction(found)) return `the guard '${name}' is not implemented by a function`;
  if ('check' in found) return `the guard '${name}' is one of XState's own`;
  // XState has no name for an inline function, whatever its own `name`.
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

const isOwnFunction = (value: unknown): value is OwnFunction => typeof value === 'function';

/** Resolves the output of a final state or the machine. */
export const resolveOutput = (
  output: unknown,
  context: object,
  event: EventObject,
  { self }: TableScope,
): unknown => (isOwnFunction(output) ? output({ context, event, self }, undefined) : output);
