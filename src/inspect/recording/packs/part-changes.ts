import { isPlain } from '../../../base/json/freeze-json.ts';
import { isReference } from './references.ts';

/** Fields of a part of a context, as plain JSON. */
type Fields = Readonly<Record<string, unknown>>;

/** Levels below a part that are looked into. */
const LEVELS = 1;
/** Shorter lists are written whole. */
const SHORTEST = 4;

/**
 * The fields of a part of a context that are not as they were; undefined if that does not say it all. A field that is an object may have
 * `{"": [fields]}` in its place, and a list to which one item was added `{"": [dropped, item]}`, with the number of those that it lost at its
 * beginning.
 */
export const changedFields = (before: unknown, after: unknown, levels = LEVELS): Fields | undefined => {
  if (!isFields(before) || !isFields(after)) return undefined;
  const names = Object.keys(after);
  const known = Object.keys(before);
  if (names.length !== known.length) return undefined;
  const changed: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? '';
    // In another order it is other text.
    if (name !== known[index] || name === '__proto__') return undefined;
    const [old, value] = [before[name], after[name]];
    if (value === old) continue;
    // JSON leaves them out.
    if (!isWritten(value) || !isWritten(old)) return undefined;
    const short = changeOf(old, value, levels);
    if (short === undefined) return undefined;
    changed[name] = short;
  }
  return changed;
};

/** A value as what is new in it, or as it is; undefined if that would be read as something else. */
const changeOf = (before: unknown, after: unknown, levels: number): unknown => {
  if (typeof after !== 'object' || after === null) return after;
  if (Array.isArray(after)) {
    const dropped = Array.isArray(before) ? countDropped(before, after) : -1;
    return dropped < 0 ? after : { '': [dropped, after.at(-1)] };
  }
  if (isReference(after)) return undefined;
  const fields = levels > 0 ? changedFields(before, after, levels - 1) : undefined;
  return fields === undefined ? after : { '': [fields] };
};

/** The number of items that a list lost at its beginning when one was added at its end; -1 where it has changed otherwise. */
const countDropped = (before: readonly unknown[], after: readonly unknown[]): number => {
  const kept = after.length - 1;
  const dropped = before.length - kept;
  if (kept < SHORTEST || dropped < 0) return -1;
  for (let index = kept - 1; index >= 0; index -= 1) if (before[dropped + index] !== after[index]) return -1;
  return dropped;
};

/** A part with the fields that {@link changedFields} gave of it. */
export const mergeFields = (before: unknown, fields: unknown): Fields => {
  const merged: Record<string, unknown> = { ...fieldsOf(before) };
  for (const [name, value] of Object.entries(fieldsOf(fields)))
    merged[name] = mergeValue(merged[name], value);
  return merged;
};

const mergeValue = (before: unknown, value: unknown): unknown => {
  const held = typeof value === 'object' && value !== null && isReference(value) ? value[''] : undefined;
  if (!Array.isArray(held)) return value;
  const [first, item]: readonly unknown[] = held;
  if (held.length === 1) return mergeFields(before, first);
  const list: readonly unknown[] = Array.isArray(before) ? before : [];
  return [...list.slice(Number(first)), item];
};

const fieldsOf = (part: unknown): object => (typeof part === 'object' && part !== null ? part : {});

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && isPlain(value);

const isWritten = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
