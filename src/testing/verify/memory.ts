import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Violation } from '../../contracts/properties/property.ts';
import type { PropertyStates } from '../../policy/properties/property-monitor.ts';
import type { Turned } from '../../runtime/turn/turn.ts';
import type { TurnRecord } from '../../runtime/turn/turn-record.ts';
import type { Player, World } from './world.ts';
import type { WorldKeys } from './world-key.ts';

/** The states of properties after events. */
export interface Heard {
  readonly after: PropertyStates;
  readonly violations: readonly Violation[];
}

/**
 * Remembers what a proof has seen: one actor stands for all of its key, and an actor that takes the same answer again moves as it did before. A
 * product of several actors has few states of each, and many of all.
 *
 * I1 The turn is pure: an equal move of the same record has the same result.
 */
export class Memory {
  readonly #keys: WorldKeys;
  readonly #players = new Map<string, Player>();
  readonly #numbers = new WeakMap<Player, number>();
  readonly #properties = new Map<string, PropertyStates>();
  readonly #propertyNumbers = new WeakMap<PropertyStates, number>();
  readonly #turns = new WeakMap<TurnRecord, Map<object, Turned>>();
  readonly #events = new WeakMap<object, Map<string, RuntimeEvent>>();
  readonly #heard = new WeakMap<object, Map<PropertyStates, Heard>>();
  #count = 0;

  constructor(keys: WorldKeys) {
    this.#keys = keys;
  }

  /** The actor that stands for this one. */
  standIn(player: Player): Player {
    if (this.#numbers.has(player)) return player;
    const key = this.#keys.ofPlayer(player);
    const known = this.#players.get(key);
    if (known !== undefined) return known;
    this.#players.set(key, player);
    this.#count += 1;
    this.#numbers.set(player, this.#count);
    return player;
  }

  /** The states that stand for these. */
  statesFor(states: PropertyStates): PropertyStates {
    if (this.#propertyNumbers.has(states)) return states;
    const key = JSON.stringify(states);
    const known = this.#properties.get(key);
    if (known !== undefined) return known;
    this.#properties.set(key, states);
    this.#propertyNumbers.set(states, this.#properties.size);
    return states;
  }

  /** The key of a world of stand-ins. */
  keyOf({ players, properties, ended }: World): string {
    const numbers: number[] = [];
    for (const player of players.values()) numbers.push(this.#numbers.get(player) ?? 0);
    // Who was engaged first makes no difference to what is there.
    numbers.sort((one, other) => one - other);
    return `${ended ?? ''}${numbers.join(',')}|${this.#propertyNumbers.get(properties) ?? ''}`;
  }

  /** The event of that type that a token stands for. Its number and time are those of the first: a story tells the others. */
  event(token: object, type: string, make: () => RuntimeEvent): RuntimeEvent {
    let known = this.#events.get(token);
    if (known === undefined) this.#events.set(token, (known = new Map<string, RuntimeEvent>()));
    let event = known.get(type);
    if (event === undefined) known.set(type, (event = make()));
    return event;
  }

  /** The states after equal events, or after these. */
  heard(token: object, states: PropertyStates, hear: () => Heard): Heard {
    let known = this.#heard.get(token);
    if (known === undefined) this.#heard.set(token, (known = new Map<PropertyStates, Heard>()));
    let heard = known.get(states);
    if (heard === undefined) {
      const { after, violations } = hear();
      known.set(states, (heard = { after: this.statesFor(after), violations }));
    }
    return heard;
  }

  /** The result of an equal move, or of this one. */
  turn(record: TurnRecord, token: object | undefined, move: () => Turned): Turned {
    if (token === undefined) return move();
    let known = this.#turns.get(record);
    if (known === undefined) this.#turns.set(record, (known = new Map<object, Turned>()));
    let turned = known.get(token);
    if (turned === undefined) known.set(token, (turned = move()));
    return turned;
  }
}
