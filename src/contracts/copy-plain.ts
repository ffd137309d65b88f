import { isPlain } from './freeze-json.ts';

/**
 * A copy of plain objects and lists, however deep, for somebody who may change it; an instance of a class stays the very same.
 *
 * @example
 * const input = { to: 'ann', at: new Date(0) };
 * const own = copyPlain(input);
 * own.to = 'bob'; // input.to is 'ann'
 */
export const copyPlain = <Value>(value: Value): Value => copied(value, undefined, 0);

/** What was copied before is known by `seen`, which most values never need: a list or object in another makes it. */
const copied = <Value>(value: Value, seen: Map<object, unknown> | undefined, depth: number): Value => {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  // The copy has the shape of what it was made from.
  const before = seen?.get(value) as Value | undefined;
  if (before !== undefined) return before;
  const known = seen ?? new Map<object, unknown>();
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    known.set(value, list);
    for (const item of value) list.push(copied<unknown>(item, known, depth + 1));
    return list as Value;
  }
  if (!isPlain(value)) return value;
  const own = { ...value } as Record<string, unknown>;
  known.set(value, own);
  for (const [key, item] of Object.entries(own))
    if (typeof item === 'object') own[key] = copied<unknown>(item, known, depth + 1);
  return own as Value;
};

/** Far deeper than plain JSON may be; what lies below is refused elsewhere, and must not overflow the stack here. */
const DEEPEST = 500;
