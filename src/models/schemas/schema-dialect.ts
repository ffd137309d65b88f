import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';

/** Keywords whose values are data, not schemas. */
const KEEP: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Keywords whose values are schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** Depth to which a reference is inlined where references are refused: a recursive schema has no end. */
const DEEPEST_REFERENCE = 4;

/** As many are followed in all: those within those multiply. */
const MOST_REFERENCES = 500;

/**
 * Rewrites a schema for a provider: without its dialect and its marks of secrets (`writeOnly`, `format: 'password'`),
 * with tuples as lists (OpenAI requires `items` of every array), and without the keywords in `refused`. A refused
 * keyword is replaced by an equivalent one, or described in words: the result is validated against the schema itself.
 *
 * @example
 * inDialect({ type: 'number', exclusiveMinimum: 0 }, ['exclusiveMinimum'])
 * // => { type: 'number', description: '(exclusiveMinimum: 0)' }
 */
export const inDialect = (schema: JsonObject, refused: readonly string[] = []): JsonObject => {
  const { $schema: _dialect, ...plain } = schema;
  return new Rewriting(plain, new Set(refused)).object(plain, 0);
};

class Rewriting {
  readonly #root: JsonObject;
  readonly #refused: ReadonlySet<string>;
  #followed = 0;

  constructor(root: JsonObject, refused: ReadonlySet<string>) {
    this.#root = root;
    this.#refused = refused;
  }

  any(schema: Json, depth: number): Json {
    if (Array.isArray(schema)) return schema.map((each) => this.any(each, depth));
    return isJsonObject(schema) ? this.object(schema, depth) : schema;
  }

  object(schema: JsonObject, depth: number): JsonObject {
    const { $ref: reference } = schema;
    if (typeof reference === 'string' && this.#refused.has('$ref')) return this.#inlined(schema, depth);
    const kept: Record<string, Json> = {};
    const said: string[] = [];
    for (const [key, value] of Object.entries(withoutTuple(schema))) {
      if (value === undefined || isMark(key, value)) continue;
      if (this.#refused.has(key)) this.#replace(key, value, kept, said, depth);
      else if (MAPS.has(key) && isJsonObject(value)) kept[key] = this.#map(value, depth);
      else kept[key] = KEEP.has(key) ? value : this.any(value, depth);
    }
    return said.length === 0 ? kept : { ...kept, description: describe(kept['description'], said) };
  }

  #replace(key: string, value: Json, kept: Record<string, Json>, said: string[], depth: number): void {
    if (key === 'const') kept['enum'] = [value];
    else if (key === 'oneOf') kept['anyOf'] = this.any(value, depth);
    else if (key === 'allOf' && Array.isArray(value))
      for (const each of value) if (isJsonObject(each)) Object.assign(kept, this.object(each, depth));
    // Closed objects are validated on the way back; definitions are inlined where they are referenced.
    if (['const', 'oneOf', 'allOf', 'additionalProperties', '$defs', 'definitions'].includes(key)) return;
    said.push(`${key}: ${JSON.stringify(value)}`);
  }

  #map(schemas: JsonObject, depth: number): JsonObject {
    return Object.fromEntries(
      Object.entries(schemas).map(([key, value]) => [key, value === undefined ? {} : this.any(value, depth)]),
    );
  }

  #inlined({ $ref: reference, ...beside }: JsonObject, depth: number): JsonObject {
    const target = resolveReference(reference, this.#root);
    this.#followed += 1;
    if (target === undefined || depth >= DEEPEST_REFERENCE || this.#followed > MOST_REFERENCES)
      return { type: 'object', ...beside };
    const { $defs: _defs, ...plain } = target;
    return this.object({ ...plain, ...beside }, depth + 1);
  }
}

/** Marks of secret values are for people; strict modes refuse them. */
const isMark = (key: string, value: Json): boolean =>
  (key === 'writeOnly' && typeof value === 'boolean') || (key === 'format' && value === 'password');

const describe = (description: Json | undefined, said: readonly string[]): string =>
  `${typeof description === 'string' ? `${description} ` : ''}(${said.join(', ')})`;

/** The schema that a local reference names. */
export const resolveReference = (reference: unknown, root: JsonObject): JsonObject | undefined => {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let found: Json | undefined = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isJsonObject(found) ? found : undefined;
};

/** Converts a tuple to a list of its length, of any of its types. */
const withoutTuple = (schema: JsonObject): JsonObject => {
  const { prefixItems, ...rest } = schema;
  if (!Array.isArray(prefixItems)) return schema;
  const { items } = rest;
  const kinds = new Map(
    [...prefixItems, ...(isJsonObject(items) ? [items] : [])].map((each) => [JSON.stringify(each), each]),
  );
  const [first = {}] = kinds.values();
  return {
    ...rest,
    items: kinds.size > 1 ? { anyOf: [...kinds.values()] } : first,
    ...(items === false && rest['minItems'] === undefined ? { minItems: prefixItems.length } : {}),
    ...(items === false && rest['maxItems'] === undefined ? { maxItems: prefixItems.length } : {}),
  };
};
