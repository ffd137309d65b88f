import type { Json } from './json.ts';

/** A deeply frozen copy. */
export const frozenJson = (value: Json): Json => {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return Object.freeze(value.map(frozenJson));
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    item === undefined ? item : frozenJson(item),
  ]);
  return Object.freeze(Object.fromEntries(entries));
};

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
