/** A node: merged positions. */
export interface Place {
  readonly name: string;
  readonly isFinal: boolean;
}

/** One event at one place. */
export interface GraphMove {
  readonly from: Place;
  readonly to: Place;
  readonly event: string;
  readonly isFromOutside: boolean;
  /** The ids of all states on the way, transient ones included. */
  readonly states: readonly string[];
}

/** Selects the moves that count. */
type Counts = (each: GraphMove) => boolean;

/** All that can happen to a machine, as a graph. */
export class Graph {
  readonly places: readonly Place[];
  readonly moves: readonly GraphMove[];

  constructor(places: readonly Place[], moves: readonly GraphMove[]) {
    this.places = places;
    this.moves = moves;
  }

  /**
   * Finds the places from which no end is reachable by the counted moves (default: all).
   *
   * @example
   * graph.deadEnds(({ isFromOutside }) => !isFromOutside) // places that need help from outside
   */
  deadEnds(counts: Counts = () => true): readonly string[] {
    const before = groupMoves(this.moves.filter(counts), ({ to }) => to);
    const safe = new Set(this.places.filter(({ isFinal }) => isFinal));
    for (const place of safe) for (const { from } of before.get(place) ?? []) safe.add(from);
    return this.places.filter((place) => !safe.has(place)).map(({ name }) => name);
  }

  /**
   * Finds the loops among the counted moves (default: all): one for each back edge, as the places on it.
   *
   * @example
   * graph.loops(({ states }) => !states.includes('agent.running.CHECK_STOP')) // loops that pass no bound
   */
  loops(counts: Counts = () => true): readonly (readonly string[])[] {
    const after = groupMoves(this.moves.filter(counts), ({ from }) => from);
    const found: string[][] = [];
    const done = new Set<Place>();
    for (const start of this.places) {
      // An explicit stack, as a path can be longer than the call stack is deep.
      const path: { readonly place: Place; next: number }[] = done.has(start)
        ? []
        : [{ place: start, next: 0 }];
      const open = new Set(path.map(({ place }) => place));
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        const step = after.get(top.place)?.[top.next];
        top.next += 1;
        if (step === undefined) {
          done.add(top.place);
          open.delete(top.place);
          path.pop();
        } else if (open.has(step.to)) {
          const names = path.map(({ place }) => place.name);
          found.push([...names.slice(names.indexOf(step.to.name)), step.to.name]);
        } else if (!done.has(step.to)) {
          open.add(step.to);
          path.push({ place: step.to, next: 0 });
        }
      }
    }
    return found;
  }
}

const groupMoves = (
  moves: readonly GraphMove[],
  end: (each: GraphMove) => Place,
): ReadonlyMap<Place, readonly GraphMove[]> => {
  const groups = new Map<Place, GraphMove[]>();
  for (const each of moves) {
    const group = groups.get(end(each));
    if (group === undefined) groups.set(end(each), [each]);
    else group.push(each);
  }
  return groups;
};
