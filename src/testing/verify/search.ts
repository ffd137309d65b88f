import { systemClock } from '../../base/clock.ts';
import type { Violation } from '../../contracts/properties/property.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import type { Place, GraphMove } from '../graph.ts';
import { Graph } from '../graph.ts';
import type { Move } from './environment.ts';
import type { Memory } from './memory.ts';
import { Environment } from './environment.ts';
import type { Theatre } from './stage.ts';
import { Stage } from './stage.ts';
import type { ProofOptions } from './verify-options.ts';
import type { World } from './world.ts';

/** A state that was reached, and the shortest way to it. */
export interface Found extends Place {
  readonly world: World;
  readonly depth: number;
  readonly before: Found | undefined;
  /** The move from the state before. */
  readonly move: Move | undefined;
}

/** A transition of the search, with the agents and teams that it engages. */
export interface Step extends GraphMove {
  readonly from: Found;
  readonly to: Found;
  readonly engaged: readonly Definition[];
}

/** The result of a search. */
export interface Searched {
  readonly found: readonly Found[];
  readonly graph: Graph;
  readonly steps: readonly Step[];
  /** The agents and teams that are engaged before the first move, the root first. */
  readonly begun: readonly Definition[];
  /** By the name of the property, the first violation: no shorter story has one. */
  readonly violations: ReadonlyMap<string, { readonly violation: Violation; readonly at: Found }>;
  readonly cut: number;
  readonly isAborted: boolean;
}

/** The subject of a search: a run that has begun. */
interface Scene {
  readonly theatre: Theatre;
  readonly memory: Memory;
  readonly start: Stage;
}

/** States that are searched before other work of the process has a turn. */
const AT_ONCE = 2_000;

/** Reaches every state of a run, breadth first: the first way to a state is a shortest one. */
export const search = async ({ theatre, memory, start }: Scene, options: ProofOptions): Promise<Searched> => {
  const { depth: deepest = Infinity, states: most = 100_000, steps: mostSteps = Infinity, signal } = options;
  const environment = new Environment(options);
  const known = new Map<string, Found>();
  const found: Found[] = [];
  const steps: Step[] = [];
  const violations = new Map<string, { violation: Violation; at: Found }>();
  let cut = 0;
  const placeOf = (world: World, before: Found | undefined, move: Move | undefined): Found => {
    const key = memory.keyOf(world);
    const old = known.get(key);
    if (old !== undefined) return old;
    const depth = before === undefined ? 0 : before.depth + 1;
    const place = {
      name: String(found.length),
      isFinal: world.ended !== undefined,
      world,
      depth,
      before,
      move,
    };
    known.set(key, place);
    found.push(place);
    return place;
  };
  const note = (stage: Stage, world: World, before: Found | undefined, move: Move | undefined): void => {
    for (const violation of stage.audience.violations)
      if (!violations.has(violation.rule))
        // The state may be known by another way: the story is this one.
        violations.set(violation.rule, {
          violation,
          at: { name: '', isFinal: false, world, depth: (before?.depth ?? -1) + 1, before, move },
        });
  };
  const first = start.settle();
  placeOf(first, undefined, undefined);
  note(start, first, undefined, undefined);
  for (let index = 0; index < found.length; index += 1) {
    if (signal?.aborted === true) break;
    if (index % AT_ONCE === AT_ONCE - 1) await aTurn();
    const from = found[index];
    if (from === undefined || from.isFinal) continue;
    if (from.depth >= deepest || isLong(from.world, mostSteps)) {
      cut += 1;
      continue;
    }
    for (const move of environment.movesAt(from.world)) {
      const stage = new Stage(theatre, from.world, memory);
      stage.make(move);
      const world = stage.settle();
      note(stage, world, from, move);
      if (found.length >= most && !known.has(memory.keyOf(world))) {
        cut += 1;
        continue;
      }
      const to = placeOf(world, from, move);
      steps.push({
        from,
        to,
        event: `${move.path}: ${move.does}`,
        isFromOutside: false,
        states: stage.entered,
        engaged: stage.engaged,
      });
    }
  }
  return {
    found,
    graph: new Graph(found, steps),
    steps,
    begun: start.engaged,
    violations,
    cut,
    isAborted: signal?.aborted === true,
  };
};

/** Checks whether an agent has taken as many steps as are looked at. */
const isLong = ({ players }: World, most: number): boolean =>
  most < Infinity &&
  [...players.values()].some(({ pending }) =>
    pending.some(({ port, step }) => port === 'decide' && step >= most),
  );

const aTurn = (): Promise<void> =>
  new Promise((resolve) => {
    systemClock.setTimeout(resolve, 0);
  });

/** The moves on the way to a state. */
export const wayTo = (place: Found): readonly Move[] => {
  const moves: Move[] = [];
  for (let each: Found | undefined = place; each?.move !== undefined; each = each.before)
    moves.push(each.move);
  return moves.toReversed();
};
