import type { Json, JsonObject } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';

/** Shorter texts are no longer than a reference. */
const SHORTEST = 5;
/** Larger numbers, mostly times, are longer than a reference. */
const LARGE = 1e6;
/** Prefix of a reference; texts that start with it are escaped by doubling it. */
const MARK = '~';
const PROTOTYPE = '__proto__';
const ORDINARY = { enumerable: true, configurable: true, writable: true };
/** Marks an array, in the place of an object's keys. */
const ARRAY = -1;

/**
 * Packs a sequence of values: keys of objects, texts and large numbers that occurred before are replaced by references. Values with much in
 * common, such as the records of a run, shrink to a third.
 *
 * The result is plain JSON made of arrays, so that databases which reorder keys do not change it. The first item of each array is -1 for an
 * array; for an object its keys, or the number of an earlier list of keys.
 *
 * I1 An {@link JsonUnpacker} restores the values of a packer, if it is given all of them in order.
 */
export class JsonPacker {
  readonly #shapes = new Map<string, number>();
  readonly #known = new Map<string | number, number>();
  pack(value: Json): Json {
    if (typeof value === 'string') return this.#leaf(value, value.length >= SHORTEST);
    if (typeof value === 'number') return this.#leaf(value, value >= LARGE);
    if (typeof value !== 'object' || value === null) return value;
    if (isJsonObject(value)) return this.#object(value);
    return [ARRAY, ...(value as readonly Json[]).map((item) => this.pack(item))];
  }

  #object(value: JsonObject): Json {
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    const shape = JSON.stringify(names);
    const known = this.#shapes.get(shape);
    if (known === undefined) this.#shapes.set(shape, this.#shapes.size);
    return [known ?? names, ...names.map((name) => this.pack(value[name] ?? null))];
  }

  #leaf(value: string | number, isReferable: boolean): Json {
    const known = isReferable ? this.#known.get(value) : undefined;
    if (known !== undefined) return referenceTo(known);
    if (isReferable) this.#known.set(value, this.#known.size);
    return typeof value === 'string' && value.startsWith(MARK) ? `${MARK}${value}` : value;
  }
}

/** Unpacks values; see {@link JsonPacker}. */
export class JsonUnpacker {
  readonly #shapes: (readonly string[])[] = [];
  readonly #known: Json[] = [];

  unpack(packed: Json): Json {
    if (typeof packed === 'string') return this.#text(packed);
    if (typeof packed === 'number') {
      if (packed >= LARGE) this.#known.push(packed);
      return packed;
    }
    if (!Array.isArray(packed)) return packed;
    const items = packed as readonly Json[];
    if (items[0] !== ARRAY) return this.#object(items);
    const list: Json[] = [];
    for (let index = 1; index < items.length; index += 1) list.push(this.unpack(items[index] ?? null));
    return list;
  }

  #object(items: readonly Json[]): JsonObject {
    const [shape] = items;
    if (Array.isArray(shape)) this.#shapes.push((shape as readonly Json[]).map(String));
    const names = (Array.isArray(shape) ? this.#shapes.at(-1) : this.#shapes[Number(shape)]) ?? [];
    const made: Record<string, Json> = {};
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      const value = this.unpack(items[index + 1] ?? null);
      // Assigned, it would set the object's prototype.
      if (name === PROTOTYPE) Object.defineProperty(made, name, { value, ...ORDINARY });
      else made[name] = value;
    }
    return made;
  }

  #text(packed: string): Json {
    if (packed.startsWith(MARK) && !packed.startsWith(MARK, 1))
      return this.#known[Number.parseInt(packed.slice(1), 36)] ?? null;
    const text = packed.startsWith(MARK) ? packed.slice(1) : packed;
    if (text.length >= SHORTEST) this.#known.push(text);
    return text;
  }
}

const referenceTo = (index: number): string => `${MARK}${index.toString(36)}`;
