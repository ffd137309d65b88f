import type { Entry, MovedEntry } from '../recording/entry.ts';
import type { TableauData } from '../recording/tableau.ts';
import { Tableau } from '../recording/tableau.ts';

/** Minimum number of entries between two checkpoints. */
const STRIDE = 2_000;
const CAPACITY = 200_000;

/** Positions at which an actor changed, in order. */
export interface Places {
  readonly moved: number[];
  readonly published: number[];
  /** Results, answers and messages that it received: they may hold media. */
  readonly given: number[];
  /** Events about models of its call actors: they make further attempts. */
  readonly calls: number[];
}

const nowhere = (): Places => ({ moved: [], published: [], given: [], calls: [] });
const NOWHERE = nowhere();

const GIVING: ReadonlySet<string> = new Set(['answered.act', 'answered.decide', 'message']);

/**
 * A recording within a page: its entries, and the tableau at any position.
 *
 * I1  `at(n)` is the base with the first entries up to `n` applied.
 * I2  Moving to any position costs a copy and at most {@link STRIDE} entries, or as many as there are actors: not the
 *     whole past.
 */
export class Timeline {
  #base: Tableau;
  #head: Tableau;
  /** Entries from `first` on. */
  #entries: Entry[] = [];
  #checkpoints: Tableau[] = [];
  #shown: Tableau | undefined;
  readonly #places = new Map<string, Places>();
  /** Positions of the entries of each run. */
  readonly #runs = new Map<string, number[]>();
  readonly #capacity: number;

  constructor(base?: TableauData, capacity = CAPACITY) {
    this.#base = base === undefined ? new Tableau() : Tableau.from(base);
    this.#head = this.#base.copy();
    this.#capacity = capacity;
  }

  /** The first entry that is still there. */
  get first(): number {
    return this.#base.length;
  }

  get length(): number {
    return this.#head.length;
  }

  /** The tableau at the end; mutated as entries arrive. */
  get head(): Tableau {
    return this.#head;
  }

  /** Adds the next entry; a known one, or one out of order, is ignored. */
  add(entry: Entry): boolean {
    if (entry.n !== this.length) return false;
    this.#entries.push(entry);
    this.#head.apply(entry);
    this.#note(entry);
    const last = this.#checkpoints.at(-1) ?? this.#base;
    if (this.length - last.length >= Math.max(STRIDE, this.#head.actors.size))
      this.#checkpoints.push(this.#head.copy());
    if (this.#entries.length >= 2 * this.#capacity) this.#forgetSome();
    return true;
  }

  entry(n: number): Entry | undefined {
    return this.#entries[n - this.first];
  }

  /** Entries from one place up to another, without it. */
  *between(from: number, to: number): Generator<Entry> {
    for (let n = Math.max(from, this.first); n < Math.min(to, this.length); n += 1) {
      const entry = this.entry(n);
      if (entry !== undefined) yield entry;
    }
  }

  /** Returns the tableau after `length` entries. Valid until the next call. */
  at(length: number): Tableau {
    const place = Math.min(Math.max(length, this.first), this.length);
    if (place === this.length) return this.#head;
    const before = this.#before(place);
    const from =
      this.#shown !== undefined && this.#shown.length <= place && this.#shown.length >= before.length
        ? this.#shown
        : before.copy();
    for (const entry of this.between(from.length, place)) from.apply(entry);
    this.#shown = from;
    return from;
  }

  /** Returns the positions of an actor's entries. */
  placesOf(actor: string): Places {
    return this.#places.get(actor) ?? NOWHERE;
  }

  /** Returns the positions of a run's entries. */
  placesOfRun(run: string): readonly number[] {
    return this.#runs.get(run) ?? [];
  }

  /** The run that an entry is of; a chart is of none. */
  runOf(entry: Entry): string | undefined {
    return entry.kind === 'chart' ? undefined : this.#head.actors.get(entry.actor)?.run;
  }

  /** Returns the last move of an actor before `length` that changed its context, after the one that began it. */
  lastChange(actor: string, length: number): MovedEntry | undefined {
    const { moved } = this.placesOf(actor);
    for (let index = countBelow(moved, length) - 1; index > 0; index -= 1) {
      const entry = this.entry(moved[index] ?? -1);
      if (entry?.kind === 'moved' && Object.keys(entry.patch ?? {}).length > 0) return entry;
    }
    return undefined;
  }

  /**
   * Returns the parts of an actor's context that changed in its last move before `length`, with their previous values.
   */
  contextBefore(actor: string, length: number): ReadonlyMap<string, unknown> {
    const { moved } = this.placesOf(actor);
    let index = countBelow(moved, length) - 1;
    const last = this.#patchAt(moved[index]);
    const wanted = new Set(Object.keys(last));
    const before = new Map<string, unknown>();
    while (wanted.size > 0 && index > 0) {
      index -= 1;
      for (const [key, value] of Object.entries(this.#patchAt(moved[index])))
        if (wanted.delete(key)) before.set(key, value);
    }
    const atBase = this.#base.actors.get(actor)?.context ?? {};
    for (const key of wanted) if (Object.hasOwn(atBase, key)) before.set(key, atBase[key]);
    return before;
  }

  #patchAt(n: number | undefined): Readonly<Record<string, unknown>> {
    const entry = n === undefined ? undefined : this.entry(n);
    return entry?.kind === 'moved' ? (entry.patch ?? {}) : {};
  }

  /** Returns the last checkpoint at or before a position. */
  #before(place: number): Tableau {
    const index = countBelow(
      this.#checkpoints.map((each) => each.length),
      place + 1,
    );
    return this.#checkpoints[index - 1] ?? this.#base;
  }

  #note(entry: Entry): void {
    const run = this.runOf(entry);
    const ofRun = run === undefined ? undefined : this.#runs.get(run);
    if (ofRun !== undefined) ofRun.push(entry.n);
    else if (run !== undefined) this.#runs.set(run, [entry.n]);
    const place = placeOf(entry);
    if (entry.kind === 'chart' || place === undefined) return;
    this.#keep(entry.actor, place, entry.n);
    if (entry.kind !== 'published' || !entry.event.type.startsWith('model.')) return;
    const { role, parent } = this.#head.actors.get(entry.actor) ?? {};
    if (role === 'call' && parent !== undefined) this.#keep(parent, 'calls', entry.n);
  }

  #keep(actor: string, place: keyof Places, n: number): void {
    let places = this.#places.get(actor);
    if (places === undefined) this.#places.set(actor, (places = nowhere()));
    places[place].push(n);
  }

  /** Drops as many entries as are kept, at once, so that the amortised cost is small. */
  #forgetSome(): void {
    const forgotten = this.#entries.slice(0, -this.#capacity);
    const base = this.#base.copy();
    for (const entry of forgotten) base.apply(entry);
    this.#entries = this.#entries.slice(-this.#capacity);
    this.#base = base;
    this.#shown = undefined;
    this.#checkpoints = this.#checkpoints.filter(({ length }) => length > base.length);
    for (const places of this.#places.values())
      for (const each of Object.values(places)) each.splice(0, countBelow(each, base.length));
    for (const places of this.#runs.values()) places.splice(0, countBelow(places, base.length));
  }
}

const placeOf = (entry: Entry): keyof Places | undefined => {
  if (entry.kind === 'moved' || entry.kind === 'published') return entry.kind;
  return entry.kind === 'received' && GIVING.has(entry.event.type) ? 'given' : undefined;
};

/** The number of some ascending numbers that are below a bound. */
export const countBelow = (numbers: readonly number[], bound: number): number => {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? Infinity) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};
