import type { AnyStateMachine } from 'xstate';
import { errorData } from '../../contracts/error.ts';
import type { Output } from '../../machines/outputs.ts';
import { collectingInto, collector } from '../../machines/outputs.ts';
import type { Rules } from '../../machines/rules.ts';
import { underRules } from '../../machines/rules.ts';
import type { Envelope } from './envelope.ts';
import type { MachinePosition, Mover } from './mover.ts';
import { moverOf, snapshotAt } from './mover.ts';
import type { Scope } from './quiet-scope.ts';
import { outcomeOfFailure } from '../run/result.ts';

/** What an actor is between two turns. */
export class TurnRecord {
  /** Whoever moved it first moves it to its end. */
  readonly mover: Mover;
  /** Absent where the very first turn threw. */
  readonly position: MachinePosition | undefined;
  readonly isDone: boolean;
  /** What it left, once it is done. */
  readonly output: unknown;

  constructor(mover: Mover, position: MachinePosition | undefined, isDone: boolean, output: unknown) {
    this.mover = mover;
    this.position = position;
    this.isDone = isDone;
    this.output = output;
  }

  /** The snapshot that XState knows; a table makes it when it is first asked for. */
  get snapshot(): MachineSnapshot | undefined {
    return this.position === undefined ? undefined : snapshotAt(this.position);
  }

  get context(): unknown {
    return this.position?.context;
  }
}

/** A snapshot of a machine of troupe. */
export type MachineSnapshot = ReturnType<AnyStateMachine['transition']>;

/** What a machine and the rules that hold while it moves are: the meaning of an actor lies in nothing else. */
export interface Chart {
  readonly machine: AnyStateMachine;
  readonly rules: Rules;
}

/**
 * What an actor does with one envelope: `(record, envelope) → (record′, outputs)`, pure and synchronous.
 *
 * Nothing is carried out: whoever holds the record commits it first, then carries out the outputs in order. A throw
 * inside is an end with an error.
 *
 * @example
 * let { record, outputs } = firstTurn(chart, input, at);
 * ({ record, outputs } = turn(chart, record, { type: 'answered.decide', at, index: 0, output }));
 */
export const turn = (chart: Chart, record: TurnRecord, envelope: Envelope): Turned => {
  const { mover, position } = record;
  if (position === undefined || record.isDone) return { record, outputs: [] };
  return taken(chart, envelope.at, mover, position, () => mover.next(position, envelope));
};

/** The turn with which an actor begins; `inspected` is the scope of somebody who wants to see each of its steps. */
export const firstTurn = (chart: Chart, input: unknown, at: number, inspected?: Scope): Turned => {
  const mover = moverOf(chart.machine, inspected);
  return taken(chart, at, mover, undefined, () => mover.initial(input));
};

/** A record after a turn, and what is to be carried out. */
export interface Turned {
  readonly record: TurnRecord;
  readonly outputs: readonly Output[];
}

const taken = (
  chart: Chart,
  at: number,
  mover: Mover,
  before: MachinePosition | undefined,
  move: () => MachinePosition,
): Turned => {
  const outputs: Output[] = [];
  try {
    return underRules(chart.rules, () => {
      const position = collectingInto(collector(outputs), move);
      const { status, output } = position;
      // XState keeps what the first macrostep throws, instead of throwing it.
      if (status === 'error') throw position.error;
      return { record: new TurnRecord(mover, position, status !== 'active', output), outputs };
    });
  } catch (thrown) {
    const message = `Cannot go on as the machine '${chart.machine.id}' threw`;
    const error = errorData(thrown, 'machine.threw', { message });
    const output = { ...outcomeOfFailure('machine.threw', error.message, at), error };
    return { record: new TurnRecord(mover, before, true, output), outputs: [] };
  }
};
