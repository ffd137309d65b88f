import type { Json } from './json.ts';
import { isJsonObject } from './json.ts';

/**
 * Makes plain JSON unchangeable, all of it, and gives it back: the very same, no copy.
 *
 * What `known` holds in the same place was frozen with it and is passed over, so that the cost follows from what changed.
 *
 * @example
 * const state = freezeJson({ seen: ['a'] });
 * freezeJson({ ...state, count: 1 }, state); // the list is not looked into again
 */
export const freezeJson = <Value extends Json | undefined>(value: Value, known?: Json): Value => {
  if (typeof value !== 'object' || value === null || value === known || Object.isFrozen(value)) return value;
  if (isArray(value)) {
    const before = isArray(known) ? known : NOTHING;
    for (let index = 0; index < value.length; index += 1) freezeJson(value[index], before[index]);
  } else {
    const before = isJsonObject(known) ? known : {};
    for (const [key, item] of Object.entries(value)) freezeJson(item, before[key]);
  }
  return Object.freeze(value);
};

const NOTHING: readonly Json[] = [];

const isArray = (value: unknown): value is readonly Json[] => Array.isArray(value);
