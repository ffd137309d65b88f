import type { AnyStateMachine } from 'xstate';
import type { MachinePosition, Mover } from './mover.ts';
import { snapshotAt } from './mover.ts';

/** The state of an actor between two turns. */
export class TurnRecord {
  /** One mover moves the machine from start to end. */
  readonly mover: Mover;
  /** Absent if the first turn threw. */
  readonly position: MachinePosition | undefined;
  readonly isDone: boolean;
  /** Output of the machine, once it is done. */
  readonly output: unknown;

  constructor(mover: Mover, position: MachinePosition | undefined, isDone: boolean, output: unknown) {
    this.mover = mover;
    this.position = position;
    this.isDone = isDone;
    this.output = output;
  }

  /** The XState snapshot; a table creates it on first access. */
  get snapshot(): MachineSnapshot | undefined {
    return this.position === undefined ? undefined : snapshotAt(this.position);
  }

  get context(): unknown {
    return this.position?.context;
  }
}

/** A snapshot of one of troupe's machines. */
export type MachineSnapshot = ReturnType<AnyStateMachine['transition']>;
