import type { AnyStateMachine } from 'xstate';
import { isJsonObject } from '../../base/json/json.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { Output } from '../../machines/outputs.ts';
import type { Rules } from '../../machines/rules.ts';
import type { Envelope } from './envelope.ts';
import type { MachinePosition, Mover, Note } from './mover.ts';
import { TurnRecord } from './turn-record.ts';
import { moverOf, snapshotAt } from './mover.ts';
import type { Scope } from './quiet-scope.ts';
import { outcomeOfFailure } from '../run/result.ts';
import { moveUnder } from '../../machines/in-force.ts';

/** A machine and the rules that apply while it moves: together they determine all that an actor does. */
export interface Chart {
  readonly machine: AnyStateMachine;
  readonly rules: Rules;
}

/**
 * Moves an actor by one envelope: `(record, envelope) → (record′, outputs)`, pure and synchronous.
 *
 * Nothing is carried out: the caller commits the record first, then carries out the outputs in order. An exception ends the actor with an
 * error.
 *
 * @example
 * let { record, outputs } = firstTurn(chart, input, at);
 * ({ record, outputs } = turn(chart, record, { type: 'answered.decide', at, index: 0, output }));
 */
export const turn = (chart: Chart, record: TurnRecord, envelope: Envelope, note?: Note): Turned => {
  const { mover, position } = record;
  if (position === undefined || record.isDone) return { record, outputs: [] };
  return moveByChart(chart, envelope, mover, position, () => mover.next(position, envelope, note));
};

/** The first turn of an actor; `inspected` is the scope of an inspector that wants its microsteps as XState makes them. */
export const firstTurn = (
  chart: Chart,
  input: unknown,
  at: number,
  inspected?: Scope,
  note?: Note,
): Turned => {
  const mover = moverOf(chart.machine, inspected);
  return moveByChart(chart, { type: 'its start', at }, mover, undefined, () => mover.initial(input, note));
};

/** The record after a turn, and the outputs to carry out. */
export interface Turned {
  readonly record: TurnRecord;
  readonly outputs: readonly Output[];
}

const moveByChart = (
  chart: Chart,
  { type, at }: Pick<Envelope, 'at'> & { readonly type: string },
  mover: Mover,
  before: MachinePosition | undefined,
  move: () => MachinePosition,
): Turned => {
  const outputs: Output[] = [];
  try {
    const position = moveUnder(chart.rules, outputs, move);
    const { status, output } = position;
    // XState stores an exception of the first macrostep instead of throwing it.
    if (status === 'error') throw position.error;
    return { record: new TurnRecord(mover, position, status !== 'active', output), outputs };
  } catch (thrown) {
    const message = `Cannot continue as ${placeIn(chart, before)} threw on ${type}`;
    const error = errorData(thrown, 'machine.threw', { message });
    const output = { ...outcomeOfFailure('machine.threw', error.message, at), error };
    return { record: new TurnRecord(mover, before, true, output), outputs: [] };
  }
};

/** The machine, the team or agent that it moves, and its state, as far as they are known. */
const placeIn = ({ machine }: Chart, before: MachinePosition | undefined): string => {
  const owner = ownerIn(before?.context);
  const machineOf = `the machine '${machine.id}'${owner === undefined ? '' : ` of '${owner}'`}`;
  return before === undefined
    ? machineOf
    : `${machineOf} in state ${JSON.stringify(snapshotAt(before).value).replaceAll('"', "'")}`;
};

/** The name of a team, the address of an agent. */
const ownerIn = (context: unknown): string | undefined => {
  if (!isJsonObject(context)) return undefined;
  const { team, run } = context;
  if (isJsonObject(team) && typeof team['name'] === 'string') return team['name'];
  return isJsonObject(run) && typeof run['path'] === 'string' ? run['path'] : undefined;
};
