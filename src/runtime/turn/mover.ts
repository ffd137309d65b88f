import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { compile, CompiledMachine } from '../../machines/table/compiled-machine.ts';
import { TableSnapshot } from '../../machines/table/table-snapshot.ts';
import type { Scope } from './quiet-scope.ts';
import { inertScope } from './quiet-scope.ts';

/** What computes the transitions of a machine, and why that is not its table. */
export type MovedBy = { readonly by: 'table' } | { readonly by: 'xstate'; readonly reason: string };

/** A machine's position, as the one who moves it keeps it. */
export type MachinePosition = AnyMachineSnapshot | TableSnapshot;

/** What computes the transitions of one machine, for the whole of a run: positions of one mover mean nothing to another. */
export interface Mover {
  readonly movedBy: MovedBy;
  initial(input: unknown): MachinePosition;
  next(position: MachinePosition, event: EventObject): MachinePosition;
}

/**
 * The one place that decides how a machine's transitions are computed: by its table, or by XState where the table does not know what
 * the machine uses, or where `inspected` is the scope of somebody who wants to see its microsteps.
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
 * What a reader of a chart should know of how it is moved: undefined where its table moves it, as is usual.
 *
 * @example
 * chartRemark(machine) // => "Moved by XState, not by a table: in the state 'asking', the action 'again' is 'xstate.raise'"
 */
export const chartRemark = (machine: AnyStateMachine): string | undefined => {
  const { movedBy } = moverOf(machine);
  return movedBy.by === 'table' ? undefined : `Moved by XState, not by a table: ${movedBy.reason}`;
};

/** The snapshot of XState's that a position stands for. */
export const snapshotAt = (position: MachinePosition): AnyMachineSnapshot =>
  position instanceof TableSnapshot ? position.genuine : position;

const INSPECTED = 'its run is inspected';

const movers = new WeakMap<AnyStateMachine, Mover>();

class TableMover implements Mover {
  readonly movedBy = { by: 'table' } as const;
  readonly #compiled: CompiledMachine;

  constructor(compiled: CompiledMachine) {
    this.#compiled = compiled;
  }

  initial(input: unknown): MachinePosition {
    return this.#compiled.initial(input, inertScope());
  }

  next(position: MachinePosition, event: EventObject): MachinePosition {
    if (!(position instanceof TableSnapshot)) throw strange(this.#compiled.machine);
    return this.#compiled.next(position, event, inertScope());
  }
}

class XStateMover implements Mover {
  readonly movedBy: MovedBy;
  readonly #machine: AnyStateMachine;
  readonly #scope: Scope | undefined;

  constructor(machine: AnyStateMachine, reason: string, scope: Scope | undefined) {
    this.movedBy = { by: 'xstate', reason };
    this.#machine = machine;
    this.#scope = scope;
  }

  initial(input: unknown): MachinePosition {
    return this.#machine.getInitialSnapshot(this.#scope ?? inertScope(), input);
  }

  next(position: MachinePosition, event: EventObject): MachinePosition {
    if (position instanceof TableSnapshot) throw strange(this.#machine);
    return this.#machine.transition(position, event, this.#scope ?? inertScope());
  }
}

const strange = ({ id }: AnyStateMachine): Error =>
  new Error(`Cannot move '${id}' as its position was made by another mover`);
