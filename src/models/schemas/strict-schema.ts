import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import { resolveReference } from './schema-dialect.ts';

/** A schema with every property required, and the inverse mapping. */
export interface RequiredSchema {
  readonly schema: JsonObject;
  /** The value that fits the given schema, from one that fits this: without the nulls that stand for absent properties. */
  read(value: Json): Json;
}

/**
 * Requires every property of a schema, as OpenAI's strict mode does: an optional one may be null instead. A default is said in words, as
 * the property is never absent.
 *
 * @example
 * requireAll({ type: 'object', properties: { a: { type: 'string' } } }).schema
 * // => { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'] }
 */
export const requireAll = (root: JsonObject): RequiredSchema => ({
  schema: requiring(root, root),
  read: (value) => withoutStandIns(value, root, root, 0),
});

/** Checks whether a schema refers to a place in itself that moves if a property becomes nullable. */
export const refersToPart = (schema: Json): boolean => {
  if (Array.isArray(schema)) return schema.some(refersToPart);
  if (!isJsonObject(schema)) return false;
  const { $ref: reference } = schema;
  if (typeof reference === 'string' && isReferenceToPart(reference)) return true;
  return Object.values(schema).some((each) => each !== undefined && refersToPart(each));
};

/** All but the whole schema, and a definition as a whole. */
const isReferenceToPart = (reference: string): boolean =>
  !/^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test(reference);

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);

/** Keywords whose values are schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

const requiring = (schema: JsonObject, root: JsonObject): JsonObject => {
  const found: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (MAPS.has(key) && isJsonObject(value))
      found[key] = mapValues(value, (each) => requiringAny(each, root));
    else found[key] = DATA.has(key) ? value : requiringAny(value, root);
  }
  const { properties } = found;
  if (!isJsonObject(properties)) return found;
  const optional = optionalIn(schema);
  const all = Object.entries(properties).map(([name, property]): [string, Json | undefined] => [
    name,
    optional.includes(name) && isJsonObject(property) ? nullable(property, root) : property,
  ]);
  return { ...found, properties: Object.fromEntries(all), required: Object.keys(properties) };
};

const requiringAny = (value: Json, root: JsonObject): Json => {
  if (Array.isArray(value)) return value.map((each) => requiringAny(each, root));
  return isJsonObject(value) ? requiring(value, root) : value;
};

const mapValues = (schemas: JsonObject, map: (schema: Json) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([key, value]) => [key, value === undefined ? {} : map(value)]),
  );

const optionalIn = ({ properties, required }: JsonObject): readonly string[] => {
  const needed: readonly Json[] = Array.isArray(required) ? required : [];
  return isJsonObject(properties) ? Object.keys(properties).filter((name) => !needed.includes(name)) : [];
};

const NULL = { type: 'null' };

/** Allows null beside what a schema allows. */
const nullable = (given: JsonObject, root: JsonObject): JsonObject => {
  const schema = withDefaultInWords(given);
  if (allowsNull(schema, root)) return schema;
  const { anyOf, type, const: only, enum: values, description, ...rest } = schema;
  const words = description === undefined ? {} : { description };
  if (Array.isArray(anyOf) && type === undefined) return { ...schema, anyOf: [...anyOf, NULL] };
  const kinds = Array.isArray(type) ? type : [type];
  const isPlain = typeof kinds[0] === 'string' && !kinds.includes('object') && !kinds.includes('array');
  if (!isPlain || anyOf !== undefined) return { anyOf: [withoutWords(schema), NULL], ...words };
  const choice = only === undefined ? values : [only];
  return {
    ...rest,
    ...words,
    type: [...kinds.filter((kind) => kind !== undefined), 'null'],
    ...(Array.isArray(choice) ? { enum: [...choice, null] } : {}),
  };
};

const withoutWords = (schema: JsonObject): JsonObject => {
  const { description: _, ...rest } = schema;
  return rest;
};

const withDefaultInWords = ({ default: value, ...schema }: JsonObject): JsonObject => {
  if (value === undefined) return schema;
  const { description } = schema;
  const before = typeof description === 'string' ? `${description} ` : '';
  return { ...schema, description: `${before}(default: ${JSON.stringify(value)})` };
};

/** Unions within unions, and references to references, have an end. */
const DEEPEST = 32;

/** Checks whether a schema allows null by itself: then null is a value, and stays one. */
const allowsNull = (schema: Json | undefined, root: JsonObject, depth = 0): boolean => {
  if (!isJsonObject(schema) || depth > DEEPEST) return true;
  const { type, enum: values, const: only, anyOf, oneOf, $ref: reference } = schema;
  if (reference !== undefined) return allowsNull(resolveReference(reference, root), root, depth + 1);
  if (Array.isArray(values) && !values.includes(null)) return false;
  if (only !== undefined && only !== null) return false;
  if (type !== undefined && type !== 'null' && !(Array.isArray(type) && type.includes('null'))) return false;
  const unions = [anyOf, oneOf].filter((each) => Array.isArray(each));
  return unions.every((union) => union.some((each) => allowsNull(each, root, depth + 1)));
};

/** Removes the nulls of optional properties, at any depth, where their own schema allows none. */
const withoutStandIns = (value: Json, schema: Json | undefined, root: JsonObject, depth: number): Json => {
  if (!isJsonObject(schema) || depth > DEEPEST || typeof value !== 'object' || value === null) return value;
  const { $ref: reference, anyOf, items, properties } = schema;
  if (reference !== undefined)
    return withoutStandIns(value, resolveReference(reference, root), root, depth + 1);
  if (Array.isArray(anyOf)) {
    const meant = anyOf.find((each) => isMeant(value, each, root, depth));
    return meant === undefined ? value : withoutStandIns(value, meant, root, depth + 1);
  }
  if (Array.isArray(value)) return value.map((each) => withoutStandIns(each, items, root, depth + 1));
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const optional = optionalIn(schema);
  const kept = Object.entries(value).flatMap(([name, each]): [string, Json | undefined][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (each === null && optional.includes(name) && !allowsNull(property, root)) return [];
    return [[name, each === undefined ? each : withoutStandIns(each, property, root, depth + 1)]];
  });
  return Object.fromEntries(kept);
};

/** The variant of a union that a value is of: as all properties are required, it has their very names, and the fixed values. */
const isMeant = (value: Json, variant: Json, root: JsonObject, depth: number): boolean => {
  if (!isJsonObject(variant) || depth > DEEPEST) return false;
  const { $ref: reference, anyOf, properties, items } = variant;
  if (reference !== undefined)
    return isMeant(value, resolveReference(reference, root) ?? null, root, depth + 1);
  if (Array.isArray(anyOf)) return anyOf.some((each) => isMeant(value, each, root, depth + 1));
  if (Array.isArray(value)) return items !== undefined;
  if (!isJsonObject(value) || !isJsonObject(properties)) return false;
  const names = Object.keys(value);
  const isSame =
    names.length === Object.keys(properties).length && names.every((name) => Object.hasOwn(properties, name));
  return isSame && names.every((name) => fits(value[name], properties[name]));
};

/** Only what tells variants apart: their constants, and the simplest types. */
const fits = (value: Json | undefined, schema: Json | undefined): boolean => {
  if (!isJsonObject(schema) || value === null || value === undefined) return true;
  const { const: only, enum: values, type } = schema;
  if (only !== undefined) return value === only;
  if (Array.isArray(values)) return values.includes(value);
  if (type === 'string' || type === 'boolean') return typeof value === type;
  if (type === 'number' || type === 'integer') return typeof value === 'number';
  return true;
};

/**
 * Checks whether a closed schema has only keywords and sizes that strict mode is documented to take in tools
 * (platform.openai.com/docs, "Structured outputs", "Supported schemas"): one that it refuses fails the whole request.
 */
export const isDocumented = (schema: JsonObject): boolean => {
  let properties = 0;
  const isKnown = (given: Json, depth: number): boolean => {
    if (!isJsonObject(given) || depth > MOST_LEVELS || !KINDS.some((key) => key in given)) return false;
    return Object.entries(given).every(([key, value]) => {
      if (MAPS.has(key) && isJsonObject(value)) {
        const inner = Object.values(value);
        if (key === 'properties') properties += inner.length;
        return inner.every((each) => each !== undefined && isKnown(each, depth + 1));
      }
      if (key === 'anyOf') return Array.isArray(value) && value.every((each) => isKnown(each, depth));
      if (key === '$ref') return typeof value === 'string' && !isReferenceToPart(value);
      if (key === 'items') return value !== undefined && isKnown(value, depth + 1);
      if (key === 'pattern') return typeof value === 'string' && !value.includes('(?');
      if (key === 'format') return typeof value === 'string' && FORMATS.has(value);
      return KEYWORDS.has(key);
    });
  };
  return isKnown(schema, 0) && properties <= MOST_PROPERTIES;
};

/** One of these says what a value is. */
const KINDS = ['type', 'anyOf', 'enum', 'const', '$ref'];

const MOST_LEVELS = 10;
const MOST_PROPERTIES = 5_000;

const KEYWORDS: ReadonlySet<string> = new Set(
  'type required additionalProperties enum const description title minItems maxItems multipleOf'
    .concat(' minimum maximum exclusiveMinimum exclusiveMaximum')
    .split(' '),
);

const FORMATS: ReadonlySet<string> = new Set(
  'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '),
);
