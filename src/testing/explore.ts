import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';
import type { Json } from '../base/json/json.ts';
import type { Rules } from '../machines/rules.ts';
import type { Position } from './moves.ts';
import { movesOf } from './table-moves.ts';

/** The limits of an exploration. */
export interface Exploration<M extends AnyStateMachine> {
  readonly input: InputFrom<M>;
  readonly rules?: Rules | undefined;
  /** Returns the events that may happen at a position: its asks are the pending ones. */
  readonly events: (position: Position<M>) => readonly Happening<M>[];
  /** Projects the context to what matters: positions with an equal projection and state are merged. */
  readonly tell: (context: ContextFrom<M>) => Json;
  /** More places than this are too many. Default 100,000. */
  readonly limit?: number | undefined;
}

/** One event that may happen. */
export interface Happening<M extends AnyStateMachine> {
  /** Its name in a report. */
  readonly name: string;
  readonly event: EventFromLogic<M>;
  /** True if it may never happen: a message, an abort. */
  readonly isFromOutside?: boolean | undefined;
}

/** All that can happen to a machine, as a graph. */
export interface Graph {
  readonly places: readonly Place[];
  readonly moves: readonly GraphMove[];
}

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

/**
 * Explores all behaviours of a machine over a given list of events, exhaustively.
 *
 * It proves as much as `tell` distinguishes: of merged positions, only the first is explored further.
 *
 * @example
 * const graph = explore(modelCallMachine, { input, events, tell: ({ attempt }) => attempt });
 * deadEnds(graph) // => []
 *
 * @throws {RangeError} beyond `limit` nodes
 */
export const explore = <M extends AnyStateMachine>(machine: M, options: Exploration<M>): Graph => {
  const { input, rules, events, tell, limit = 100_000 } = options;
  const walker = movesOf(machine);
  const start = walker.begin(input, rules);
  const places = new Map<string, Place>();
  const moves: GraphMove[] = [];
  const queue: { readonly position: Position<M>; readonly place: Place }[] = [];
  const placeOf = (position: Position<M>): Place => {
    const name = `${JSON.stringify(position.value)} ${JSON.stringify(tell(position.context))}`;
    const known = places.get(name);
    if (known !== undefined) return known;
    if (places.size >= limit)
      throw new RangeError(`Cannot explore '${machine.id}' as it has too many places: ${limit}`);
    const place = { name, isFinal: position.status !== 'active' };
    places.set(name, place);
    queue.push({ position, place });
    return place;
  };
  placeOf(start);
  for (const { position, place: from } of queue) {
    if (from.isFinal) continue;
    for (const { name, event, isFromOutside = false } of events(position)) {
      const next = walker.move(position, event);
      moves.push({ from, to: placeOf(next), event: name, isFromOutside, states: next.states });
    }
  }
  return { places: [...places.values()], moves };
};

/**
 * Finds the places from which no end is reachable by the counted moves (default: all).
 *
 * @example
 * deadEnds(graph, ({ isFromOutside }) => !isFromOutside) // places that need help from outside
 */
export const deadEnds = (
  graph: Graph,
  counts: (each: GraphMove) => boolean = () => true,
): readonly string[] => {
  const before = groupMoves(graph.moves.filter(counts), ({ to }) => to);
  const safe = new Set(graph.places.filter(({ isFinal }) => isFinal));
  for (const place of safe) for (const { from } of before.get(place) ?? []) safe.add(from);
  return graph.places.filter((place) => !safe.has(place)).map(({ name }) => name);
};

/**
 * Finds the loops among the counted moves (default: all): one for each back edge, as the places on it.
 *
 * @example
 * loops(graph, ({ states }) => !states.includes('agent.running.CHECK_STOP')) // loops that pass no bound
 */
export const loops = (
  graph: Graph,
  counts: (each: GraphMove) => boolean = () => true,
): readonly (readonly string[])[] => {
  const after = groupMoves(graph.moves.filter(counts), ({ from }) => from);
  const found: string[][] = [];
  const done = new Set<Place>();
  for (const start of graph.places) {
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
};

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
