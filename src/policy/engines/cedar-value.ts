import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** A record of Cedar. */
export type CedarRecord = Record<string, CedarValueJson>;

/** Keys by which Cedar's JSON tells entities and functions from records: a model that gives one could pass for somebody else. */
const ESCAPES: ReadonlySet<string> = new Set(['__entity', '__extn', '__expr']);

/**
 * Converts JSON to a value of Cedar: a whole number is a Long, another one a decimal, or a text if it has more than four digits behind its point. Null,
 * for which Cedar has no value, is left out.
 *
 * @throws {TypeError} for a key that Cedar would take for an entity or a function.
 */
export const cedarValue = (value: Exclude<Json, null>): CedarValueJson => {
  if (typeof value === 'number') return cedarNumber(value);
  if (typeof value !== 'object') return value;
  return isJsonObject(value)
    ? cedarRecord(value)
    : value.flatMap((item: Json) => (item === null ? [] : [cedarValue(item)]));
};

/** Converts an object, as {@link cedarValue} does. */
export const cedarRecord = (object: Readonly<Record<string, Json | undefined>>): CedarRecord => {
  const record: CedarRecord = {};
  for (const [key, value] of Object.entries(object)) {
    if (ESCAPES.has(key)) throw new TypeError(`the key ${key} means something else to Cedar`);
    // Defined, not assigned: a key may be `__proto__`.
    if (value !== null && value !== undefined)
      Object.defineProperty(record, key, { value: cedarValue(value), enumerable: true });
  }
  return record;
};

/** An extension value of Cedar. */
export const cedarCall = (name: 'decimal' | 'datetime', text: string): CedarValueJson => ({
  __extn: { fn: name, arg: text },
});

const DECIMAL = /^-?\d{1,14}\.\d{1,4}$/;

const cedarNumber = (value: number): CedarValueJson => {
  if (Number.isSafeInteger(value)) return value;
  return DECIMAL.test(String(value)) ? cedarCall('decimal', String(value)) : String(value);
};
