import { isPlain } from './freeze-json.ts';
import { isJsonObject } from './json.ts';
import type { JsonObject } from './json.ts';

/**
 * Checks whether two values are the same JSON, in any order of keys: true is certain. A value that JSON would change (a
 * date, NaN, an instance of a class) is not the same as its JSON.
 *
 * @example
 * isSameJson({ a: 1, b: undefined }, { a: 1 }) // => true
 */
export const isSameJson = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (Array.isArray(one)) return Array.isArray(other) && isSameList(one, other);
  return isJsonObject(one) && isJsonObject(other) && isSameObject(one, other);
};

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean => {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1)
    if (one[index] === undefined || !isSameJson(one[index], other[index])) return false;
  return true;
};

const isSameObject = (one: JsonObject, other: JsonObject): boolean => {
  if (!isPlain(one) || !isPlain(other)) return false;
  let count = 0;
  for (const name of Object.keys(one)) {
    const value = one[name];
    if (value === undefined) continue;
    if (!Object.hasOwn(other, name) || !isSameJson(value, other[name])) return false;
    count += 1;
  }
  for (const name of Object.keys(other)) if (other[name] !== undefined) count -= 1;
  return count === 0;
};
