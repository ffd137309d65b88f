import type { Json } from './json.ts';
import { hasUnsafeKey, isJsonObject, toJson } from './json.ts';

/** A value that is not plain JSON, and where it was found. */
export interface OddValue {
  /** Description: `a Date`, `a function`. */
  readonly found: string;
  /** Its place: `state.seen[2]`. */
  readonly at: string;
}

/**
 * Describes an odd value, and what to write in its place: `a Date, which is not kept as it is: write its text`.
 */
export const problemOfOdd = ({ found }: OddValue): string =>
  `${found}, which is not kept as it is: write ${INSTEAD.get(found) ?? 'what is made of plain objects, lists, texts, finite numbers, booleans and null'}`;

/** Replacements, by what was found. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['a Date', 'its text'],
  ['a bigint', 'its digits'],
  ['a Map', 'a list of its entries'],
  ['a Set', 'a list of its items'],
  ['an object with an unsafe key', "its keys '__proto__', 'constructor' and 'prototype' otherwise"],
  ['undefined', 'null'],
  ['NaN', 'null'],
  ['Infinity', 'null'],
  ['-Infinity', 'null'],
]);

/**
 * Copies a value that JSON holds as it is, so that a log gives back what it took; or says which part it would change.
 * Undefined properties are left out.
 */
export const plainOrOdd = (value: unknown, at: string): { readonly plain: Json } | OddValue => {
  const odd = oddValueIn(value, at);
  if (odd !== undefined) return odd;
  return hasUnsafeKey(value) ? { found: 'an object with an unsafe key', at } : { plain: toJson(value) };
};

/** @throws the error that `refuse` makes of a problem: `input.at is a Date, which is not kept as it is: write its text`. */
export const requireJson = (value: unknown, at: string, refuse: (problem: string) => Error): Json => {
  const kept = plainOrOdd(value, at);
  if ('plain' in kept) return kept.plain;
  throw refuse(`${kept.at} is ${problemOfOdd(kept)}`);
};

/** Values nested deeper are refused: what is written must be read back, and neither may overflow the stack. */
const MAX_DEPTH = 100;

/**
 * Finds the first part of `value` that is not plain JSON, and so would not survive a journal. Undefined properties are
 * ignored.
 *
 * Parts that `known` holds in the same place were checked before and are skipped, so that the cost follows from what
 * changed.
 *
 * @example
 * oddValueIn({ at: new Date(0) }, 'state') // => { found: 'a Date', at: 'state.at' }
 */
export const oddValueIn = (
  value: unknown,
  at: string,
  known?: unknown,
  above: readonly object[] = [],
): OddValue | undefined => {
  if (typeof value !== 'object') return oddPrimitive(value, at);
  if (value === null || value === known) return undefined;
  if (above.includes(value)) return { found: 'a cycle', at };
  if (above.length >= MAX_DEPTH) return { found: `more than ${MAX_DEPTH} levels`, at };
  try {
    return Array.isArray(value)
      ? oddItem(value, at, known, [...above, value])
      : oddProperty(value, at, known, [...above, value]);
  } catch {
    return { found: 'an object that cannot be read', at };
  }
};

const oddPrimitive = (value: unknown, at: string): OddValue | undefined => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { found: String(value), at };
    case 'undefined':
      return { found: 'undefined', at };
    default:
      return { found: `a ${typeof value}`, at };
  }
};

const oddItem = (
  items: readonly unknown[],
  at: string,
  known: unknown,
  above: readonly object[],
): OddValue | undefined => {
  const before: readonly unknown[] = Array.isArray(known) ? known : [];
  // By index: other iterations skip holes.
  for (let index = 0; index < items.length; index += 1) {
    const odd = oddValueIn(items[index], `${at}[${index}]`, before[index], above);
    if (odd !== undefined) return odd;
  }
  return undefined;
};

const oddProperty = (
  value: object,
  at: string,
  known: unknown,
  above: readonly object[],
): OddValue | undefined => {
  const kind = kindOf(value);
  if (kind !== undefined) return { found: kind, at };
  const before = isJsonObject(known) ? known : {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const odd = oddValueIn(item, placeOf(at, key), before[key], above);
    if (odd !== undefined) return odd;
  }
  return undefined;
};

/**
 * Describes the class of an object that is not a plain one. Plain objects of other realms have an `Object.prototype` of
 * their own.
 */
const kindOf = (value: object): string | undefined => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null || Object.getPrototypeOf(prototype) === null)
    return undefined;
  const maker: unknown = Reflect.get(prototype, 'constructor');
  const name = typeof maker === 'function' ? maker.name : '';
  return name === '' ? 'an object of a class' : /^[AEIO]/.test(name) ? `an ${name}` : `a ${name}`;
};

const placeOf = (at: string, key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${at}.${key}` : `${at}[${JSON.stringify(key)}]`;
