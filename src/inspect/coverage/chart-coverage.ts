import type { Entry, StateShape } from '../recording/entry.ts';
import type { Recording } from '../recording/recording.ts';

/** Coverage of charts by runs: which arrows were taken, and how long each state lasted. */
export interface ChartCoverage {
  /** The number of actors that went through them. */
  readonly actors: number;
  /** Number of times each arrow was taken, by its id; 0 for those never taken. */
  readonly taken: ReadonlyMap<string, number>;
  /** The number of times that each state was entered, by its id. */
  readonly visits: ReadonlyMap<string, number>;
  /** The time that actors were in each state, all together, in ms; states around a state have its time, too. */
  readonly dwellMs: ReadonlyMap<string, number>;
  /** Arrows never taken, in the order of their charts. */
  readonly neverTaken: readonly string[];
}

/** Options that select actors. */
export interface CoverageOptions {
  /** Those of that name. Default: all. */
  readonly name?: string | undefined;
}

/** The chart and states of an actor. */
interface Place {
  readonly chart: string;
  states: ReadonlySet<string>;
  since: number;
}

/**
 * The number of times that each arrow of the charts in recordings was taken, and how long actors were in each state.
 *
 * Only what a recording still has is counted, and of an actor that is not over yet the time until its last move.
 *
 * @example
 * const record = recorder();
 * for (const question of questions) await clerk.run(question, { inspect: record });
 * const { neverTaken } = chartCoverage([record.recording]);
 */
export const chartCoverage = (
  recordings: Iterable<Recording>,
  { name }: CoverageOptions = {},
): ChartCoverage => {
  const found = new Coverage(name);
  for (const recording of recordings) {
    found.begins();
    // The recording wrote them.
    for (const line of recording.from()) found.take(JSON.parse(line) as Entry);
  }
  return found;
};

class Coverage implements ChartCoverage {
  readonly taken = new Map<string, number>();
  readonly visits = new Map<string, number>();
  readonly dwellMs = new Map<string, number>();
  readonly #name: string | undefined;
  /** By chart: each state with those around it. */
  #shapes = new Map<string, StateShape>();
  #around = new Map<string, ReadonlyMap<string, readonly string[]>>();
  #places = new Map<string, Place>();
  actors = 0;

  constructor(name: string | undefined) {
    this.#name = name;
  }

  get neverTaken(): readonly string[] {
    return [...this.taken].flatMap(([arrow, times]) => (times === 0 ? [arrow] : []));
  }

  /** Another recording: its charts and actors are its own. */
  begins(): void {
    this.#shapes = new Map();
    this.#around = new Map();
    this.#places = new Map();
  }

  take(entry: Entry): void {
    if (entry.kind === 'chart') this.#shapes.set(entry.chart, entry.shape);
    else if (entry.kind === 'actor') this.#comes(entry);
    else if (entry.kind === 'moved') this.#moves(entry);
    else if (entry.kind === 'gone') this.#leaves(entry.actor, entry.at);
  }

  #comes({ actor, name, chart }: Extract<Entry, { kind: 'actor' }>): void {
    const shape = chart === undefined ? undefined : this.#shapes.get(chart);
    if (chart === undefined || shape === undefined) return;
    if (this.#name !== undefined && this.#name !== name) return;
    this.actors += 1;
    if (!this.#around.has(chart)) {
      this.#around.set(chart, new Map(statesAround(shape, [])));
      for (const arrow of arrowsIn(shape)) if (!this.taken.has(arrow)) this.taken.set(arrow, 0);
    }
    this.#places.set(actor, { chart, states: new Set(), since: 0 });
  }

  #moves({ actor, at, states, arrows }: Extract<Entry, { kind: 'moved' }>): void {
    const place = this.#places.get(actor);
    if (place === undefined) return;
    this.#spend(place, at);
    for (const arrow of arrows) add(this.taken, arrow, 1);
    const around = this.#around.get(place.chart);
    const now = new Set(states.flatMap((state) => around?.get(state) ?? [state]));
    for (const state of now) if (!place.states.has(state)) add(this.visits, state, 1);
    place.states = now;
    place.since = at;
  }

  #leaves(actor: string, at: number): void {
    const place = this.#places.get(actor);
    if (place !== undefined) this.#spend(place, at);
    this.#places.delete(actor);
  }

  #spend({ states, since }: Place, until: number): void {
    for (const state of states) add(this.dwellMs, state, until - since);
  }
}

const add = (counts: Map<string, number>, key: string, more: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + more);
};

const arrowsIn = (shape: StateShape): readonly string[] => [
  ...shape.arrows.map(({ id }) => id),
  ...shape.states.flatMap(arrowsIn),
];

/** Each state with itself and all that it is in. */
function* statesAround(
  shape: StateShape,
  above: readonly string[],
): Generator<readonly [string, readonly string[]]> {
  const all = [...above, shape.id];
  yield [shape.id, all];
  for (const child of shape.states) yield* statesAround(child, all);
}
