import type { StateShape } from '../src/inspect/recording/entry.ts';

/** What may happen in any state, and says nothing about one: it would be most of a chart's arrows. */
const EVERYWHERE = /^(?:abort|message|expired(?:\..*)?|failed\..*|answered\.(?:recover|\*))$/;

/** A chart without the arrows that are in every chart of its kind: an abort, a limit, a failure, what is taken in while it waits. */
export const plainChart = (shape: StateShape): StateShape => ({
  ...shape,
  states: shape.states.map(plainChart),
  arrows: shape.arrows.filter(({ event }) => !EVERYWHERE.test(event)),
});
