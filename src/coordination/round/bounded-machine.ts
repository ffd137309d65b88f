import type { AnyStateMachine } from 'xstate';
import { createMachine } from 'xstate';
import { maxIterationsOf } from '../../machines/diagrams/chart.ts';

/** Arrows that a team takes at once in a row, unless its chart says otherwise: more are a loop. */
export const MAX_ITERATIONS = 1_000;

const bounded = new WeakMap<AnyStateMachine, AnyStateMachine>();

/** The machine of a team with a bound on the arrows that it takes at once, where it sets none; the same one each time. */
export const boundedMachine = (machine: AnyStateMachine): AnyStateMachine => {
  if (Number.isFinite(maxIterationsOf(machine))) return machine;
  const known = bounded.get(machine);
  if (known !== undefined) return known;
  const options = { ...machine.config.options, maxIterations: MAX_ITERATIONS };
  const made: AnyStateMachine = createMachine({ ...machine.config, options });
  const provided = made.provide(machine.implementations);
  bounded.set(machine, provided);
  return provided;
};
