import type { Json, JsonObject, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';

/** Type names of other vocabularies, by JSON Schema's; `any` has none. */
const TYPES: ReadonlyMap<string, string | undefined> = new Map([
  ['dict', 'object'],
  ['map', 'object'],
  ['hashmap', 'object'],
  ['float', 'number'],
  ['double', 'number'],
  ['long', 'integer'],
  ['int', 'integer'],
  ['byte', 'integer'],
  ['short', 'integer'],
  ['bool', 'boolean'],
  ['str', 'string'],
  ['char', 'string'],
  ['list', 'array'],
  ['tuple', 'array'],
  ['set', 'array'],
  ['arraylist', 'array'],
  ['none', 'null'],
  ['any', undefined],
]);

/** Keywords with one subschema, a list of them, or several by name. */
const ONE =
  'items additionalItems additionalProperties propertyNames contains not if then else unevaluatedItems unevaluatedProperties'.split(
    ' ',
  );
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/**
 * Copies a JSON Schema in a form that providers accept: types by their JSON Schema names (`dict` is `object`, `float`
 * is `number`, `String` is `string`, `any` is dropped), and without `$schema`. Everything else is unchanged.
 *
 * @example plainSchema({ type: 'dict', properties: { a: { type: 'float' } } }) // => { type: 'object', properties: { a: { type: 'number' } } }
 */
export const plainSchema = (schema: JsonSchema): JsonSchema => {
  const { $schema: _, ...rest } = renameTypes(schema);
  return rest;
};

const renameTypes = (schema: JsonObject): JsonObject => {
  const found: Record<string, Json | undefined> = { ...schema };
  const type = typeNamed(schema['type']);
  if (type === undefined) delete found['type'];
  else found['type'] = type;
  const inner = (value: Json | undefined): Json =>
    isJsonObject(value) ? renameTypes(value) : (value ?? null);
  for (const key of ONE) if (isJsonObject(found[key])) found[key] = inner(found[key]);
  for (const key of LISTS) {
    const value = found[key];
    if (Array.isArray(value)) found[key] = value.map((each: Json) => inner(each));
  }
  for (const key of MAPS) {
    const value = found[key];
    if (isJsonObject(value))
      found[key] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
  }
  return found;
};

const typeNamed = (type: Json | undefined): Json | undefined => {
  if (Array.isArray(type)) {
    const names = type.map((each: Json) => typeNamed(each));
    return names.includes(undefined) ? undefined : names.map((each) => each ?? null);
  }
  if (typeof type !== 'string') return type;
  const lower = type.toLowerCase();
  return TYPES.has(lower) ? TYPES.get(lower) : lower;
};
