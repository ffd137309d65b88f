import type { StateValue } from 'xstate';
import type { Microstep } from '../../../contracts/events/inspection.ts';
import { activeStates } from '../active-states.ts';
import type { MachineChart } from '../chart-book.ts';
import { patchBetween } from '../context-patch.ts';
import type { NewEntry } from '../entry.ts';
import type { NotedMove, PackRow } from '../packs/pack.ts';
import type { Packer } from '../packs/packer.ts';
import type { Tableau } from '../tableau.ts';
import type { Note } from './note.ts';

/** A turn of an actor's machine. */
export interface NotedTurn {
  readonly at: number;
  readonly actor: string;
  readonly chart: MachineChart;
  /** The event that it answered to; undefined for its first turn. */
  readonly event: { readonly type: string } | undefined;
  /** Its context before; undefined where it begins. */
  readonly before: object | undefined;
  readonly microsteps: readonly Microstep[];
}

/** A turn of a machine, as references to its values: what is new in a context is found when it is read. */
export class TurnNote implements Note {
  readonly count: number;
  readonly #turn: NotedTurn;

  constructor(turn: NotedTurn) {
    this.#turn = turn;
    this.count = turn.microsteps.length + (turn.event === undefined ? 0 : 1);
  }

  entries(): readonly NewEntry[] {
    const { at, actor, event } = this.#turn;
    const moves = this.#moves().map(({ patch, ...move }): NewEntry => {
      const { on, arrows, states } = move;
      const moved = { kind: 'moved', at, actor, on, arrows, states } as const;
      return patch === undefined ? moved : { ...moved, patch };
    });
    return event === undefined ? moves : [{ kind: 'received', at, actor, event }, ...moves];
  }

  fold(tableau: Tableau, place: number): void {
    const { actor, event } = this.#turn;
    let n = event === undefined ? place : place + 1;
    for (const move of this.#moves()) tableau.moves(actor, move, n++);
    tableau.length = n;
  }

  row(packer: Packer): PackRow {
    return packer.turn(this.#turn, this.#moves());
  }

  #moves(): readonly NotedMove[] {
    const { chart, microsteps } = this.#turn;
    let { before } = this.#turn;
    return microsteps.map(({ on, arrows, value, context }) => {
      const patch = patchBetween(before, context);
      before = context;
      return { on, arrows: chart.idsOf(arrows), states: statesIn(chart, value), patch };
    });
  }
}

const statesIn = ({ machine }: MachineChart, value: StateValue): readonly string[] =>
  activeStates(machine, value);
