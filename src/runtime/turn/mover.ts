import { isMachineSnapshot } from 'xstate';
import type { AnyMachineSnapshot, AnyStateMachine, EventObject, InspectionEvent } from 'xstate';
import type { Microstep } from '../../contracts/events/inspection.ts';
import { compile, CompiledMachine } from '../../machines/table/compiled-machine.ts';
import type { Visit } from '../../machines/table/compiled-machine.ts';
import { TableSnapshot } from '../../machines/table/table-snapshot.ts';
import type { Scope } from './quiet-scope.ts';
import { inertScope, inspectedScope } from './quiet-scope.ts';

/** The algorithm that computes the transitions of a machine, and the reason if it is not its table. */
export type MovedBy = { readonly by: 'table' } | { readonly by: 'xstate'; readonly reason: string };

/** The state of a machine, as its mover represents it. */
export type MachinePosition = AnyMachineSnapshot | TableSnapshot;

/** Called with each microstep of a move. */
export type Note = (microstep: Microstep) => void;

/** Computes the transitions of one machine for a whole run. Positions of one mover are meaningless to another. */
export interface Mover {
  readonly movedBy: MovedBy;
  initial(input: unknown, note?: Note): MachinePosition;
  next(position: MachinePosition, event: EventObject, note?: Note): MachinePosition;
}

/**
 * Selects the mover of a machine: its table; XState if the machine uses a feature that tables do not support, or if `inspected` is the
 * scope of an inspector that wants its microsteps.
 *
 * @example
 * moverOf(agentMachine).movedBy // => { by: 'table' }
 */
export const moverOf = (machine: AnyStateMachine, inspected?: Scope): Mover => {
  if (inspected !== undefined) return new XStateMover(machine, INSPECTED, inspected);
  let mover = movers.get(machine);
  if (mover === undefined) {
    const compiled = compile(machine);
    mover =
      compiled instanceof CompiledMachine
        ? new TableMover(compiled)
        : new XStateMover(machine, compiled.reason, undefined);
    movers.set(machine, mover);
  }
  return mover;
};

/**
 * A remark for readers of a chart that is not moved by its table; undefined in the usual case.
 *
 * @example
 * chartRemark(machine) // => "Moved by XState, not by a table: in the state 'asking', the action 'again' is 'xstate.raise'"
 */
export const chartRemark = (machine: AnyStateMachine): string | undefined => {
  const { movedBy } = moverOf(machine);
  return movedBy.by === 'table' ? undefined : `Moved by XState, not by a table: ${movedBy.reason}`;
};

/** The XState snapshot of a position. */
export const snapshotAt = (position: MachinePosition): AnyMachineSnapshot =>
  position instanceof TableSnapshot ? position.genuine : position;

const INSPECTED = 'its run is inspected';

const movers = new WeakMap<AnyStateMachine, Mover>();

class TableMover implements Mover {
  readonly movedBy = { by: 'table' } as const;
  readonly #scope = inertScope();
  readonly #compiled: CompiledMachine;

  constructor(compiled: CompiledMachine) {
    this.#compiled = compiled;
  }

  initial(input: unknown, note?: Note): MachinePosition {
    return this.#compiled.initial(input, this.#scope, note && noteBehindFirst(note));
  }

  next(position: MachinePosition, event: EventObject, note?: Note): MachinePosition {
    if (!(position instanceof TableSnapshot)) throw strange(this.#compiled.machine);
    return this.#compiled.next(position, event, this.#scope, note && noteVisits(note));
  }
}

const noteVisits =
  (note: Note): Visit =>
  ({ value }, context, { type: on }, step) => {
    note({ on, arrows: step?.arrows ?? NO_ARROWS, value, context });
  };

/** As XState does not show the step into the initial states. */
const noteBehindFirst = (note: Note): Visit => {
  const visit = noteVisits(note);
  let isFirst = true;
  return (...visited) => {
    if (!isFirst) visit(...visited);
    isFirst = false;
  };
};

const NO_ARROWS: readonly object[] = [];

class XStateMover implements Mover {
  readonly movedBy: MovedBy;
  readonly #machine: AnyStateMachine;
  readonly #scope: Scope | undefined;

  constructor(machine: AnyStateMachine, reason: string, scope: Scope | undefined) {
    this.movedBy = { by: 'xstate', reason };
    this.#machine = machine;
    this.#scope = scope;
  }

  initial(input: unknown, note?: Note): MachinePosition {
    return this.#machine.getInitialSnapshot(this.#scopeFor(note), input);
  }

  next(position: MachinePosition, event: EventObject, note?: Note): MachinePosition {
    if (position instanceof TableSnapshot) throw strange(this.#machine);
    return this.#machine.transition(position, event, this.#scopeFor(note));
  }

  #scopeFor(note: Note | undefined): Scope {
    return this.#scope ?? (note === undefined ? inertScope() : inspectedScope(noteMicrosteps(note)));
  }
}

const noteMicrosteps =
  (note: Note) =>
  (inspection: InspectionEvent): void => {
    if (inspection.type !== '@xstate.microstep') return;
    const { event, snapshot, _transitions: arrows } = inspection;
    if (!isMachineSnapshot(snapshot)) return;
    const { value, context } = snapshot;
    note({ on: event.type, arrows, value, context });
  };

const strange = ({ id }: AnyStateMachine): Error =>
  new Error(`Cannot move '${id}' as its position was made by another mover`);
