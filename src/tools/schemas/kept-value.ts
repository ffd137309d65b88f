import type { Json } from '../../base/json/json.ts';
import { plainOrOdd, problemOfOdd } from '../../base/json/odd-value.ts';
import { inOwnForm } from '../../base/json/own-form.ts';
import { andThen } from '../../base/promises/thenable.ts';
import type { Checked, Schema } from '../../base/schemas/schema.ts';
import type { z } from 'zod';
import { isZod } from './schemas.ts';

/** A value that a schema made, and what a log keeps of it. */
export interface KeptValue {
  readonly value: unknown;
  readonly kept: Json;
}

/**
 * Adds what a log keeps of a value that a schema made: the value, if JSON holds it; otherwise what the codecs of the schema
 * encode it to (zod), with the JSON forms of its parts: a Date's text, a bigint's digits.
 *
 * A part that has none is a problem, as one that does not fit the schema: a Map, NaN, an instance of a class.
 */
export const withKept = (
  schema: Schema,
  checked: Checked<unknown>,
): Checked<KeptValue> | Promise<Checked<KeptValue>> => {
  if (!checked.ok) return checked;
  const { value } = checked;
  const whole = plainOrOdd(value ?? null, '');
  if ('plain' in whole) return { ok: true, value: { value, kept: whole.plain } };
  return andThen(encode(schema, value), (encoded) => keepFormed(value, inOwnForm(encoded)));
};

/** Validates as {@link withKept}, for those that use only what is kept. */
export const onlyKept = (
  schema: Schema,
  checking: Checked<unknown> | Promise<Checked<unknown>>,
): Checked<Json> | Promise<Checked<Json>> =>
  andThen(checking, (checked) =>
    andThen(withKept(schema, checked), (found) => (found.ok ? { ok: true, value: found.value.kept } : found)),
  );

const keepFormed = (value: unknown, formed: unknown): Checked<KeptValue> => {
  const found = plainOrOdd(formed, '');
  if ('plain' in found) return { ok: true, value: { value, kept: found.plain } };
  const message = `the schema makes it ${problemOfOdd(found)}, or end the schema in a codec of zod`;
  return { ok: false, issues: [{ path: found.at.replace(/^\./, ''), message }] };
};

/** Zod 4.0 has none, and would run the schema forward once more. */
const hasCodecs = ({ _zod: { version } }: z.core.$ZodType): boolean => {
  const minor: number = version.minor;
  return minor > 0;
};

/** The value as the codecs of the schema encode it; the value itself if it cannot be encoded, as by a one-way transform. */
const encode = (schema: Schema, value: unknown): unknown => {
  if (!isZod(schema) || !hasCodecs(schema)) return value;
  try {
    const found = schema._zod.run({ value, issues: [] }, { async: true, direction: 'backward' });
    return andThen(found, (payload) => (payload.issues.length === 0 ? payload.value : value));
  } catch {
    return value;
  }
};
