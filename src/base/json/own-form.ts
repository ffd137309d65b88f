import { isPlain } from './freeze-json.ts';

/**
 * Replaces what has a JSON form of its own, at any depth of plain objects and lists: a Date by its ISO text, a bigint by
 * its digits, an object with `toJSON` by its result. Anything else stays.
 *
 * @example
 * inOwnForm({ at: new Date(0), by: new Map() }) // => { at: '1970-01-01T00:00:00.000Z', by: new Map() }
 */
export const inOwnForm = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => inOwnForm(item, depth + 1));
  if (isPlain(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inOwnForm(item, depth + 1)]));
  return hasForm(value) ? inOwnForm(value.toJSON(), depth + 1) : value;
};

/** An invalid Date has no text, and bytes are no numbers one by one. */
const hasForm = (value: object): value is { toJSON(): unknown } =>
  'toJSON' in value &&
  typeof value.toJSON === 'function' &&
  !ArrayBuffer.isView(value) &&
  !(value instanceof Date && Number.isNaN(value.getTime()));

/** Deeper than plain JSON may be: what is cut here is refused by its depth. */
const DEEPEST = 101;
