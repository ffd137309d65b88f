import { isJsonObject } from './json.ts';

/**
 * Makes plain JSON unchangeable, all of it, and gives it back: the very same, no copy. An instance of a class is left as it is.
 *
 * What is frozen already is passed over, so that whatever leaves a run again and again costs once; so is what `known` holds in the
 * same place, as it was frozen with it.
 *
 * @example
 * const state = freezeJson({ seen: ['a'] });
 * freezeJson({ ...state, count: 1 }, state); // the list is not looked into again
 */
export const freezeJson = <Value>(value: Value, known?: unknown): Value => {
  if (typeof value !== 'object' || value === null || value === known || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    const before: readonly unknown[] = Array.isArray(known) ? known : NOTHING;
    for (let index = 0; index < value.length; index += 1) freezeJson(value[index], before[index]);
  } else {
    if (!isPlain(value)) return value;
    const before = isJsonObject(known) ? known : {};
    for (const [key, item] of Object.entries(value)) freezeJson(item, before[key]);
  }
  return Object.freeze(value);
};

const NOTHING: readonly unknown[] = [];

/** Checks whether an object is made of nothing but its properties. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
