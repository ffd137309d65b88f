import type { AnyStateMachine } from 'xstate';
import { errorData } from '../contracts/error.ts';
import type { Output } from '../machines/noted-outputs.ts';
import { collector } from '../machines/noted-outputs.ts';
import { collectingInto } from '../machines/outputs.ts';
import type { Rules } from '../machines/rules.ts';
import { underRules } from '../machines/rules.ts';
import type { Scope } from './quiet-scope.ts';
import { inertScope } from './quiet-scope.ts';
import type { Envelope } from './envelope.ts';
import { outcomeOfFailure } from './result.ts';

/** What an actor is between two turns. */
export interface TurnRecord {
  /** Absent where the very first turn threw. */
  readonly snapshot: MachineSnapshot | undefined;
  readonly isDone: boolean;
  /** What it left, once it is done. */
  readonly output: unknown;
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
export const turn = (
  chart: Chart,
  record: TurnRecord,
  envelope: Envelope,
  scope: Scope = inertScope(),
): Turned => {
  const { snapshot } = record;
  if (snapshot === undefined || record.isDone) return { record, outputs: [] };
  return taken(chart, envelope.at, snapshot, () => chart.machine.transition(snapshot, envelope, scope));
};

/** The turn with which an actor begins. */
export const firstTurn = (chart: Chart, input: unknown, at: number, scope: Scope = inertScope()): Turned =>
  taken(chart, at, undefined, () => chart.machine.getInitialSnapshot(scope, input));

/** A record after a turn, and what is to be carried out. */
export interface Turned {
  readonly record: TurnRecord;
  readonly outputs: readonly Output[];
}

const taken = (
  chart: Chart,
  at: number,
  before: MachineSnapshot | undefined,
  move: () => MachineSnapshot,
): Turned => {
  const outputs: Output[] = [];
  try {
    return underRules(chart.rules, () => {
      const snapshot = collectingInto(collector(outputs), move);
      // XState keeps what the first macrostep throws, instead of throwing it.
      if (snapshot.status === 'error') throw snapshot.error;
      return { record: { snapshot, isDone: snapshot.status !== 'active', output: snapshot.output }, outputs };
    });
  } catch (thrown) {
    const message = `Cannot go on as the machine '${chart.machine.id}' threw`;
    const error = errorData(thrown, 'machine.threw', { message });
    const output = { ...outcomeOfFailure('machine.threw', error.message, at), error };
    return { record: { snapshot: before, isDone: true, output }, outputs: [] };
  }
};
