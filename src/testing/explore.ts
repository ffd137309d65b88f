import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';
import type { Json } from '../contracts/json.ts';
import type { Rules } from '../machines/rules.ts';
import type { Position } from './moves.ts';
import { begin, move } from './moves.ts';

/** The limits of an exploration. */
export interface Exploration<M extends AnyStateMachine> {
  readonly input: InputFrom<M>;
  readonly rules?: Rules | undefined;
  /** What may happen at a position: its asks say what is waited for. */
  readonly events: (position: Position<M>) => readonly Happening<M>[];
  /** The part of the context that matters: positions equal in it and in their state are taken for one. */
  readonly tell: (context: ContextFrom<M>) => Json;
  /** More places than this are too many. Default 100,000. */
  readonly limit?: number | undefined;
}

/** One event that may happen. */
export interface Happening<M extends AnyStateMachine> {
  /** What it is called in a report. */
  readonly name: string;
  readonly event: EventFromLogic<M>;
  /** Nobody can count on it: a message, an abort. */
  readonly isFromOutside?: boolean | undefined;
}

/** All that can happen to a machine, as a graph. */
export interface Graph {
  readonly places: readonly Place[];
  readonly moves: readonly GraphMove[];
}

/** Positions that were taken for one. */
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
 * Everything that can happen to a machine over a stated list of events, by trying it all.
 *
 * It proves as much as `tell` tells apart: of positions taken for one, only the first is gone on from.
 *
 * @example
 * const graph = explore(modelCallMachine, { input, events, tell: ({ attempt }) => attempt });
 * deadEnds(graph) // => []
 *
 * @throws {RangeError} past `limit` places
 */
export const explore = <M extends AnyStateMachine>(machine: M, options: Exploration<M>): Graph => {
  const { input, rules, events, tell, limit = 100_000 } = options;
  const start = begin(machine, input, rules);
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
      const next = move(position, event);
      moves.push({ from, to: placeOf(next), event: name, isFromOutside, states: next.states });
    }
  }
  return { places: [...places.values()], moves };
};

/**
 * The places from which no end can be reached by the moves that count (default: all).
 *
 * @example
 * deadEnds(graph, ({ isFromOutside }) => !isFromOutside) // where somebody outside has to help
 */
export const deadEnds = (
  graph: Graph,
  counts: (each: GraphMove) => boolean = () => true,
): readonly string[] => {
  const before = grouped(graph.moves.filter(counts), ({ to }) => to);
  const safe = new Set(graph.places.filter(({ isFinal }) => isFinal));
  for (const place of safe) for (const { from } of before.get(place) ?? []) safe.add(from);
  return graph.places.filter((place) => !safe.has(place)).map(({ name }) => name);
};

/**
 * The loops among the moves that count (default: all): one for each way back, as the places it goes through.
 *
 * @example
 * loops(graph, ({ states }) => !states.includes('agent.running.CHECK_STOP')) // loops that pass no bound
 */
export const loops = (
  graph: Graph,
  counts: (each: GraphMove) => boolean = () => true,
): readonly (readonly string[])[] => {
  const after = grouped(graph.moves.filter(counts), ({ from }) => from);
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

const grouped = (
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
