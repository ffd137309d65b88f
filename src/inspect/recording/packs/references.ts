import { isJsonObject } from '../../../base/json/json.ts';
import { isPlain } from '../../../base/json/freeze-json.ts';

/**
 * References within a pack: a part of a value that comes again, as a decision, its calls and their results do several times in a step, is
 * there once. Where it comes again there is `{"": number}`; an object that looks like that is written as `{"": [object]}`.
 *
 * Only the first levels are looked at: what is below them is as it is. Writer and reader number the same parts, objects and lists of
 * objects, in the same order.
 */

const LEVELS = 3;

/** Writes values with references in place of parts that were there before. */
export class ShortForms {
  readonly #known = new Map<object, number>();

  /** The value, or one with references. @throws (an `Error`) for what is no plain JSON. */
  write(value: object): object {
    return this.#write(value, LEVELS);
  }

  #write(value: object, levels: number): object {
    if (Array.isArray(value)) return this.#list(value, levels);
    if (!isPlain(value) || value['toJSON'] !== undefined) throw new Error('it is no plain JSON');
    let shown: Record<string, unknown> | undefined;
    for (const key in value) {
      const part = value[key];
      if (typeof part !== 'object' || part === null) continue;
      const short = this.#part(part, levels);
      if (short !== part) (shown ??= { ...value })[key] = short;
    }
    return shown ?? value;
  }

  #list(list: readonly unknown[], levels: number): readonly unknown[] {
    let shown: unknown[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const part = list[index];
      if (typeof part !== 'object' || part === null) continue;
      const short = this.#part(part, levels);
      if (short !== part) (shown ??= [...list])[index] = short;
    }
    return shown ?? list;
  }

  #part(part: object, levels: number): object {
    if (isShared(part)) {
      const known = this.#known.get(part);
      if (known !== undefined) return { '': known };
      this.#known.set(part, this.#known.size);
    }
    const shown = levels > 1 ? this.#write(part, levels - 1) : part;
    return isReference(shown) ? { '': [shown] } : shown;
  }
}

/** Puts the parts back in place of their references, into the values themselves. */
export class LongForms {
  readonly #known: object[] = [];

  read<Value extends object>(value: Value): Value {
    this.#read(value, LEVELS);
    return value;
  }

  #read(value: object, levels: number): void {
    if (levels === 0) return;
    for (const key of Object.keys(value)) {
      const part: unknown = Reflect.get(value, key);
      if (typeof part !== 'object' || part === null) continue;
      const long = this.#part(part, levels);
      if (long !== part)
        Reflect.defineProperty(value, key, {
          value: long,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
  }

  #part(part: object, levels: number): unknown {
    const held = isReference(part) ? part[''] : undefined;
    if (typeof held === 'number') return this.#known[held];
    const long = Array.isArray(held) ? (held as readonly unknown[])[0] : part;
    if (typeof long !== 'object' || long === null) return long;
    if (isShared(long)) this.#known.push(long);
    this.#read(long, levels - 1);
    return long;
  }
}

/** Lists of texts may be redacted by the name of the field that they are in. */
const isShared = (part: object): boolean => {
  if (!Array.isArray(part)) return true;
  const first: unknown = part[0];
  return typeof first === 'object' && first !== null;
};

/** Checks whether an object looks like a reference. */
export const isReference = (part: object): part is { readonly '': unknown } => {
  if (!isJsonObject(part) || !('' in part)) return false;
  for (const key in part) if (key !== '') return false;
  return true;
};
