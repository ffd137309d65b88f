import type { Arrival } from '../../contracts/journals/journal-record.ts';
import type { Origins } from '../../contracts/tools/origins.ts';
import type { Scope } from '../journal/write/scope.ts';

/** The origins of an actor in a run that keeps none: always empty. */
export const NO_ORIGINS: Origins = {
  names: [],
  add: () => false,
  hear: () => undefined,
  addTurns: () => undefined,
  mark: (value) => value,
  markTurns: (turns) => turns,
};

/** The calls that feeding needs of a journal. */
interface Journal {
  arrive(scope: Scope, arrival: Arrival): number;
  aside(work: () => void): void;
}

/** Adds origins of what an effect brings beside its answer. They are recorded, as an answered effect is not replayed. */
export const feed = (
  { path, scope, origins }: { readonly path: string; readonly scope: Scope; readonly origins: Origins },
  journal: Journal,
  more: readonly string[] | undefined,
): void => {
  // After the turn of a child that ends, in which nothing arrives.
  if (more !== undefined && origins.add(more))
    journal.aside(() => journal.arrive(scope, { type: 'fed', path, origins: more }));
};
