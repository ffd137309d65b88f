import type { AnyStateMachine, EventObject } from 'xstate';
import { maxIterationsOf } from '../diagrams/chart.ts';
import type { TableScope } from './act.ts';
import { Configurations } from './configuration.ts';
import type { Configuration, Step } from './configuration.ts';
import { Move, refuseToSpawn } from './move.ts';
import { NoTable, readTable } from './read-table.ts';
import { TableSnapshot } from './table-snapshot.ts';
import type { TableArrow, TableState } from './table-state.ts';

/** Called after a microstep, with its outcome. `step` is undefined for an event that is not answered. */
export type Visit = (
  configuration: Configuration,
  context: object,
  event: EventObject,
  step: Step | undefined,
) => void;

/**
 * A machine whose transitions are computed from a precompiled table.
 *
 * Equivalent to XState's `transition`: value, context, output, actions and their order. The states that a step leaves and enters, and the
 * actions that follow, are computed once per arrow instead of in each step.
 *
 * @example
 * const compiled = compile(agentMachine);
 * if (compiled instanceof CompiledMachine) compiled.initial(input, scope).value // => 'preparing'
 */
export class CompiledMachine {
  readonly machine: AnyStateMachine;
  readonly #root: TableState;
  readonly #limit: number;
  readonly #configurations = new Configurations();
  /** The configuration before anything but the root is entered. */
  readonly #start: Configuration;
  readonly #begins: Step;

  constructor(machine: AnyStateMachine, root: TableState) {
    this.machine = machine;
    this.#root = root;
    this.#limit = maxIterationsOf(machine);
    this.#start = new Configurations().of([root]);
    this.#begins = this.#configurations.plan(this.#start, [initialArrow(root)], true);
  }

  /**
   * The initial snapshot. `visit` is called after each microstep.
   *
   * @throws what a function of the machine's throws, where XState gives a snapshot of status `error`
   */
  initial(input: unknown, scope: TableScope, visit?: Visit): TableSnapshot {
    const event = { type: 'xstate.init', input };
    const move = new Move(this.#contextFor(input, scope), event, scope, this.#root.output);
    return this.#settle(move, this.#begins, undefined, visit);
  }

  /**
   * The snapshot after an event: the same object if nothing changes. `visit` is called after each microstep.
   *
   * @throws what a guard or an action throws, as XState's `transition` does
   */
  next(snapshot: TableSnapshot, event: EventObject, scope: TableScope, visit?: Visit): TableSnapshot {
    if (event.type === '*') throw new Error("An event cannot have the wildcard type ('*')");
    const move = new Move(snapshot.context, event, scope, this.#root.output);
    return this.#settle(move, snapshot.configuration.answer(move.given), snapshot, visit);
  }

  /** Takes the first step, then all eventless and raised ones. */
  #settle(
    move: Move,
    first: Step | undefined,
    snapshot: TableSnapshot | undefined,
    visit: Visit | undefined,
  ): TableSnapshot {
    let configuration = snapshot?.configuration ?? this.#start;
    let isSame = snapshot !== undefined;
    let isOver = false;
    let looks = true;
    let plan = first;
    for (let count = 0; ;) {
      if (plan !== undefined) {
        move.perform(plan.acts);
        configuration = plan.next;
        if (plan.changes) isSame = false;
        isOver = plan.ends;
      }
      // An event that is not answered is a microstep as well.
      visit?.(configuration, move.given.context, move.given.event, plan);
      if (isOver) break;
      count += 1;
      if (count > this.#limit) throw endless(this.#limit);
      plan = looks ? configuration.goOn(move.given) : undefined;
      // An eventless step that changes nothing would repeat.
      looks = plan?.changes ?? true;
      if (plan !== undefined) continue;
      if (!move.takeRaised()) break;
      plan = configuration.answer(move.given);
    }
    if (isSame && snapshot !== undefined) return snapshot;
    const status = isOver ? 'done' : 'active';
    return new TableSnapshot(this.machine, configuration, move.given.context, status, move.output);
  }

  #contextFor(input: unknown, { self }: TableScope): object {
    const context: unknown = this.machine.config.context;
    if (typeof context !== 'function') return (context ?? {}) as object;
    const make = context as (given: object) => object;
    return { ...make({ spawn: refuseToSpawn, input, self }) };
  }
}

const compiled = new WeakMap<AnyStateMachine, CompiledMachine | NoTable>();

/**
 * Compiles a machine, once; a {@link NoTable} has the reason why it cannot be compiled.
 *
 * The machine's functions are read at that time: a machine from `provide()` is a different one.
 *
 * @example
 * compile(agentMachine) instanceof CompiledMachine // => true
 */
export const compile = (machine: AnyStateMachine): CompiledMachine | NoTable => {
  const known = compiled.get(machine);
  if (known !== undefined) return known;
  const table = readTable(machine);
  const made = table instanceof NoTable ? table : new CompiledMachine(machine, table);
  compiled.set(machine, made);
  return made;
};

/** The initial arrow of a machine: to the root and all its initial states. */
const initialArrow = (root: TableState): TableArrow => {
  const targets: TableState[] = [];
  const add = (state: TableState): void => {
    targets.push(state);
    if (state.initial !== undefined) add(state.initial);
    else if (state.type === 'parallel') state.children.forEach(add);
  };
  add(root);
  return { written: undefined, source: root, guard: undefined, acts: [], targets, reenters: true };
};

const endless = (limit: number): Error =>
  new Error(
    `Infinite loop detected: the machine has processed more than ${limit} microsteps without reaching a stable state. This usually happens when there's a cycle of transitions (e.g., eventless transitions or raised events causing state A -> B -> C -> A).`,
  );
