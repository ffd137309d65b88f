/**
 * The kind of a wait: for an answer, a child's end, a lock, room in a mailbox, or the calls that the next step needs.
 *
 * People are no parties: a wait for a person leads out of the graph, and closes no cycle.
 */
export type WaitKind = 'ask' | 'child' | 'lock' | 'slot' | 'call';

/** A wait. Parties are actors, their calls, and other holders of resources. */
export interface Wait<Party> {
  readonly who: Party;
  readonly on: readonly Party[];
  readonly kind: WaitKind;
  /** The number of parties that suffices: `one` for a slot in a pool. Default `all`. */
  readonly enough?: 'one' | 'all' | undefined;
  /** Name of the awaited resource, if it has one. */
  readonly what?: string | undefined;
}

/** One arrow of a cycle. */
export interface WaitArrow<Party> {
  readonly from: Party;
  readonly to: Party;
  readonly wait: Wait<Party>;
}

/** Waits that follow from the party itself: computed when it is reached, so they cost nothing otherwise. */
export type Lineage<Party> = (party: Party) => Iterable<Wait<Party>>;

/**
 * Detects deadlocks: a graph of who waits for whom.
 *
 * Parties are compared by identity, so that actors of several runs can share a graph. A wait for several parties needs them all; a wait for
 * any of several holders (`enough: 'one'`) is a deadlock only if none of them can continue. A wait that would close a cycle is not added:
 * only the party that requested it is refused.
 *
 * I1 No party in the graph waits for ever.
 * I2 Adding a wait costs what can be reached from it; removing it costs nothing.
 *
 * @example
 * const graph = new WaitGraph<string>();
 * graph.add({ who: 'ada', on: ['bob'], kind: 'ask' });
 * graph.add({ who: 'bob', on: ['ada'], kind: 'ask' }); // [bob → ada, ada → bob]
 */
export class WaitGraph<Party> {
  readonly #waits = new Map<Party, Set<Wait<Party>>>();
  readonly #lineage: Lineage<Party>;

  constructor(lineage: Lineage<Party> = () => NONE) {
    this.#lineage = lineage;
  }

  /** Number of waiting parties. */
  get size(): number {
    return this.#waits.size;
  }

  /** The waits of a party. */
  *waitsOf(who: Party): Iterable<Wait<Party>> {
    yield* this.#waits.get(who) ?? NONE;
    yield* this.#lineage(who);
  }

  /** Adds a wait, or returns the cycle that it would close, starting at the waiting party. */
  add(wait: Wait<Party>): readonly WaitArrow<Party>[] | undefined {
    const circle = this.circleOf(wait);
    if (circle === undefined) this.note(wait);
    return circle;
  }

  /** Adds a wait on a new party. It cannot close a cycle, so none is looked for. */
  note(wait: Wait<Party>): void {
    const known = this.#waits.get(wait.who);
    if (known === undefined) this.#waits.set(wait.who, new Set([wait]));
    else known.add(wait);
  }

  /** Removes a wait; ignored if it was not added. */
  remove(wait: Wait<Party>): void {
    const known = this.#waits.get(wait.who);
    if (known?.delete(wait) === true && known.size === 0) this.#waits.delete(wait.who);
  }

  /** Removes all waits of a party. */
  forget(who: Party): void {
    this.#waits.delete(who);
  }

  /** The cycle that a wait would close; undefined if none. Changes nothing. */
  circleOf(wait: Wait<Party>): readonly WaitArrow<Party>[] | undefined {
    const { who } = wait;
    const reached = this.#reachedFrom(wait);
    if (!reached.has(who)) return undefined;
    const stuck = this.#stuckWithout(who, reached);
    const isStuck = (party: Party): boolean => stuck.has(party);
    if (!isHopeless(wait, isStuck)) return undefined;
    const circle = this.#wayBack(wait, isStuck);
    return circle.length === 0 ? undefined : circle;
  }

  #reachedFrom({ on }: Wait<Party>): ReadonlySet<Party> {
    const reached = new Set<Party>(on);
    // The iteration of a set includes items added during it.
    for (const party of reached)
      for (const wait of this.waitsOf(party)) for (const to of wait.on) reached.add(to);
    return reached;
  }

  /** The parties that cannot continue before `who` does. */
  #stuckWithout(who: Party, among: ReadonlySet<Party>): ReadonlySet<Party> {
    const stuck = new Set(among);
    const isStuck = (party: Party): boolean => stuck.has(party);
    const askers = new Map<Party, Party[]>();
    for (const party of among)
      for (const wait of this.waitsOf(party))
        for (const to of wait.on) {
          const list = askers.get(to);
          if (list === undefined) askers.set(to, [party]);
          else list.push(party);
        }
    const left = [...among];
    for (let party = left.pop(); party !== undefined; party = left.pop()) {
      if (party === who || !stuck.has(party) || this.#cannotGoOn(party, isStuck)) continue;
      stuck.delete(party);
      left.push(...(askers.get(party) ?? []));
    }
    return stuck;
  }

  #cannotGoOn(party: Party, isStuck: (party: Party) => boolean): boolean {
    for (const wait of this.waitsOf(party)) if (isHopeless(wait, isStuck)) return true;
    return false;
  }

  /** The shortest path through stuck parties back to the waiting one. */
  #wayBack(wait: Wait<Party>, isStuck: (party: Party) => boolean): readonly WaitArrow<Party>[] {
    const { who } = wait;
    const cameBy = new Map<Party, WaitArrow<Party>>();
    const see = (from: Party, by: Wait<Party>): void => {
      if (!isHopeless(by, isStuck)) return;
      for (const to of by.on) if (isStuck(to) && !cameBy.has(to)) cameBy.set(to, { from, to, wait: by });
    };
    see(who, wait);
    for (const party of cameBy.keys()) {
      if (party === who) break;
      for (const by of this.waitsOf(party)) see(party, by);
    }
    const back: WaitArrow<Party>[] = [];
    for (let arrow = cameBy.get(who); arrow !== undefined; arrow = cameBy.get(arrow.from)) {
      back.push(arrow);
      if (arrow.from === who) break;
    }
    return back.toReversed();
  }
}

const NONE: readonly never[] = [];

/** Checks whether a wait cannot end while those parties are stuck. */
const isHopeless = <Party>({ on, enough }: Wait<Party>, isStuck: (party: Party) => boolean): boolean =>
  enough === 'one' ? on.length > 0 && on.every(isStuck) : on.some(isStuck);
