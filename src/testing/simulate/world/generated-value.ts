import type { Json, JsonSchema } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { samplesOf } from '../../verify/samples.ts';
import type { Dice } from './dice.ts';

/** Texts that programs stumble over. */
const TEXTS = ['', ' ', 'x', 'Zoë ☃ 👩‍👩‍👧', '../../x', `"';--`, 'x'.repeat(1_000)] as const;

/** Numbers that programs stumble over. */
const NUMBERS = [0, 1, -1, 0.5, 2, 1_000, -1_000_000, 1_000_000_000] as const;

/** The simplest value of a schema. */
export const simplestOf = (schema: JsonSchema): Json => samplesOf(schema)[0] ?? null;

/** A value of a schema by chance: one of its samples, whose texts and numbers are others within their bounds, with optional properties or without. */
export const valueBy = (schema: JsonSchema, dice: Dice): Json => {
  const samples = samplesOf(schema);
  const sample = samples[dice.whole(samples.length)] ?? null;
  return vary(sample, schema, dice);
};

const vary = (value: Json, schema: unknown, dice: Dice): Json => {
  // What is one of several forms, or one of several values, is left as the sample has it.
  if (!isJsonObject(schema) || !isPlain(schema)) return value;
  if (typeof value === 'number') return numberBy(value, schema, dice);
  if (typeof value === 'string') return textBy(value, schema, dice);
  if (Array.isArray(value)) return value.map((item) => vary(item, schema['items'], dice));
  if (!isJsonObject(value)) return value;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const all = Object.entries(properties).flatMap(([name, of]): readonly (readonly [string, Json])[] => {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    if (own !== undefined) return [[name, vary(own, of, dice)]];
    return isJsonObject(of) && dice.chance(0.3) ? [[name, valueBy(of, dice)]] : [];
  });
  return { ...value, ...Object.fromEntries(all) };
};

const isPlain = (schema: JsonSchema): boolean =>
  ['const', 'enum', '$ref', 'anyOf', 'oneOf', 'allOf', 'format', 'pattern', 'multipleOf'].every(
    (name) => !(name in schema),
  );

const numberBy = (value: number, schema: JsonSchema, dice: Dice): number => {
  const least = numberIn(schema, 'minimum', -Infinity);
  const most = numberIn(schema, 'maximum', Infinity);
  const above = numberIn(schema, 'exclusiveMinimum', -Infinity);
  const below = numberIn(schema, 'exclusiveMaximum', Infinity);
  const fitting = [...NUMBERS, least, most].filter(
    (each) =>
      Number.isFinite(each) &&
      each >= least &&
      each <= most &&
      each > above &&
      each < below &&
      (schema['type'] !== 'integer' || Number.isInteger(each)),
  );
  return fitting[dice.whole(fitting.length)] ?? value;
};

const textBy = (value: string, schema: JsonSchema, dice: Dice): string => {
  const least = numberIn(schema, 'minLength', 0);
  const most = numberIn(schema, 'maxLength', Infinity);
  const fitting = TEXTS.filter((each) => each.length >= least && each.length <= most);
  return fitting[dice.whole(fitting.length)] ?? value;
};

const numberIn = (schema: JsonSchema, name: string, otherwise: number): number => {
  const found = schema[name];
  return typeof found === 'number' ? found : otherwise;
};
