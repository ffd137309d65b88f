import type { Clock } from '../../base/clock.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import { SmallSet } from '../../base/collections/small-set.ts';
import type { PersonWait, PersonWaits } from '../../coordination/round/round.ts';
import type { WorkTime } from '../../policy/work-time.ts';

/** The waits for people at one place of the tree: of the actor there, and of all below it. */
interface PlaceWaits {
  open: number;
  /** Time at which the first of the open ones began. */
  since: number;
  /** Total of the waits that are over, in ms; waits at the same time count once. */
  ms: number;
}

interface Watcher {
  readonly place: string;
  readonly onChange: () => void;
}

/**
 * The time for which actors have waited for people, from the events of their requests alone, so that a run that is resumed knows as much as
 * the one that asked. A place is the path of an actor, or `path#callId` for one of its calls.
 */
export class PersonTime implements WorkTime {
  readonly #clock: Clock;
  readonly #waits = new SmallMap<string, PlaceWaits>();
  readonly #watchers = new SmallSet<Watcher>();
  /** The calls that run actors, by the paths of those. */
  readonly #calls = new SmallMap<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  waitedMs(place: string, now: number): number {
    const { ms, open, since } = this.#waits.get(place) ?? NEVER_WAITED;
    return open === 0 ? ms : ms + Math.max(0, now - since);
  }

  isWaiting(place: string): boolean {
    return (this.#waits.get(place)?.open ?? 0) > 0;
  }

  /** The waits of the actors directly below a path; undefined if there were none. */
  waitsBelow(path: string, now: number): PersonWaits | undefined {
    const found: Record<string, PersonWait> = {};
    for (const [place, { open }] of this.#waits)
      if (place.startsWith(`${path}/`) && !/[/#]/.test(place.slice(path.length + 1)))
        found[place] = { ms: this.waitedMs(place, now), isOpen: open > 0 };
    return Object.keys(found).length === 0 ? undefined : found;
  }

  /** Calls `onChange` when a wait of a place begins or ends; returns a function that ends this. */
  watch(place: string, onChange: () => void): () => void {
    const watcher = { place, onChange };
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /** Calls `onLate` once a place has worked for `ms`; returns a function that stops the timer. */
  afterWork(place: string, ms: number, onLate: () => void): () => void {
    const startedAt = this.#clock.now();
    const before = this.waitedMs(place, startedAt);
    let timer: unknown;
    const stop = (): void => {
      this.#clock.clearTimeout(timer);
    };
    const arm = (): void => {
      stop();
      if (this.isWaiting(place)) return;
      const now = this.#clock.now();
      const worked = now - startedAt - (this.waitedMs(place, now) - before);
      timer = this.#clock.setTimeout(
        () => {
          forget();
          onLate();
        },
        Math.max(0, ms - worked),
      );
    };
    const forget = this.watch(place, arm);
    arm();
    return () => {
      forget();
      stop();
    };
  }

  /** An actor is run by a call: what it waits for, the call waits for. */
  runFor(call: string, path: string): void {
    if (this.#calls.get(path) === call) return;
    this.#calls.set(path, call);
    // Where the run is resumed, its requests are open already.
    const { open } = this.#waits.get(path) ?? NEVER_WAITED;
    for (let count = 0; count < open; count += 1) this.#turn([call], 1, this.#clock.now());
  }

  /** A request has been opened or closed. */
  changed(path: string, callId: string | undefined, by: 1 | -1, at: number): void {
    const places = callId === undefined ? [] : [placeOf(path, callId)];
    for (let above = path; above !== ''; above = above.slice(0, Math.max(0, above.lastIndexOf('/'))))
      places.push(above, ...this.#callOf(above));
    this.#turn(places, by, at);
  }

  #turn(places: readonly string[], by: 1 | -1, at: number): void {
    const turned = places.filter((place) => this.#count(place, by, at));
    for (const { place, onChange } of this.#watchers) if (turned.includes(place)) onChange();
  }

  #callOf(path: string): readonly string[] {
    const call = this.#calls.get(path);
    return call === undefined ? [] : [call];
  }

  /** True if the place has begun to wait, or waits no longer. */
  #count(place: string, by: 1 | -1, at: number): boolean {
    const waits = this.#waits.get(place) ?? { ...NEVER_WAITED };
    this.#waits.set(place, waits);
    waits.open += by;
    if (by === 1 && waits.open === 1) waits.since = at;
    if (waits.open === 0) waits.ms += Math.max(0, at - waits.since);
    return waits.open === (by === 1 ? 1 : 0);
  }
}

/** The place of the actor at a path, or of one of its calls. */
export const placeOf = (path: string, callId?: string): string =>
  callId === undefined ? path : `${path}#${callId}`;

const NEVER_WAITED: Readonly<PlaceWaits> = { open: 0, since: 0, ms: 0 };
