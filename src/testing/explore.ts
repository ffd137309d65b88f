import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';
import type { Json } from '../base/json/json.ts';
import type { Rules } from '../machines/rules.ts';
import type { GraphMove, Place } from './graph.ts';
import { Graph } from './graph.ts';
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

/**
 * Explores all behaviours of a machine over a given list of events, exhaustively.
 *
 * It proves as much as `tell` distinguishes: of merged positions, only the first is explored further.
 *
 * @example
 * const graph = explore(modelCallMachine, { input, events, tell: ({ attempt }) => attempt });
 * graph.deadEnds() // => []
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
  return new Graph([...places.values()], moves);
};
