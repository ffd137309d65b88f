import type { AnyStateMachine } from 'xstate';
import type { ChartState } from '../diagrams/chart.ts';
import { actFor, guardFor } from './act.ts';
import type { OwnAct } from './act.ts';
import type { TableArrow } from './table-state.ts';
import { TableState } from './table-state.ts';

/** A machine that uses an unsupported feature: XState itself has to move it. */
export class NoTable {
  /** The feature: `the action 'again' is 'xstate.raise'`. */
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** An unsupported feature was found. */
class UnknownUse extends Error {}

/** A state of a machine with the fields that the table reads, beside those for diagrams. */
interface WrittenState extends ChartState {
  readonly order: number;
  readonly output?: unknown;
  readonly parent?: WrittenState | undefined;
  readonly states: Readonly<Record<string, WrittenState>>;
}

/** Converts a machine's chart to table states; returns the root. */
export const readTable = (machine: AnyStateMachine): TableState | NoTable => {
  try {
    return new Reader(machine).read();
  } catch (thrown) {
    if (thrown instanceof UnknownUse) return new NoTable(thrown.message);
    throw thrown;
  }
};

class Reader {
  readonly #machine: AnyStateMachine;
  readonly #states = new Map<ChartState, TableState>();
  readonly #ids = new Set<string>();

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
  }

  read(): TableState {
    const written: WrittenState = this.#machine.root;
    const root = this.#readState(written, undefined);
    // Second, as arrows may lead to states that are defined later.
    for (const [each, state] of this.#states) this.#readArrows(each, state);
    return root;
  }

  #readState(written: WrittenState, parent: TableState | undefined): TableState {
    const { id, type, order } = written;
    if (type === 'history') throw new UnknownUse(`the state '${id}' is a history`);
    if (this.#ids.has(id)) throw new UnknownUse(`several states have the id '${id}'`);
    if (written.invoke.length > 0) throw new UnknownUse(`the state '${id}' invokes an actor`);
    if (written.after.length > 0) throw new UnknownUse(`the state '${id}' uses after`);
    this.#ids.add(id);
    const state = new TableState({ id, key: written.key, type, order, output: written.output }, parent);
    this.#states.set(written, state);
    for (const child of Object.values(written.states)) state.children.push(this.#readState(child, state));
    state.lastWithin = state.children.at(-1)?.lastWithin ?? order;
    state.entry = this.#readActs(written.entry, id);
    state.exit = this.#readActs(written.exit, id);
    if (type !== 'compound') return state;
    state.initial = this.#stateFor(written.initial.target[0]);
    state.initially = this.#readActs(written.initial.actions, id);
    return state;
  }

  #readArrows(written: ChartState, source: TableState): void {
    for (const [event, arrows] of written.transitions)
      source.arrows.set(
        event,
        arrows.map((arrow) => this.#readArrow(arrow, source)),
      );
    source.always = (written.always ?? []).map((arrow) => this.#readArrow(arrow, source));
  }

  #readArrow(written: WrittenArrow, source: TableState): TableArrow {
    const targets = (written.target ?? []).map((target) => this.#stateFor(target));
    if (targets.length > 1) throw new UnknownUse(`in the state '${source.id}', an arrow has several targets`);
    const guard =
      written.guard === undefined ? undefined : guardFor(written.guard, this.#machine.implementations.guards);
    if (typeof guard === 'string') throw new UnknownUse(`in the state '${source.id}', ${guard}`);
    const acts = this.#readActs(written.actions, source.id);
    return { written, source, guard, acts, targets, reenters: written.reenter };
  }

  #readActs(actions: readonly unknown[], id: string): readonly OwnAct[] {
    return actions.map((action) => {
      const act = actFor(action, this.#machine.implementations.actions);
      if (typeof act === 'string') throw new UnknownUse(`in the state '${id}', ${act}`);
      return act;
    });
  }

  #stateFor(written: ChartState | undefined): TableState {
    const state = written === undefined ? undefined : this.#states.get(written);
    if (state === undefined) throw new UnknownUse('an arrow leads to a state of another machine');
    return state;
  }
}

type WrittenArrow = NonNullable<ChartState['always']>[number];
