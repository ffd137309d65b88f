import type { AnyStateMachine, EventFromLogic, EventObject, InputFrom } from 'xstate';
import { chartOf } from '../machines/diagrams/chart.ts';
import type { Output } from '../machines/outputs.ts';
import type { Rules } from '../machines/rules.ts';
import { compile, CompiledMachine } from '../machines/table/compiled-machine.ts';
import type { Configuration } from '../machines/table/configuration.ts';
import type { TableSnapshot } from '../machines/table/table-snapshot.ts';
import { inertScope } from '../runtime/turn/quiet-scope.ts';
import { statesAt } from './arrows-taken.ts';
import type { Position } from './moves.ts';
import { begin, move, openAfterMove, splitOutput } from './moves.ts';
import { moveUnder } from '../machines/in-force.ts';

/** A machine's start and its moves, as pure functions. */
export interface Moves<M extends AnyStateMachine> {
  begin(input: InputFrom<M>, rules: Rules | undefined): Position<M>;
  move(position: Position<M>, event: EventFromLogic<M>): Position<M>;
}

/**
 * Returns the moves of a machine by its table, which the runtime moves it by as well; by XState if it has none.
 *
 * The positions are the same. XState's snapshot and the arrows of a position are computed when they are read.
 *
 * @example
 * const { begin } = movesOf(agentMachine);
 * begin(input, rules).asks[0]?.port // => 'prepare'
 */
export const movesOf = <M extends AnyStateMachine>(machine: M): Moves<M> => {
  const table = compile(machine);
  return table instanceof CompiledMachine
    ? new TableMoves(machine, table)
    : { begin: (input, rules) => begin(machine, input, rules), move };
};

class TableMoves<M extends AnyStateMachine> implements Moves<M> {
  readonly #machine: M;
  readonly #table: CompiledMachine;
  readonly #snapshots = new WeakMap<Position<M>, TableSnapshot>();

  constructor(machine: M, table: CompiledMachine) {
    this.#machine = machine;
    this.#table = table;
  }

  begin(input: InputFrom<M>, rules: Rules = { stop: [] }): Position<M> {
    return this.#after({ rules, asks: [], engaged: [] }, undefined, {
      byTable: (visit) => this.#table.initial(input, inertScope(), visit),
      byXState: () => begin(this.#machine, input, rules),
    });
  }

  move(position: Position<M>, event: EventFromLogic<M>): Position<M> {
    const before = this.#snapshots.get(position);
    if (before === undefined || position.status !== 'active') return move(position, event);
    return this.#after(position, event, {
      byTable: (visit) => this.#table.next(before, event, inertScope(), visit),
      byXState: () => move(position, event),
    });
  }

  #after(
    before: Pick<Position<M>, 'rules' | 'asks' | 'engaged'>,
    event: EventObject | undefined,
    work: Work<M>,
  ): Position<M> {
    const { rules } = before;
    const collected: Output[] = [];
    const states: string[] = [];
    const visit: Visit = (configuration) => states.push(...statesIn(this.#machine, configuration));
    const snapshot = moveUnder(rules, collected, () => work.byTable(visit));
    const outputs = collected.flatMap(splitOutput);
    const { value, context, status, output } = snapshot;
    let arrows: readonly string[] | undefined;
    const position = {
      machine: this.#machine,
      rules,
      get snapshot() {
        return snapshot.genuine;
      },
      value,
      // The context and the output are those of this machine, as its own functions have made them.
      context: context as Position<M>['context'],
      status,
      output: output as Position<M>['output'],
      ...openAfterMove(before, event, outputs),
      outputs,
      states,
      get arrows() {
        return (arrows ??= work.byXState().arrows);
      },
    };
    this.#snapshots.set(position, snapshot);
    return position;
  }
}

type Visit = (configuration: Configuration) => void;

/** One move, by the table and by XState. */
interface Work<M extends AnyStateMachine> {
  readonly byTable: (visit: Visit) => TableSnapshot;
  readonly byXState: () => Position<M>;
}

/** The ids of the active states, outermost first; computed once, as explorers pass a configuration thousands of times. */
export const statesIn = (machine: AnyStateMachine, configuration: Configuration): readonly string[] => {
  let states = known.get(configuration);
  if (states === undefined) {
    states = statesAt(chartOf(machine), configuration.value).map(({ id }) => id);
    known.set(configuration, states);
  }
  return states;
};

const known = new WeakMap<Configuration, readonly string[]>();
