import { bytesIn, toBase64 } from '../bytes.ts';
import { tryRead } from '../try-read.ts';

/** A value that survives `JSON.parse(JSON.stringify(value))` unchanged: all that a context, an event or a journal may hold. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of {@link Json} values. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A JSON Schema document (draft 2020-12), as providers take it for tool parameters and structured output. */
export type JsonSchema = JsonObject;

/** Values that are refused where JSON is kept, as it has no form for them. */
type Formless =
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ArrayBuffer
  | ArrayBufferView
  | symbol
  | ((...given: never[]) => unknown);

/**
 * The type of what is kept of a value: a Date becomes text, a bigint its digits, an object with `toJSON` its result; what
 * has no such form is refused.
 */
export type AsJson<Value> = Json extends Value
  ? Json
  : Value extends string | number | boolean | null | undefined
    ? Value
    : Value extends { toJSON(...given: never[]): infer Made }
      ? AsJson<Made>
      : Value extends bigint
        ? string
        : Value extends Formless
          ? never
          : Value extends readonly (infer Item)[]
            ? readonly AsJson<Item>[]
            : Value extends object
              ? { readonly [Key in keyof Value]: AsJson<Value[Key]> }
              : Json;

/** Checks whether `value` is an object that is neither null nor an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Converts anything to plain JSON, once, at the border where foreign values enter.
 *
 * Never throws: a cycle becomes `'[circular]'`, an Error its name and message, a bigint its digits, a function or
 * symbol its description, a Date its ISO text, bytes a `data:` URL in base64, any other typed array its numbers. Keys
 * that could change a prototype are dropped.
 *
 * @example
 * toJson({ when: new Date(0), big: 10n }) // => { when: '1970-01-01T00:00:00.000Z', big: '10' }
 */
export const toJson = (value: unknown, depth = 0, above: readonly object[] = []): Json => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') return objectToJson(value, depth, above);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  // JSON has no -0.
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0;
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`;
  // All that is left.
  return String(value as number | bigint | symbol);
};

/** Deeper than this is cut: no tool result or error needs it, and a hostile one would overflow the stack. */
export const MAX_DEPTH = 100;

/** Keys that could change a prototype. */
export const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Checks whether {@link toJson} drops a key of an acyclic value, as it could change a prototype. */
export const hasUnsafeKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasUnsafeKey);
  return Object.entries(value).some(
    ([key, item]: readonly [string, unknown]) =>
      item !== undefined && (UNSAFE_KEYS.has(key) || hasUnsafeKey(item)),
  );
};

const objectToJson = (value: object, depth: number, above: readonly object[]): Json => {
  if (above.includes(value)) return '[circular]';
  if (depth >= MAX_DEPTH) return '[too deep]';
  const path = [...above, value];
  try {
    if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1, path));
    if (value instanceof Error) return { name: value.name, message: value.message };
    // Before toJSON: a Buffer's own toJSON gives a number for each byte.
    if (!isNumbers(value) && (value instanceof ArrayBuffer || ArrayBuffer.isView(value)))
      return bytesToText(value);
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      const plain: unknown = value.toJSON();
      return plain === value ? '[circular]' : toJson(plain, depth + 1, path);
    }
    if (value instanceof Map || value instanceof Set || isNumbers(value))
      return toJson([...value], depth + 1, path);
    const made: Record<string, Json> = {};
    for (const [key, item] of Object.entries<unknown>(value as Readonly<Record<string, unknown>>))
      if (item !== undefined && !UNSAFE_KEYS.has(key)) made[key] = toJson(item, depth + 1, path);
    return made;
  } catch (error) {
    return `[unreadable${reasonOf(error)}]`;
  }
};

/** A typed array whose items are more than bytes. */
const isNumbers = (value: object): value is ArrayBufferView & Iterable<unknown> =>
  ArrayBuffer.isView(value) && Number(Reflect.get(value, 'BYTES_PER_ELEMENT')) > 1;

/** Encodes bytes as reversible text. A number for each of ten million bytes would block the process. */
const bytesToText = (value: ArrayBuffer | ArrayBufferView): string =>
  `data:application/octet-stream;base64,${toBase64(bytesIn(value))}`;

/** Checks whether `value` is nested deeper than {@link toJson} keeps; a cyclic value is. */
export const isTooDeep = (value: unknown, left = MAX_DEPTH): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((item) => isTooDeep(item, left - 1)));

/** Gives why a value cannot be read: one that throws when it is read may throw another such value. */
const reasonOf = (thrown: unknown): string =>
  tryRead(() => `: ${thrown instanceof Error ? thrown.message : String(thrown)}`, '');
