import type { OutputSpec } from '../../contracts/models/model.ts';
import { isJsonObject, type Json, type JsonObject, toJson } from '../../base/json/json.ts';
import { isSameJson } from '../../base/json/same-json.ts';
import { inDialect } from './schema-dialect.ts';
import { wrapAsValue } from './schema-root.ts';
import { refersToPart, requireAll, type RequiredSchema } from './strict-schema.ts';

/** A structured output in a form that providers accept, and the inverse mapping. */
export interface WireOutput {
  readonly name: string;
  readonly schema: JsonObject;
  /** True if the schema follows the rules of OpenAI's strict mode; otherwise the provider only does its best. */
  readonly isStrict: boolean;
  /** The text that the caller expects, from the text that the model wrote. */
  unwrap(text: string): string;
}

/**
 * Prepares a structured output. Providers accept only an object at the root of the schema, so any other value is
 * requested as the property `value` of one, and unwrapped again. With `nullable`, optional properties are requested as ones that may be null,
 * so that the schema can be strict, and such a null is taken back as absent.
 *
 * @example
 * wireOutput({ name: 'answer', schema: { type: 'number' } }).unwrap('{"value": 42}') // => '42'
 */
export const wireOutput = (
  { name, schema }: OutputSpec,
  optional: 'optional' | 'nullable' = 'optional',
): WireOutput => {
  const { $schema: _dialect, ...plain } = schema;
  const mustWrap = needsWrapping(plain);
  const given = inDialect(mustWrap ? wrapAsValue(plain) : plain);
  const strict = strictSchema(given, optional);
  const read = strict?.read;
  const unwrap = mustWrap ? unwrapValue : (text: string): string => text;
  return {
    name: name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'output',
    schema: strict?.schema ?? given,
    isStrict: strict !== undefined,
    unwrap: read === undefined ? unwrap : (text) => unwrap(readText(text, read)),
  };
};

/** A schema that OpenAI's strict mode takes, and the inverse mapping if there is one. */
interface StrictSchema {
  readonly schema: JsonObject;
  readonly read?: RequiredSchema['read'];
}

/**
 * Converts a schema to one that OpenAI's strict mode takes; undefined if that would change its meaning. Optional properties stand in the
 * way, unless they may become nullable ones.
 */
export const strictSchema = (
  given: JsonObject,
  optional: 'optional' | 'nullable',
): StrictSchema | undefined => {
  // What fits the closed schema fits the given one: a schema that says nothing of other keys needs none.
  const closed = closeObjects(given);
  if (!isJsonObject(closed)) return undefined;
  const strict = optional === 'nullable' && !refersToPart(closed) ? requireAll(closed) : { schema: closed };
  return isStrict(strict.schema) ? strict : undefined;
};

/** Maps the value of a text; a text that is no JSON, or has nothing to map, is passed on unchanged. */
const readText = (text: string, read: (value: Json) => Json): string => {
  try {
    const parsed = toJson(JSON.parse(text));
    const found = read(parsed);
    return isSameJson(found, parsed) ? text : JSON.stringify(found);
  } catch {
    return text;
  }
};

/** Checks whether a schema is no plain object, so that its value is requested as a property. */
export const needsWrapping = (schema: JsonObject): boolean =>
  schema['type'] !== 'object' || ALTERNATIVES.some((key) => key in schema);

/** Keywords beside an object's type that strict mode refuses at the root. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf', '$ref'];

/**
 * Unwraps a value; an unexpected text is passed on unchanged, as validation against the schema will explain what is
 * wrong.
 */
const unwrapValue = (text: string): string => {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) && parsed['value'] !== undefined ? JSON.stringify(parsed['value']) : text;
  } catch {
    return text;
  }
};

/** Closes objects that have properties and say nothing of other keys, such as those of `z.object`. */
const closeObjects = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (!isJsonObject(schema)) return schema;
  const inner = Object.entries(schema).map(([key, value]): [string, Json | undefined] => {
    if (value === undefined || KEEP.has(key)) return [key, value];
    return [key, MAPS.has(key) && isJsonObject(value) ? closeEach(value) : closeObjects(value)];
  });
  const isOpen = isJsonObject(schema['properties']) && schema['additionalProperties'] === undefined;
  return { ...Object.fromEntries(inner), ...(isOpen ? { additionalProperties: false } : {}) };
};

const closeEach = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([key, value]) => [key, value === undefined ? {} : closeObjects(value)]),
  );

/** OpenAI's strict mode requires every object to be closed and all of its properties required. */
const isStrict = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isJsonObject(schema)) return true;
  if (schema['type'] === 'object' || schema['properties'] !== undefined) {
    const properties = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
    const required: unknown = schema['required'] ?? [];
    const isClosed = schema['additionalProperties'] === false;
    if (!isClosed || !Array.isArray(required) || !properties.every((key) => required.includes(key)))
      return false;
  }
  return !UNSUPPORTED.some((key) => key in schema) && schemasIn(schema).every(isStrict);
};

/** Returns the direct subschemas; the value of a property's name is one, whatever the name. */
const schemasIn = (schema: JsonObject): unknown[] =>
  Object.entries(schema).flatMap(([key, value]) => {
    if (KEEP.has(key)) return [];
    return MAPS.has(key) && isJsonObject(value) ? Object.values(value) : [value];
  });

/** Keywords that strict mode refuses. */
const UNSUPPORTED = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'patternProperties',
  'dependentRequired',
  'propertyNames',
];

/** Keywords whose values are data, not schemas. */
const KEEP: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/**
 * Converts a schema to the subset that Anthropic's structured output accepts: objects are closed, and unsupported
 * keywords move into descriptions. Undefined if that would change the meaning: objects with arbitrary keys.
 */
export const portableSchema = (schema: JsonObject): JsonObject | undefined => {
  if (!isPortable(schema)) return undefined;
  const closed = portable(schema);
  return isJsonObject(closed) ? closed : undefined;
};

const isPortable = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(isPortable);
  if (!isJsonObject(schema)) return true;
  const { additionalProperties: more } = schema;
  const isFree =
    (schema['type'] === 'object' && schema['properties'] === undefined) ||
    (more !== undefined && more !== false);
  if (isFree || UNPORTABLE.some((key) => key in schema)) return false;
  return schemasIn(schema).every(isPortable);
};

const UNPORTABLE = ['not', 'if', 'patternProperties', 'dependentRequired', 'propertyNames'];

const portable = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(portable);
  if (!isJsonObject(schema)) return schema;
  const kept: Record<string, Json> = {};
  const moved: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (MAPS.has(key) && isJsonObject(value)) kept[key] = mapSchemas(value);
    else if (key === 'oneOf') kept['anyOf'] = portable(value);
    else if (KEEP.has(key)) kept[key] = value;
    else if (CONSTRAINTS.has(key)) moved.push(`${key}: ${JSON.stringify(value)}`);
    else kept[key] = portable(value);
  }
  if (schema['type'] === 'object') kept['additionalProperties'] = false;
  if (moved.length > 0) {
    const { description } = schema;
    kept['description'] = `${typeof description === 'string' ? `${description} ` : ''}(${moved.join(', ')})`;
  }
  return kept;
};

const mapSchemas = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).map(([key, value]) => [key, value === undefined ? {} : portable(value)]),
  );

/** Keywords whose values are schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/**
 * Keywords that the subset refuses, and that a description can express as well; the answer is validated against them
 * anyway.
 */
const CONSTRAINTS: ReadonlySet<string> = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems'
    .concat(' uniqueItems minProperties maxProperties format contentEncoding')
    .split(' '),
);

/** Requests the output in the prompt, where its schema cannot be enforced. */
export const outputInstruction = ({ schema }: Pick<WireOutput, 'schema'>): string =>
  `Give the final answer as one JSON value, with nothing around it, that is valid by this JSON Schema: ${JSON.stringify(schema)}`;
