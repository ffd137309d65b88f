import type { Json, JsonObject, JsonSchema } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { Schema } from '../../base/schemas/schema.ts';
import type { FieldSecret } from '../../contracts/secrets/field-secret.ts';
import { resolveReference } from './json-schema-reference.ts';
import { matchSimply } from './match-simply.ts';
import { canGiveJsonSchema, jsonSchemaOf } from './schemas.ts';

/** Maximum depth of values examined; a schema may refer to itself. */
const DEEPEST = 200;

/** Keywords with another schema for the same value, a list of them, or several by name. */
const SAME = ['if', 'then', 'else', 'not'];
const BRANCHES = ['allOf', 'anyOf', 'oneOf'];

/**
 * The fields that a JSON Schema marks as secret, by `writeOnly: true` or `format: 'password'`, with everything inside.
 */
export class SecretFields {
  readonly #schema: JsonSchema;

  constructor(schema: JsonSchema) {
    this.#schema = schema;
  }

  /** The names of the fields, as `login.password`; those of a value as a whole have none. */
  get names(): readonly string[] {
    return [...new Set(marksIn(this.#schema, this.#schema, [], new Set()))].map(nameOf);
  }

  /** Finds the secret values in a value; arguments given as JSON text are parsed. */
  find(value: Json): readonly FieldSecret[] {
    const found: FieldSecret[] = [];
    this.#look(this.#schema, value, { path: [], depth: 0, found });
    if (typeof value !== 'string' || found.length > 0) return found;
    const within = parseJson(value);
    return isJsonObject(within) || Array.isArray(within) ? this.find(within) : found;
  }

  #look(schema: Json | undefined, value: Json | undefined, place: Looking): void {
    if (!isJsonObject(schema) || value === undefined || place.depth > DEEPEST) return;
    if (isMarked(schema)) {
      collect(value, place);
      return;
    }
    const here = { ...place, depth: place.depth + 1 };
    const { $ref: reference } = schema;
    if (typeof reference === 'string') this.#look(resolveReference(this.#schema, reference), value, here);
    for (const keyword of BRANCHES) {
      const branches = schema[keyword];
      if (!Array.isArray(branches)) continue;
      for (const branch of branches) if (mayBe(branch, value)) this.#look(branch, value, here);
    }
    for (const keyword of SAME) this.#look(schema[keyword], value, here);
    if (Array.isArray(value)) this.#items(schema, value, here);
    else if (isJsonObject(value)) this.#properties(schema, value, here);
  }

  #items(schema: JsonObject, items: readonly Json[], place: Looking): void {
    const { items: all } = schema;
    // Older drafts have a list of schemas in place of `prefixItems`.
    const first = Array.isArray(all) ? all : schema['prefixItems'];
    const each = Array.isArray(first) ? first : [];
    const rest = Array.isArray(all) ? schema['additionalItems'] : all;
    for (const [index, item] of items.entries()) this.#look(each[index] ?? rest, item, place);
    for (const item of items) this.#look(schema['contains'], item, place);
  }

  #properties(schema: JsonObject, value: JsonObject, place: Looking): void {
    const { properties, patternProperties } = schema;
    const rest = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
    for (const [name, item] of Object.entries(value)) {
      const within = { ...place, path: [...place.path, name] };
      const known =
        isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
      this.#look(known, item, within);
      let isOfPattern = false;
      for (const [pattern, schemaOfIt] of isJsonObject(patternProperties)
        ? Object.entries(patternProperties)
        : []) {
        const isMatch = matchSimply(pattern, name);
        // If the pattern cannot be decided, the field may match this schema as well as the rest.
        if (isMatch !== false) this.#look(schemaOfIt, item, within);
        if (isMatch === true) isOfPattern = true;
      }
      if (known === undefined && !isOfPattern) this.#look(rest, item, within);
    }
  }
}

/** A value that is looked into. */
interface Looking {
  readonly path: readonly string[];
  readonly depth: number;
  readonly found: FieldSecret[];
}

const isMarked = (schema: JsonObject): boolean =>
  schema['writeOnly'] === true || schema['format'] === 'password';

const nameOf = (path: readonly string[]): string => path.join('.');

/** All texts and numbers at a field, and within it. */
const collect = (value: Json | undefined, place: Looking): void => {
  const { path, depth, found } = place;
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).trim();
    if (text !== '') found.push({ name: nameOf(path), field: path.at(-1) ?? '', value: text });
    return;
  }
  if (depth > DEEPEST) return;
  if (Array.isArray(value)) for (const item of value) collect(item, { ...place, depth: depth + 1 });
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value))
      collect(item, { ...place, path: [...path, name], depth: depth + 1 });
};

/** Checks whether a branch is not ruled out by what it fixes of its properties. */
const mayBe = (branch: Json, value: Json): boolean => {
  if (!isJsonObject(branch) || !isJsonObject(value) || !isJsonObject(branch['properties'])) return true;
  return Object.entries(branch['properties']).every(([name, property]) => {
    if (!isJsonObject(property) || property['const'] === undefined) return true;
    return value[name] === property['const'];
  });
};

const parseJson = (text: string): Json | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    // Parsed JSON is JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'example', 'required']);
/** Keywords whose values are schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
/** Schemas by name that apply only where they are referenced. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

/** Returns the paths of the marks in a schema. */
const marksIn = (
  root: JsonSchema,
  schema: Json | undefined,
  path: readonly string[],
  seen: Set<string>,
): readonly (readonly string[])[] => {
  if (Array.isArray(schema)) return schema.flatMap((each: Json) => marksIn(root, each, path, seen));
  if (!isJsonObject(schema)) return [];
  if (isMarked(schema)) return [path];
  const { $ref: reference } = schema;
  const isNew = typeof reference === 'string' && !seen.has(reference);
  const referred = isNew ? resolveReference(root, reference) : undefined;
  return [
    ...marksIn(root, referred, path, new Set([...seen, ...(isNew ? [reference] : [])])),
    ...Object.entries(schema).flatMap(([keyword, value]) => {
      if (DATA.has(keyword) || DEFINITIONS.has(keyword)) return [];
      if (MAPS.has(keyword) && isJsonObject(value))
        return Object.entries(value).flatMap(([name, each]) => marksIn(root, each, [...path, name], seen));
      return marksIn(root, value, path, seen);
    }),
  ];
};

const known = new WeakMap<JsonSchema, SecretFields | typeof NONE>();
const NONE = Symbol('no field is secret');

/** The fields that a JSON Schema marks as secret; undefined where it marks none. Looked for once per schema. */
export const secretFieldsOf = (schema: JsonSchema): SecretFields | undefined => {
  const before = known.get(schema);
  if (before !== undefined) return before === NONE ? undefined : before;
  const found = marksIn(schema, schema, [], new Set()).length === 0 ? NONE : new SecretFields(schema);
  known.set(schema, found);
  return found === NONE ? undefined : found;
};

/** Like {@link secretFieldsOf}, for any Standard Schema; one without a JSON Schema marks nothing. */
export const secretFieldsIn = (schema: Schema | undefined): SecretFields | undefined => {
  if (schema === undefined || !canGiveJsonSchema(schema)) return undefined;
  try {
    return secretFieldsOf(jsonSchemaOf(schema));
  } catch {
    // Its problem is reported where its description is needed.
    return undefined;
  }
};
