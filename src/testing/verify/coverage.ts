import { ancestorsOf, arrowsFrom, chartOf, startOf, statesWithin } from '../../machines/diagrams/chart.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import type { Note } from '../../runtime/turn/mover.ts';
import { statesAt } from '../arrows-taken.ts';

/** The part of the chart of an agent or a team that a proof has reached. */
export interface Reached {
  readonly name: string;
  /** Ids of states that were never entered. */
  readonly unreachable: readonly string[];
  /** Keys of arrows that were never taken. */
  readonly neverTaken: readonly string[];
  readonly states: number;
  readonly arrows: number;
}

/** Notes the states and arrows of charts that moves go through. */
export class Coverage {
  readonly #charts = new Map<
    Definition,
    { readonly taken: Set<object>; readonly values: Set<unknown>; readonly note: Note }
  >();

  /** The same for each definition: it is called with each microstep. */
  noteOf(definition: Definition): Note {
    const known = this.#charts.get(definition);
    if (known !== undefined) return known.note;
    const taken = new Set<object>();
    const values = new Set<unknown>();
    const note: Note = ({ arrows, value }) => {
      for (const each of arrows) taken.add(each);
      values.add(value);
    };
    this.#charts.set(definition, { taken, values, note });
    return note;
  }

  get reached(): readonly Reached[] {
    return [...this.#charts].map(([{ name, machine }, { taken, values }]) => {
      const root = chartOf(machine);
      const all = statesWithin(root);
      // Into its first states a chart is put, not moved.
      const entered = new Set(
        startOf(root)
          .flatMap((state) => [state, ...ancestorsOf(state)])
          .map(({ id }) => id),
      );
      for (const value of values) for (const { id } of statesAt(root, value)) entered.add(id);
      const arrows = all.flatMap((state) => {
        const transitions = [...[...state.transitions.values()].flat(), ...(state.always ?? [])];
        return arrowsFrom(state).map((arrow, index) => ({ arrow, by: transitions[index] }));
      });
      // States that were passed through within a move are the targets of arrows that were taken.
      for (const { arrow, by } of arrows)
        if (by !== undefined && taken.has(by)) for (const { id } of arrow.targets) entered.add(id);
      return {
        name,
        unreachable: all.filter(({ id }) => !entered.has(id)).map(({ id }) => id),
        neverTaken: arrows
          .filter(({ by }) => by === undefined || !taken.has(by))
          .map(({ arrow }) => arrow.key),
        states: all.length,
        arrows: arrows.length,
      };
    });
  }
}
