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
    const before: readonly unknown[] | undefined = Array.isArray(known) ? known : undefined;
    for (let index = 0; index < value.length; index += 1) freezePart(value[index], before?.[index]);
  } else if (isJsonObject(value)) {
    if (!isPlain(value)) return value;
    const before = isJsonObject(known) ? known : undefined;
    // Most of what is in an object is no object: names alone, and no pairs, which would be made for each.
    for (const key of Object.keys(value)) freezePart(value[key], before?.[key]);
  }
  return Object.freeze(value);
};

const freezePart = (value: unknown, known: unknown): void => {
  if (typeof value === 'object' && value !== null) freezeJson(value, known);
};

/** Checks whether an object is made of nothing but its properties. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
