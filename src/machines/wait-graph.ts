/**
 * What somebody waits for: an answer, a child's end, a lock, room in a mailbox, or the calls that its own next step needs.
 *
 * A person is no party: who waits for a yes, or for a word from outside, waits for somebody who waits for nobody here, and closes no circle.
 */
export type WaitKind = 'ask' | 'child' | 'lock' | 'slot' | 'call';

/** Somebody waits. A party is an actor, one of its calls, or whoever else holds something. */
export interface Wait<Party> {
  readonly who: Party;
  readonly on: readonly Party[];
  readonly kind: WaitKind;
  /** The number of them that is enough: `one` for a place in a pool that several hold. Default `all`. */
  readonly enough?: 'one' | 'all' | undefined;
  /** The name of what is waited for, where it has one. */
  readonly what?: string | undefined;
}

/** One arrow of a circle: who waits for whom, and by which wait. */
export interface WaitArrow<Party> {
  readonly from: Party;
  readonly to: Party;
  readonly wait: Wait<Party>;
}

/** What a party waits for by what it is, beside what was taken in: looked up when it is reached, so it costs nothing before. */
export type Lineage<Party> = (party: Party) => Iterable<Wait<Party>>;

/**
 * Who waits for whom, and the moment at which nobody could go on any more.
 *
 * Parties are told apart by identity, so that actors of several runs can share a graph. Who waits for several at once needs them
 * all; a wait for a place that several hold (`enough: 'one'`) is over when any of them lets go, and is a deadlock only when none can.
 * A wait that would close a circle is not taken in: whoever wanted it is told, and nobody else.
 *
 * I1  Nobody in the graph waits for ever.
 * I2  Taking in a wait costs what can be reached from it, taking it out costs nothing.
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

  /** The number of parties that wait. */
  get size(): number {
    return this.#waits.size;
  }

  /** What a party waits for. */
  *waitsOf(who: Party): Iterable<Wait<Party>> {
    yield* this.#waits.get(who) ?? NONE;
    yield* this.#lineage(who);
  }

  /** Takes in a wait; gives the circle that it would close instead, beginning with who wanted to wait. */
  add(wait: Wait<Party>): readonly WaitArrow<Party>[] | undefined {
    const circle = this.circleOf(wait);
    if (circle === undefined) this.note(wait);
    return circle;
  }

  /** Takes in a wait for somebody who is new, and so waits for nobody: there is nothing to look for. */
  note(wait: Wait<Party>): void {
    const known = this.#waits.get(wait.who);
    if (known === undefined) this.#waits.set(wait.who, new Set([wait]));
    else known.add(wait);
  }

  /** Takes out a wait that was taken in: it is over. Anything else changes nothing. */
  remove(wait: Wait<Party>): void {
    const known = this.#waits.get(wait.who);
    if (known?.delete(wait) === true && known.size === 0) this.#waits.delete(wait.who);
  }

  /** Takes out all that a party waits for: it is gone. */
  forget(who: Party): void {
    this.#waits.delete(who);
  }

  /** The circle that a wait would close; undefined if it closes none. Changes nothing. */
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
    // A set that grows while it is gone through is gone through to its end.
    for (const party of reached)
      for (const wait of this.waitsOf(party)) for (const to of wait.on) reached.add(to);
    return reached;
  }

  /** Who of them could not go on before `who` does: all but those that, one after the other, can. */
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

  /** The shortest way along those who are stuck, from a wait back to whoever wants it. */
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

/** Checks whether a wait has no end as long as those parties are stuck. */
const isHopeless = <Party>({ on, enough }: Wait<Party>, isStuck: (party: Party) => boolean): boolean =>
  enough === 'one' ? on.length > 0 && on.every(isStuck) : on.some(isStuck);
