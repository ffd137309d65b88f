import { isPlain } from './freeze-json.ts';

/**
 * Copies plain objects and lists, at any depth, for a receiver that may mutate them; instances of classes are shared,
 * not copied.
 *
 * @example
 * const input = { to: 'ann', at: new Date(0) };
 * const own = copyPlain(input);
 * own.to = 'bob'; // input.to is 'ann'
 */
export const copyPlain = <Value>(value: Value): Value => copyValue(value, undefined, 0);

/** Copies one value. `seen` holds what was copied before; it is made only when a list or object contains another. */
const copyValue = <Value>(value: Value, seen: Map<object, unknown> | undefined, depth: number): Value => {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  // A copy has the same type as its source.
  const before = seen?.get(value) as Value | undefined;
  if (before !== undefined) return before;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    const known = (seen ?? new Map<object, unknown>()).set(value, list);
    for (const item of value) list.push(copyValue<unknown>(item, known, depth + 1));
    return list as Value;
  }
  if (!isPlain(value)) return value;
  const own = { ...value } as Record<string, unknown>;
  let known = seen?.set(value, own);
  for (const key of Object.keys(own)) {
    const item = own[key];
    if (typeof item !== 'object' || item === null) continue;
    known ??= new Map<object, unknown>([[value, own]]);
    own[key] = copyValue(item, known, depth + 1);
  }
  return own as Value;
};

/** Far deeper than plain JSON may be: deeper values are refused elsewhere, and must not overflow the stack here. */
const DEEPEST = 500;
